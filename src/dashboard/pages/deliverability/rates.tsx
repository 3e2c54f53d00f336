// Bounces and complaints of each route beside the limits at which the service pauses it, and day by day.
import type { Rates as RatesReport } from '#api';
import { givenName } from '#dashboard/given-names.ts';
import { Badge, Card, Lamp, type Tone } from '#dashboard/parts/basics.tsx';
import { allDays, Chart } from '#dashboard/parts/chart.tsx';
import { Empty } from '#dashboard/parts/feedback.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { day, number, percent, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type OfRoute = RatesReport['routes'][number];
type Guardrail = NonNullable<OfRoute['guardrail']>;

const tones: Readonly<Record<Guardrail['state'], Tone>> = { ok: 'good', watch: 'warn', paused: 'bad' };

const share = (rate: number | null): string => (rate === null ? '–' : percent(rate));

/** Half of a limit is worth a look. */
const WATCHED = 0.5;
const rateTone = (rate: number | null, limit: number): Tone => {
  if (rate === null || rate < limit * WATCHED) return 'good';
  return rate < limit ? 'warn' : 'bad';
};

const RateBeside = ({ rate, limit }: { readonly rate: number | null; readonly limit: number }) => {
  const w = translated(words);
  return (
    <div>
      <Badge tone={rateTone(rate, limit)}>{share(rate)}</Badge>
      <div class="hint">{w.limit(percent(limit))}</div>
    </div>
  );
};

const columns = (): readonly Column<OfRoute>[] => {
  const w = translated(words);
  return [
    { head: w.route, isMain: true, cell: ({ route }) => givenName(route) },
    { head: w.mails, align: 'end', cell: ({ accepted }) => number(accepted) },
    {
      head: w.refused,
      align: 'end',
      cell: ({ guardrail, bounce_rate }) =>
        guardrail ? (
          <RateBeside rate={guardrail.bounce_rate} limit={guardrail.bounce_limit} />
        ) : (
          share(bounce_rate)
        ),
    },
    {
      head: w.reportedAsSpam,
      align: 'end',
      cell: ({ guardrail, complaint_rate }) =>
        guardrail ? (
          <RateBeside rate={guardrail.complaint_rate} limit={guardrail.complaint_limit} />
        ) : (
          share(complaint_rate)
        ),
    },
    {
      head: w.state,
      cell: ({ guardrail }) =>
        guardrail && (
          <div>
            <Lamp tone={tones[guardrail.state]} text={w.guardrail[guardrail.state]} />
            <div class="hint">
              {w.since(day(guardrail.window_from), number(guardrail.messages))}{' '}
              {guardrail.messages < guardrail.min_messages && w.tooFew(number(guardrail.min_messages))}
            </div>
          </div>
        ),
    },
  ];
};

export const Rates = ({ rates }: { readonly rates: RatesReport }) => {
  const w = translated(words);
  const days = allDays(rates);
  const faults = days.map((one) => one.hard_bounced + one.soft_bounced + one.complaints);
  const sent = days.map((one) => one.sent + one.refused);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return (
    <Card title={w.refusedAndReported}>
      <p class="quiet">{w.ratesText}</p>
      {rates.routes.length === 0 ? (
        <Empty title={w.noMail} text={w.noMailText} />
      ) : (
        <Table
          caption={w.refusedAndReported}
          columns={columns()}
          rows={rates.routes}
          rowKey={({ route }) => route.id}
        />
      )}
      {sum(sent) > 0 && (
        <Chart
          title={w.faultShare(percent(Math.min(1, sum(faults) / sum(sent))))}
          tone="bad"
          days={days.map((one) => one.day)}
          whole={{ name: w.handedOver, values: sent }}
          part={{ name: w.refusedAndReported, values: faults }}
        />
      )}
    </Card>
  );
};
