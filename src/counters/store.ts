// What was accepted per route and UTC day, in the tenant's file: counted in the transaction that accepts it.
import { perConnection, type TenantDb } from '#src/db/sqlite.ts';

export const counterStore = perConnection((db: TenantDb) => {
  const add = db.prepare<[day: number, routeId: string, mails: number]>(
    `INSERT INTO counters (day, route_id, accepted) VALUES (?, ?, ?)
     ON CONFLICT (day, route_id) DO UPDATE SET accepted = accepted + excluded.accepted`,
  );
  const between = db
    .prepare<[from: number, toExclusive: number], number>(
      'SELECT coalesce(sum(accepted), 0) FROM counters WHERE day >= ? AND day < ?',
    )
    .pluck();
  return {
    /** `mails`: one a recipient; `day` as `utcDay` counts. */
    addAccepted: (day: number, routeId: string, mails: number): void => {
      add.run(day, routeId, mails);
    },
    /** Mails over all routes, from the first day up to, not including, the last. */
    acceptedBetween: (fromDay: number, toDayExclusive: number): number =>
      between.get(fromDay, toDayExclusive) ?? 0,
  };
});
