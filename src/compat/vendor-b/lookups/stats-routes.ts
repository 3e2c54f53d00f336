// Vendor B's numbers, from the counters: sums of UTC days, without mail to the simulator. Opens and clicks are counted once a
// recipient, so that all and different ones are the same number.
import { z } from 'zod';
import { dayName, utcDay } from '#src/accounts/counters/rules.ts';
import { type CountedOutcome, counterStore, type DayCounts } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { messagesOf, rate } from '#src/feedback/reputation/rules.ts';
import { visiblePlaces } from '#src/feedback/suppressions/place.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { DAY } from '#src/kernel/time.ts';
import { routeOfStream } from '../streams.ts';
import { bounceTypes } from './bounce-types.ts';
import { type LookupDeps, lookup, tenantOf } from './lookups.ts';
import { filterText, periodOf, periodShape } from './page.ts';

type Counts = Pick<DayCounts, CountedOutcome>;

const statsQuery = z.object({ tag: filterText, messagestream: filterText, ...periodShape });
type StatsQuery = z.output<typeof statsQuery>;

/** Each figure of a kind of statistics, by its name in the answer. */
const figures = {
  sends: { Sent: messagesOf },
  bounces: {
    HardBounce: ({ hard_bounced }: Counts) => hard_bounced,
    SoftBounce: ({ soft_bounced }: Counts) => soft_bounced,
  },
  spam: { SpamComplaint: ({ complaints }: Counts) => complaints },
  opens: { Opens: ({ opens }: Counts) => opens, Unique: ({ opens }: Counts) => opens },
  clicks: { Clicks: ({ clicks }: Counts) => clicks, Unique: ({ clicks }: Counts) => clicks },
} as const satisfies Record<string, Readonly<Record<string, (counts: Counts) => number>>>;

type Kind = keyof typeof figures;
type Figures = Readonly<Record<string, (counts: Counts) => number>>;

const overviewSchema = z
  .strictObject({
    Sent: z.int(),
    Bounced: z.int(),
    BounceRate: z.number().describe('per cent'),
    SMTPApiErrors: z.literal(0),
    SpamComplaints: z.int(),
    SpamComplaintsRate: z.number().describe('per cent'),
    Opens: z.int().describe('once a recipient, as UniqueOpens'),
    UniqueOpens: z.int(),
    TotalClicks: z.int().describe('once a recipient, as UniqueLinksClicked'),
    UniqueLinksClicked: z.int(),
  })
  .meta({ id: 'VendorBStatistics' });

const perCent = (part: number, whole: number): number =>
  Math.round((rate(part, whole) ?? 0) * 100_000) / 1_000;

const daysOf = (db: TenantDb, query: StatsQuery, caller: Caller): DayCounts[] => {
  const { from, before } = periodOf(query);
  const routes = query.messagestream
    ? [routeOfStream(db, query.messagestream, caller)]
    : tenantStore(db)
        .routes()
        .filter(({ project_id }) => project_id === null || mayUseProject(caller, project_id));
  return counterStore(db).perDay(
    from === null ? 0 : utcDay(from),
    before === null ? Number.MAX_SAFE_INTEGER : Math.ceil(before / DAY),
    routes.map(({ id }) => id),
    caller.projects,
  );
};

const sum = (days: readonly DayCounts[], figure: (counts: Counts) => number): number =>
  days.reduce((total, day) => total + figure(day), 0);

