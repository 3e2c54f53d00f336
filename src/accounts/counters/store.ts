// What became of mails per route and UTC day, and how many went over which channel, in the tenant's file: counted in the
// transaction of what is counted. Mails to the simulator are not.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Stream } from '#src/kernel/stream.ts';

export const countedOutcomes = [
  'sent',
  // by the upstream for good: hard and soft bounces that were never sent
  'refused',
  'delivered',
  'hard_bounced',
  'soft_bounced',
  'complaints',
  'unsubscribes',
  // recipients, once each, machines not counted
  'opens',
  'clicks',
] as const;
export type CountedOutcome = (typeof countedOutcomes)[number];

const noOutcomes = Object.fromEntries(countedOutcomes.map((outcome) => [outcome, 0])) as Record<
  CountedOutcome,
  number
>;

export interface Usage {
  /** Mails, one a recipient. */
  accepted: number;
  /** The highest share of the cap, in per cent, of which the owners were notified; 0: none. */
  notified: number;
}

export interface RouteCounts extends Record<CountedOutcome | 'accepted', number> {
  route_id: string;
}

export interface DayCounts extends Record<CountedOutcome | 'accepted', number> {
  day: number;
}

export const counterStore = perConnection((db: TenantDb) => {
  const add = db.prepare<[day: number, routeId: string, mails: number]>(
    `INSERT INTO counters (day, route_id, accepted) VALUES (?, ?, ?)
     ON CONFLICT (day, route_id) DO UPDATE SET accepted = accepted + excluded.accepted`,
  );
  const addChannel = db.prepare<[day: number, projectId: string, channel: string, mails: number]>(
    `INSERT INTO channel_counters (day, project_id, channel, accepted) VALUES (?, ?, ?, ?)
     ON CONFLICT (day, project_id, channel) DO UPDATE SET accepted = accepted + excluded.accepted`,
  );
  const addOutcomes = db.prepare<Record<CountedOutcome, number> & { day: number; messageSeq: number }>(
    `INSERT INTO counters (day, route_id, accepted, ${countedOutcomes.join(', ')})
     SELECT :day, route_id, 0, ${countedOutcomes.map((outcome) => `:${outcome}`).join(', ')} FROM messages WHERE seq = :messageSeq
     ON CONFLICT (day, route_id) DO UPDATE SET ${countedOutcomes.map((outcome) => `${outcome} = ${outcome} + excluded.${outcome}`).join(', ')}`,
  );
  const perRoute = db.prepare<[from: number, toExclusive: number], RouteCounts>(
    `SELECT route_id, sum(accepted) AS accepted, ${countedOutcomes.map((outcome) => `sum(${outcome}) AS ${outcome}`).join(', ')}
     FROM counters WHERE day >= ? AND day < ? GROUP BY route_id ORDER BY route_id`,
  );
  const sums = countedOutcomes.map((outcome) => `coalesce(sum(${outcome}), 0) AS ${outcome}`).join(', ');
  // Day by day by its key, however many routes there are.
  const ofRoute = db.prepare<{ routeId: string; from: number; to: number }, Record<CountedOutcome, number>>(
    `WITH RECURSIVE days (day) AS (SELECT :from UNION ALL SELECT day + 1 FROM days WHERE day + 1 < :to)
     SELECT ${sums} FROM days CROSS JOIN counters ON counters.day = days.day AND route_id = :routeId`,
  );
  const perDay = db.prepare<{ from: number; to: number; routeIds: string }, DayCounts>(
    `SELECT day, sum(accepted) AS accepted, ${countedOutcomes.map((outcome) => `sum(${outcome}) AS ${outcome}`).join(', ')}
     FROM counters WHERE day >= :from AND day < :to AND route_id IN (SELECT value FROM json_each(:routeIds))
     GROUP BY day ORDER BY day`,
  );
  const perChannel = db.prepare<
    { from: number; to: number; projectIds: string | null },
    { day: number; channel: string; accepted: number }
  >(
    `SELECT day, channel, sum(accepted) AS accepted FROM channel_counters
     WHERE day >= :from AND day < :to
       AND (:projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds)))
     GROUP BY day, channel ORDER BY day, channel`,
  );
  const addUsage = db.prepare<[month: string, mails: number]>(
    `INSERT INTO monthly_usage (month, accepted) VALUES (?, ?)
     ON CONFLICT (month) DO UPDATE SET accepted = accepted + excluded.accepted`,
  );
  const usage = db.prepare<[string], Usage>(
    'SELECT accepted, told AS notified FROM monthly_usage WHERE month = ?',
  );
  const setNotified = db.prepare<[month: string, told: number]>(
    `INSERT INTO monthly_usage (month, accepted, told) VALUES (?, 0, ?)
     ON CONFLICT (month) DO UPDATE SET told = max(told, excluded.told)`,
  );
  const addVolume = db.prepare<[day: number, stream: Stream, mails: number]>(
    `INSERT INTO daily_volume (day, stream, mails) VALUES (?, ?, ?)
     ON CONFLICT (stream, day) DO UPDATE SET mails = mails + excluded.mails`,
  );
  const volumes = db.prepare<[Stream, number], { day: number; mails: number }>(
    'SELECT day, mails FROM daily_volume WHERE stream = ? AND day >= ? ORDER BY day',
  );
  return {
    /** What counts towards the plan's cap. `month` as `monthOf` names it. */
    addUsage: (month: string, mails: number): void => {
      addUsage.run(month, mails);
    },
    usage: (month: string): Usage => usage.get(month) ?? { accepted: 0, notified: 0 },
    /** The owners have been notified of that share, in per cent; never lowered. */
    setNotified: (month: string, share: number): void => {
      setNotified.run(month, share);
    },
    /** Mails that will go out on `day`, whenever they were accepted. */
    addVolume: (day: number, stream: Stream, mails: number): void => {
      addVolume.run(day, stream, mails);
    },
    /** Of `fromDay` and the days after it that have any. */
    volumesFrom: (stream: Stream, fromDay: number): ReadonlyMap<number, number> =>
      new Map(volumes.all(stream, fromDay).map(({ day, mails }) => [day, mails])),
    /** `mails`: one a recipient; `day` as `utcDay` counts. */
    addAccepted: (day: number, routeId: string, mails: number): void => {
      add.run(day, routeId, mails);
    },
    addToChannel: (day: number, projectId: string, channel: string, mails: number): void => {
      addChannel.run(day, projectId, channel, mails);
    },
    /** One mail more of each of these countedOutcomes, on the route of that message. */
    addOutcomes: (day: number, messageSeq: number, came: readonly CountedOutcome[]): void => {
      const one = Object.fromEntries(
        countedOutcomes.map((outcome) => [outcome, came.includes(outcome) ? 1 : 0]),
      );
      addOutcomes.run({ ...(one as Record<CountedOutcome, number>), day, messageSeq });
    },
    /** Sums of the same days, of the routes that had any. */
    perRoute: (fromDay: number, toDayExclusive: number): RouteCounts[] =>
      perRoute.all(fromDay, toDayExclusive),
    /** Sums of one route over days, of which there is at least one. */
    ofRoute: (routeId: string, fromDay: number, toDayExclusive: number): Record<CountedOutcome, number> =>
      ofRoute.get({ routeId, from: fromDay, to: toDayExclusive }) ?? noOutcomes,
    /** Sums of these routes on each day that had any, in the order of the days. */
    perDay: (fromDay: number, toDayExclusive: number, routeIds: readonly string[]): DayCounts[] =>
      perDay.all({ from: fromDay, to: toDayExclusive, routeIds: JSON.stringify(routeIds) }),
    /** Sums of the projects of these ids (null: of all), in the order of their days. */
    perChannel: (fromDay: number, toDayExclusive: number, projects: readonly string[] | null) =>
      perChannel.all({
        from: fromDay,
        to: toDayExclusive,
        projectIds: projects && JSON.stringify(projects),
      }),
  };
});
