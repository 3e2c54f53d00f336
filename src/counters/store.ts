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
  const addFate = Object.fromEntries(
    fates.map((fate) => [
      fate,
      db.prepare<[day: number, routeId: string]>(
        `INSERT INTO counters (day, route_id, accepted, ${fate}) VALUES (?, ?, 0, 1)
         ON CONFLICT (day, route_id) DO UPDATE SET ${fate} = ${fate} + 1`,
      ),
    ]),
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
    [from: number, toExclusive: number],
    { day: number; project_id: string; channel: string; accepted: number }
  >(
    `SELECT day, project_id, channel, accepted FROM channel_counters
     WHERE day >= ? AND day < ? ORDER BY day, project_id, channel`,
  );
  return {
    /** `mails`: one a recipient; `day` as `utcDay` counts. */
    addAccepted: (day: number, routeId: string, mails: number): void => {
      add.run(day, routeId, mails);
    },
    addToChannel: (day: number, projectId: string, channel: string, mails: number): void => {
      addChannel.run(day, projectId, channel, mails);
    },
    /** One mail more of that fate. */
    addFate: (day: number, routeId: string, fate: Fate): void => {
      addFate[fate]?.run(day, routeId);
    },
    /** Mails over all routes, from the first day up to, not including, the last. */
    acceptedBetween: (fromDay: number, toDayExclusive: number): number =>
      between.get(fromDay, toDayExclusive) ?? 0,
    /** Sums of the same days, of the routes that had any. */
    perRoute: (fromDay: number, toDayExclusive: number): RouteCounts[] =>
      perRoute.all(fromDay, toDayExclusive),
    perChannel: (fromDay: number, toDayExclusive: number) => perChannel.all(fromDay, toDayExclusive),
  };
});
