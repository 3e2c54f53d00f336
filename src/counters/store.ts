// What became of mails per route and UTC day, and how many went over which channel, in the tenant's file: counted in the
// transaction of what is counted. Mails to the simulator are not.
import { perConnection, type TenantDb } from '#src/db/sqlite.ts';

export const fates = [
  'sent',
  'delivered',
  'hard_bounced',
  'soft_bounced',
  'complaints',
  'unsubscribes',
] as const;
export type Fate = (typeof fates)[number];

export interface RouteCounts extends Record<Fate | 'accepted', number> {
  route_id: string;
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
  const addFates = db.prepare<Record<Fate, number> & { day: number; messageSeq: number }>(
    `INSERT INTO counters (day, route_id, accepted, ${fates.join(', ')})
     SELECT :day, route_id, 0, ${fates.map((fate) => `:${fate}`).join(', ')} FROM messages WHERE seq = :messageSeq
     ON CONFLICT (day, route_id) DO UPDATE SET ${fates.map((fate) => `${fate} = ${fate} + excluded.${fate}`).join(', ')}`,
  );
  const between = db
    .prepare<[from: number, toExclusive: number], number>(
      'SELECT coalesce(sum(accepted), 0) FROM counters WHERE day >= ? AND day < ?',
    )
    .pluck();
  const perRoute = db.prepare<[from: number, toExclusive: number], RouteCounts>(
    `SELECT route_id, sum(accepted) AS accepted, ${fates.map((fate) => `sum(${fate}) AS ${fate}`).join(', ')}
     FROM counters WHERE day >= ? AND day < ? GROUP BY route_id ORDER BY route_id`,
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
  return {
    /** `mails`: one a recipient; `day` as `utcDay` counts. */
    addAccepted: (day: number, routeId: string, mails: number): void => {
      add.run(day, routeId, mails);
    },
    addToChannel: (day: number, projectId: string, channel: string, mails: number): void => {
      addChannel.run(day, projectId, channel, mails);
    },
    /** One mail more of each of these fates, on the route of that message. */
    addFates: (day: number, messageSeq: number, came: readonly Fate[]): void => {
      const one = Object.fromEntries(fates.map((fate) => [fate, came.includes(fate) ? 1 : 0]));
      addFates.run({ ...(one as Record<Fate, number>), day, messageSeq });
    },
    /** Mails over all routes, from the first day up to, not including, the last. */
    acceptedBetween: (fromDay: number, toDayExclusive: number): number =>
      between.get(fromDay, toDayExclusive) ?? 0,
    /** Sums of the same days, of the routes that had any. */
    perRoute: (fromDay: number, toDayExclusive: number): RouteCounts[] =>
      perRoute.all(fromDay, toDayExclusive),
    /** Sums of the projects of these ids (null: of all), in the order of their days. */
    perChannel: (fromDay: number, toDayExclusive: number, projects: readonly string[] | null) =>
      perChannel.all({
        from: fromDay,
        to: toDayExclusive,
        projectIds: projects && JSON.stringify(projects),
      }),
  };
});
