// What became of the mail, day by day, and how far its refusals and complaints are from where the service pauses sending.
import { useMemo } from 'preact/hooks';
import type { Rates } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useData } from '#dashboard/data.ts';
import { Badge, Card, Tabs, type Tone } from '#dashboard/parts/basics.tsx';
import { allDays, Chart } from '#dashboard/parts/chart.tsx';
import { Empty, Loaded } from '#dashboard/parts/feedback.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { may } from '#dashboard/session.ts';
import { day, number, percent } from '#dashboard/words.ts';
import { overviewWords } from './words.ts';

const WINDOWS = [30, 90] as const;
/** Of a limit: from here on it is worth a look. */
const WATCHED = 0.5;

type OfRoute = Rates['routes'][number];
type Guardrail = NonNullable<OfRoute['guardrail']>;

const Curve = ({ rates }: { readonly rates: Rates }) => {
  const w = overviewWords();
  const { days, series } = useMemo(() => {
    const all = allDays(rates);
    return {
      days: all.map((one) => one.day),
      series: [
        { name: w.sent, colour: '--busy' as const, values: all.map(({ sent }) => sent) },
        { name: w.delivered, colour: '--good' as const, values: all.map(({ delivered }) => delivered) },
        {
          name: w.refused,
          colour: '--bad' as const,
          values: all.map(({ hard_bounced, soft_bounced }) => hard_bounced + soft_bounced),
        },
        { name: w.complaints, colour: '--warn' as const, values: all.map(({ complaints }) => complaints) },
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
    {overviewWords().ofLimit(rate === null ? '–' : percent(rate), percent(limit))}
  </Badge>
);

const columns = (): readonly Column<OfRoute & { readonly guardrail: Guardrail }>[] => {
  const w = overviewWords();
  return [
    {
      id: 'route',
      head: w.route,
      isMain: true,
      cell: ({ route, guardrail: { window_from, messages } }) => (
        <>
          {route.slug} <div class="hint">{w.since(day(window_from), messages === 1, number(messages))}</div>
        </>
      ),
    },
    {
      id: 'refused',
      head: w.refused,
      cell: ({ guardrail: { bounce_rate, bounce_limit } }) => (
        <Share rate={bounce_rate} limit={bounce_limit} />
      ),
    },
    {
      id: 'complaints',
      head: w.complaints,
      cell: ({ guardrail: { complaint_rate, complaint_limit } }) => (
        <Share rate={complaint_rate} limit={complaint_limit} />
      ),
    },
    {
      id: 'left',
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
  const w = overviewWords();
  const guarded = rates.routes.flatMap((route) =>
    route.guardrail && route.guardrail.messages > 0 ? [{ ...route, guardrail: route.guardrail }] : [],
  );
  const [first] = guarded;
  if (first === undefined) return null;
  const { bounce_limit, complaint_limit } = first.guardrail;
  return (
    <Card title={w.rates} actions={<a href={`/app/${id}/deliverability`}>{w.details}</a>}>
      <p class="quiet">{w.ratesText(percent(bounce_limit), percent(complaint_limit))}</p>
      <Table caption={w.rates} columns={columns()} rows={guarded} rowKey={({ route }) => route.id} />
    </Card>
  );
};

export const Outcomes = ({ id }: { readonly id: string }) => {
  const w = overviewWords();
  const { values, href } = useFilters();
  const days = WINDOWS.find((one) => String(one) === values.days) ?? WINDOWS[0];
  const data = useData((abort) => call('GET /api/practices/{id}/rates', { id, days }, { abort }), [id, days]);
  return (
    <Loaded data={data}>
      {(rates) => (
        <>
          <Card title={w.outcomes}>
            {rates.per_day.length === 0 ? (
              <Empty
                title={w.noMail}
                text={w.noMailText}
                action={
                  may('messages.send') && (
                    <a class="button" href={`/app/${id}/send`}>
                      {w.send}
                    </a>
                  )
                }
              />
            ) : (
              <>
                <Tabs
                  label={w.window}
                  present={String(days)}
                  tabs={WINDOWS.map((one) => ({
                    id: String(one),
                    text: w.days(one),
                    href: href({ days: String(one) }),
                  }))}
                />
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
