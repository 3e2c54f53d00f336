// What became of the mail of some days: in figures beside those of as many days before, and day by day.
import type { ComponentChildren } from 'preact';
import type { MessageSummary, Rates } from '#api';
import type { Filters } from '#dashboard/address.ts';
import { Card, LinkButton } from '#dashboard/parts/basics.tsx';
import { allDays, Chart } from '#dashboard/parts/chart.tsx';
import { Empty } from '#dashboard/parts/feedback.tsx';
import { DayTabs } from '#dashboard/parts/filters.tsx';
import { may } from '#dashboard/session.ts';
import { number, percent, translated } from '#dashboard/words.ts';
import { compared, type Sum, trendOf } from './trend.ts';
import { words } from './words/de.ts';

/** With as many days before them; the service counts 90 days. */
export const WINDOWS = [7, 30, 45] as const;

interface FiguresProps {
  readonly now: Sum;
  readonly before: Sum;
  readonly isReported: boolean;
  readonly isMeasured: boolean;
}

const Absent = ({ text }: { readonly text: string }) => <span class="quiet">{text}</span>;

const Figures = ({ now, before, isReported, isMeasured }: FiguresProps) => {
  const w = translated(words);
  const share = (part: number, whole: number): string => (whole === 0 ? '–' : percent(part / whole));
  const shown: readonly (readonly [string, ComponentChildren, string | null])[] = [
    [w.sentMails, number(now.sent), before.sent > 0 ? number(before.sent) : null],
    isReported
      ? [
          w.delivered,
          share(now.delivered, now.sent),
          before.delivered > 0 ? share(before.delivered, before.sent) : null,
        ]
      : [w.delivered, <Absent key="delivered" text={w.notReported} />, null],
    isMeasured
      ? [w.opened, number(now.opens), before.opens > 0 ? number(before.opens) : null]
      : [w.opened, <Absent key="opened" text={w.notMeasured} />, null],
    [w.refused, share(now.bounced, now.sent), before.sent > 0 ? share(before.bounced, before.sent) : null],
  ];
  return (
    <dl class="figures">
      {shown.map(([name, value, earlier]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {typeof value === 'string' ? <strong>{value}</strong> : value}
            {earlier !== null && <div class="hint">{w.before(earlier)}</div>}
          </dd>
        </div>
      ))}
    </dl>
  );
};

interface OutcomesProps {
  readonly id: string;
  readonly rates: Rates;
  readonly filters: Filters;
  readonly days: number;
  readonly mails: readonly MessageSummary[];
}

export const Outcomes = ({ id, rates, filters, days, mails }: OutcomesProps) => {
  const w = translated(words);
  const all = allDays(rates);
  const { now, before } = compared(all, days);
  if (now.sent === 0 && before.sent === 0)
    return (
      <Card title={w.outcomes}>
        <Empty
          title={w.noMailYet}
          text={w.noMailText}
          action={may('messages.send') && <LinkButton text={w.sendFirst} href={`/app/${id}/letter`} />}
        />
      </Card>
    );
  const isReported = now.delivered > 0 || before.delivered > 0;
  // Whether openings are counted is decided for each message: one that was counted, or could have been, shows that they are.
  const isMeasured = now.opens + before.opens > 0 || mails.some(({ opened }) => opened !== null);
  const part = ({ delivered, bounced, sent }: Sum) => ({
    part: isReported ? delivered : bounced,
    whole: sent,
  });
  const trend = trendOf(part(now), part(before));
  const outcome = isReported ? w.acceptedShare : w.refusedShare;
  const share = now.sent > 0 ? outcome(percent(part(now).part / now.sent)) : '';
  const { kind, points } = trend;
  const sentence =
    kind === 'more' || kind === 'less'
      ? w.sentences[kind](share, days, points)
      : w.sentences[kind](share, days);
  const shown = all.slice(-days);
  return (
    <Card title={w.outcomes}>
      <DayTabs filters={filters} windows={WINDOWS} days={days} />
      <Figures now={now} before={before} isReported={isReported} isMeasured={isMeasured} />
      {now.sent > 0 && (
        <Chart
          title={sentence}
          note={kind === 'unknown' ? w.tooFewToCompare : undefined}
          tone={isReported ? 'good' : 'bad'}
          days={shown.map(({ day }) => day)}
          whole={{ name: w.sentMails, values: shown.map(({ sent, refused }) => sent + refused) }}
          part={{
            name: isReported ? w.delivered : w.refused,
            values: shown.map((one) => part(compared([one], 1).now).part),
          }}
        />
      )}
    </Card>
  );
};
