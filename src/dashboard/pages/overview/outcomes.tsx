// What became of the mail, day by day, and how far its refusals and complaints are from where the service pauses sending.
import { useMemo } from 'preact/hooks';
import type { Rates } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { useAnswer } from '#dashboard/data.ts';
import { givenName } from '#dashboard/given-names.ts';
import { Badge, Card, LinkButton, type Tone } from '#dashboard/parts/basics.tsx';
import { allDays, Chart } from '#dashboard/parts/chart.tsx';
import { Empty, Loaded } from '#dashboard/parts/feedback.tsx';
import { DayTabs } from '#dashboard/parts/filters.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { may } from '#dashboard/session.ts';
import { day, number, percent, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const WINDOWS = [30, 90] as const;
/** A rate is worth a look from this share of a limit on. */
const WATCHED = 0.5;

type OfRoute = Rates['routes'][number];
type Guardrail = NonNullable<OfRoute['guardrail']>;

const Curve = ({ rates }: { readonly rates: Rates }) => {
  const w = translated(words);
  const { days, series } = useMemo(() => {
    const all = allDays(rates);
    return {
      days: all.map((one) => one.day),
      series: [
        { name: w.handedOver, colour: '--busy' as const, values: all.map(({ sent }) => sent) },
        { name: w.delivered, colour: '--good' as const, values: all.map(({ delivered }) => delivered) },
        {
          name: w.refused,
          colour: '--bad' as const,
          values: all.map(({ hard_bounced, soft_bounced }) => hard_bounced + soft_bounced),
        },
        {
          name: w.reportedAsSpam,
          colour: '--warn' as const,
          values: all.map(({ complaints }) => complaints),
        },
      ],
    };
  }, [rates, w]);
  return <Chart title={w.perDay} days={days} series={series} />;
};

const toneOf = (rate: number | null, limit: number): Tone => {
  if (rate === null) return 'plain';
  if (rate >= limit) return 'bad';
  return rate >= limit * WATCHED ? 'warn' : 'good';
};

const Share = ({ rate, limit }: { readonly rate: number | null; readonly limit: number }) => (
  <Badge tone={toneOf(rate, limit)}>
    {translated(words).ofLimit(rate === null ? '–' : percent(rate), percent(limit))}
  </Badge>
);

const columns = (): readonly Column<OfRoute & { readonly guardrail: Guardrail }>[] => {
  const w = translated(words);
  return [
    {
      head: w.route,
      isMain: true,
      cell: ({ route, guardrail: { window_from, messages } }) => (
        <>
          {givenName(route)} <div class="hint">{w.since(day(window_from), messages)}</div>
        </>
      ),
    },
    {
      head: w.refused,
      cell: ({ guardrail: { bounce_rate, bounce_limit } }) => (
        <Share rate={bounce_rate} limit={bounce_limit} />
      ),
    },
    {
      head: w.reportedAsSpam,
      cell: ({ guardrail: { complaint_rate, complaint_limit } }) => (
        <Share rate={complaint_rate} limit={complaint_limit} />
      ),
    },
    {
      head: w.left,
      cell: ({ guardrail: { messages, min_messages, hard_bounces_left, complaints_left } }) =>
        messages < min_messages ? (
          <span class="quiet">{w.tooFew(number(min_messages))}</span>
        ) : (
          w.leftText(hard_bounces_left, complaints_left)
        ),
    },
  ];
};

const RatesCard = ({ id, rates }: { readonly id: string; readonly rates: Rates }) => {
  const w = translated(words);
  const guarded = rates.routes.flatMap((route) =>
    route.guardrail && route.guardrail.messages > 0 ? [{ ...route, guardrail: route.guardrail }] : [],
  );
  const [first] = guarded;
  if (first === undefined) return null;
  const { bounce_limit, complaint_limit } = first.guardrail;
  return (
    <Card title={w.refusedAndReported} actions={<a href={`/app/${id}/deliverability`}>{w.details}</a>}>
      <p class="quiet">{w.ratesText(percent(bounce_limit), percent(complaint_limit))}</p>
      <Table
        caption={w.refusedAndReported}
        columns={columns()}
        rows={guarded}
        rowKey={({ route }) => route.id}
      />
    </Card>
  );
};

export const Outcomes = ({ id }: { readonly id: string }) => {
  const w = translated(words);
  const filters = useFilters();
  const days = WINDOWS.find((one) => String(one) === filters.values.days) ?? WINDOWS[0];
  const data = useAnswer('GET /api/practices/{id}/rates', { id, days });
  return (
    <Loaded data={data}>
      {(rates) => (
        <>
          <Card title={w.outcomes}>
            {rates.per_day.length === 0 ? (
              <Empty
                title={w.noMailYet}
                text={w.noMailText}
                action={may('messages.send') && <LinkButton text={w.sendFirst} href={`/app/${id}/letter`} />}
              />
            ) : (
              <>
                <DayTabs filters={filters} windows={WINDOWS} days={days} />
                <Curve rates={rates} />
              </>
            )}
          </Card>
          <RatesCard id={id} rates={rates} />
        </>
      )}
    </Loaded>
  );
};