export const statsLookups = (deps: LookupDeps): Route[] => {
  const { shape, files } = deps;
  const shared = { ...lookup(deps), method: 'get', access: 'stats.view' } as const;
  const base = `${shape.base}/stats/outbound`;

  const days = (query: StatsQuery, context: RequestContext): Promise<DayCounts[]> => {
    if (query.tag)
      throw new AppError('invalid_request', say`Numbers are not kept by tag.`, {
        hint: say`GET /api/practices/{id}/messages/search?tag= finds the messages.`,
        extra: { fields: [{ path: 'query.tag', message: say`is not taken` }] },
      });
    return files.read(tenantOf(context), (db) => daysOf(db, query, context.caller));
  };

  const perDay = (kind: Kind) => {
    const own: Figures = figures[kind];
    const shapeOf = Object.fromEntries(Object.keys(own).map((name) => [name, z.int()]));
    return defineRoute({
      ...shared,
      path: `${base}/${kind}`,
      id: `vendorbCount${kind[0]?.toUpperCase()}${kind.slice(1)}`,
      summary: `Statistics: ${kind}`,
      query: statsQuery,
      responses: {
        200: {
          description: 'In all, and on each UTC day that has any mail.',
          body: z.strictObject({
            Days: z.array(z.strictObject({ Date: z.iso.date(), ...shapeOf })),
            ...shapeOf,
          }),
        },
      },
      handle: async ({ query }, context) => {
        const rows = await days(query, context);
        const read = (value: (figure: (counts: Counts) => number) => number) =>
          Object.fromEntries(Object.entries(own).map(([name, figure]) => [name, value(figure)]));
        return {
          status: 200,
          body: {
            Days: rows.map((day) => ({ Date: dayName(day.day), ...read((figure) => figure(day)) })),
            ...read((figure) => sum(rows, figure)),
          },
        };
      },
    });
  };

  const delivery = (name: string) =>
    defineRoute({
      ...shared,
      path: `${shape.base}/${name}`,
      id: name === 'deliverystats' ? 'vendorbCountTypes' : 'vendorbCountTypesToo',
      summary: 'How many bounces of each type, and how many addresses are suppressed',
      description:
        'Soft bounces of all types are counted together. At most the newest 50,000 suppressions are counted.',
      responses: {
        200: {
          description: 'Since the practice began.',
          body: z.strictObject({
            InactiveMails: z.int(),
            Bounces: z.array(
              z.strictObject({ Name: z.string(), Count: z.int(), Type: z.string().optional() }),
            ),
          }),
        },
      },
      handle: async (_, context) => {
        const body = await files.read(tenantOf(context), (db) => {
          const rows = daysOf(db, {}, context.caller);
          const counts = [
            ['HardBounce', sum(rows, ({ hard_bounced }) => hard_bounced)],
            ['SoftBounce', sum(rows, ({ soft_bounced }) => soft_bounced)],
            ['SpamComplaint', sum(rows, ({ complaints }) => complaints)],
            ['Unsubscribe', sum(rows, ({ unsubscribes }) => unsubscribes)],
          ] as const;
          return {
            InactiveMails: suppressionStore(db).count(visiblePlaces(db, context.caller)),
            Bounces: [
              { Name: 'All', Count: counts.reduce((all, [, count]) => all + count, 0) },
              ...counts.map(([Type, Count]) => ({ Type, Name: bounceTypes[Type].name, Count })),
            ],
          };
        });
        return { status: 200, body };
      },
    });

  return [
    defineRoute({
      ...shared,
      path: base,
      id: 'vendorbGetStatistics',
      summary: 'What became of mails, in all',
      description: 'Only what is counted is in it.',
      query: statsQuery,
      responses: { 200: { description: 'Sums of the days asked for, else of all.', body: overviewSchema } },
      handle: async ({ query }, context) => {
        const rows = await days(query, context);
        const of = (outcome: CountedOutcome): number => sum(rows, (counts) => counts[outcome]);
        const Sent = sum(rows, messagesOf);
        const Bounced = of('hard_bounced') + of('soft_bounced');
        const opens = of('opens');
        const clicks = of('clicks');
        const body: z.infer<typeof overviewSchema> = {
          Sent,
          Bounced,
          BounceRate: perCent(Bounced, Sent),
          SMTPApiErrors: 0,
          SpamComplaints: of('complaints'),
          SpamComplaintsRate: perCent(of('complaints'), Sent),
          Opens: opens,
          UniqueOpens: opens,
          TotalClicks: clicks,
          UniqueLinksClicked: clicks,
        };
        return { status: 200, body };
      },
    }),
    ...(Object.keys(figures) as Kind[]).map(perDay),
    // Its documents and its clients write the path in two ways.
    delivery('deliverystats'),
    delivery('deliveryStats'),
  ];
};
