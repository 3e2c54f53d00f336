// Whether mail arrives: set-up of the domain, bounces and complaints beside their limits, what goes out, and what receivers report.
import type { Deliverability as Report } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { useAnswer } from '#dashboard/data.ts';
import { Card, Head, Lamp, LinkButton, Time, type Tone } from '#dashboard/parts/basics.tsx';
import { Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { DayTabs } from '#dashboard/parts/filters.tsx';
import { partWords } from '#dashboard/parts/words.ts';
import { may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { Mix, PlacementCard } from './mail.tsx';
import { Rates } from './rates.tsx';
import { Reports } from './reports.tsx';
import { words } from './words/de.ts';

type Status = Report['dkim']['status'];
const mechanisms = ['dkim', 'spf', 'dmarc', 'mail_from', 'bimi', 'inbound', 'mta_sts'] as const;
type Mechanism = (typeof mechanisms)[number];
const OPTIONAL: ReadonlySet<string> = new Set(['bimi', 'inbound', 'mta_sts']);

const toneOf = (name: string, status: Status): Tone => {
  if (status === 'ok') return 'good';
  if (status === 'unchecked' || (status === 'missing' && OPTIONAL.has(name))) return 'plain';
  return status === 'error' || OPTIONAL.has(name) ? 'warn' : 'bad';
};

/** What the service publishes itself, and has not looked at, is not judged. */
const RecordLamp = ({ name, report }: { readonly name: Mechanism; readonly report: Report }) => {
  const { statuses } = partWords().record;
  const { status } = report[name];
  const isAbsent = OPTIONAL.has(name) && (status === 'missing' || status === 'unchecked');
  if (status === 'ok' || isAbsent || report.checked_at !== null)
    return <Lamp tone={toneOf(name, status)} text={statuses[status]} />;
  return (
    <Lamp tone="plain" text={report.kind === 'managed' ? translated(words).byService : statuses.unchecked} />
  );
};

const SetUp = ({ id, report }: { readonly id: string; readonly report: Report }) => {
  const w = translated(words);
  const { host, kind, checked_at, conflicts, impressum, public_origin: origin } = report;
  return (
    <Card
      title={w.setUp(host)}
      actions={may('domain.manage') && <LinkButton text={w.records} href={`/app/${id}/domain`} />}
    >
      <ul class="lamps">
        {mechanisms.map((name) => (
          <li key={name}>
            <strong>{w.mechanisms[name]}</strong>
            <RecordLamp name={name} report={report} />
            {name === 'dmarc' && report.dmarc.policy && (
              <span class="hint">{w.policy(report.dmarc.policy)}</span>
            )}
          </li>
        ))}
        <li>
          <strong>{w.legalNotice}</strong>
          <Lamp
            tone={impressum.complete ? 'good' : 'warn'}
            text={impressum.complete ? w.complete : w.incomplete}
          />
        </li>
        <li>
          <strong>{w.publicPages}</strong>
          <Lamp
            tone={origin.reachable && origin.https ? 'good' : 'warn'}
            text={origin.reachable ? (origin.https ? w.reachable : w.noHttps) : w.unreachable}
          />
        </li>
      </ul>
      {conflicts.map(({ type, name, found }) => (
        <Note key={`${type} ${name}`} kind="bad">
          {w.conflict(type, name)} {found.join(', ')}
        </Note>
      ))}
      <p class="hint">
        {checked_at === null ? (
          kind === 'managed' && w.managed
        ) : (
          <>
            {w.checkedAt} <Time at={checked_at} />
          </>
        )}
      </p>
    </Card>
  );
};

const WINDOWS = [7, 30, 90] as const;
const USUAL_DAYS = 30;

const Deliverability = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const days = WINDOWS.find((one) => String(one) === filters.values.days) ?? USUAL_DAYS;
  const rates = useAnswer('GET /api/practices/{id}/rates', { id, days });
  const report = useAnswer('GET /api/practices/{id}/deliverability', { id, days });
  const placement = useAnswer('GET /api/practices/{id}/placement', { id });
  return (
    <>
      <Head title={w.pages.deliverability} intro={w.intro} />
      <DayTabs filters={filters} windows={WINDOWS} days={days} />
      <Loaded data={rates}>{(value) => <Rates rates={value} />}</Loaded>
      <Loaded data={report}>
        {(value) => (
          <>
            <SetUp id={id} report={value} />
            <Mix mix={value.channel_mix} />
            <Loaded data={placement}>
              {(found) => <PlacementCard placement={found} risk={value.subject_risk} />}
            </Loaded>
            {value.domain_reports && <Reports reports={value.domain_reports} />}
          </>
        )}
      </Loaded>
    </>
  );
};

export default Deliverability;
