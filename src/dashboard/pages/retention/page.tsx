// How long what is kept.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Retention as Settings } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Card, Head } from '#dashboard/parts/basics.tsx';
import { Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField } from '#dashboard/parts/form.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type Kind = keyof Settings;
const kinds = ['bodies', 'attachments', 'events', 'messages', 'consent_ip', 'consent_user_agent'] as const;
/** Kept as long as the consent unless the practice chooses; it need not be written at all. */
const OF_CONSENT: ReadonlySet<Kind> = new Set(['consent_ip', 'consent_user_agent']);

const typedOf = (settings: Settings): Record<Kind, string> =>
  Object.fromEntries(kinds.map((kind) => [kind, String(settings[kind].practice_days ?? '')])) as Record<
    Kind,
    string
  >;

const chosenIn = (settings: Settings) =>
  Object.fromEntries(kinds.map((kind) => [kind, settings[kind].practice_days]));

const RetentionForm = ({
  id,
  settings,
  onSaved,
}: {
  readonly id: string;
  readonly settings: Settings;
  readonly onSaved: (settings: Settings) => void;
}) => {
  const w = translated(words);
  const [typed, setTyped] = useState(typedOf(settings));
  useLayoutEffect(() => setTyped(typedOf(settings)), [settings]);
  const action = useAction(async () => {
    const body = Object.fromEntries(
      kinds.map((kind) => [kind, typed[kind] === '' ? null : Number(typed[kind])]),
    );
    const over = { record: settings, fields: chosenIn, names: w.kinds, take: onSaved };
    onSaved(await call('PATCH /api/practices/{id}/retention', { id, body }, { over }));
    toast(w.saved);
  });
  return (
    <Form action={action} submit={w.save}>
      <p class="quiet">{w.how}</p>
      <div class="columns">
        {kinds.map((kind) => {
          const { days, installation_days: most } = settings[kind];
          return (
            <TextField
              key={kind}
              label={w.kinds[kind]}
              path={kind}
              type="number"
              min={OF_CONSENT.has(kind) ? 0 : 1}
              max={most}
              value={typed[kind]}
              placeholder={w.asLong}
              onValue={(value) => setTyped({ ...typed, [kind]: value })}
              hint={`${w.explanations[kind]} ${OF_CONSENT.has(kind) ? w.withConsent(most) : w.inForce(days, most)}`}
            />
          );
        })}
      </div>
    </Form>
  );
};

/** For who may only look. */
const Periods = ({ settings }: { readonly settings: Settings }) => {
  const w = translated(words);
  return (
    <Table
      caption={w.pages.retention}
      rows={kinds}
      rowKey={(kind) => kind}
      columns={[
        {
          head: w.what,
          isMain: true,
          cell: (kind) => (
            <>
              {w.kinds[kind]}
              <div class="hint">{w.explanations[kind]}</div>
            </>
          ),
        },
        {
          head: w.period,
          align: 'end',
          cell: (kind) => {
            const { days, practice_days } = settings[kind];
            return OF_CONSENT.has(kind) && practice_days === null && days > 0
              ? w.withConsentShort(days)
              : w.days(days);
          },
        },
      ]}
    />
  );
};

const Retention = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const data = useAnswer('GET /api/practices/{id}/retention', { id });
  return (
    <>
      <Head title={w.pages.retention} intro={w.intro} />
      <Loaded data={data}>
        {(settings) => (
          <Card>
            {may('practice.manage') ? (
              <RetentionForm id={id} settings={settings} onSaved={data.replace} />
            ) : (
              <Periods settings={settings} />
            )}
          </Card>
        )}
      </Loaded>
    </>
  );
};

export default Retention;
