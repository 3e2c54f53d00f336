// The guardrail's own rows: the routes it watches, and the counts of the day of a resumption before that moment.
import { counterStore } from '#src/accounts/counters/store.ts';
import { remembered } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { type Counts, windowCounters } from './rules.ts';

export interface BaselineRow extends Counts {
  readonly route_id: string;
  readonly day: number;
}

export const reputationStore = perConnection((db: TenantDb) => {
  const columns = windowCounters.join(', ');
  const watched = db.prepare<[], { route_id: string; look_on: number }>('SELECT * FROM guardrail_watch');
  const watch = db.prepare<[string, number]>(
    `INSERT INTO guardrail_watch (route_id, look_on) VALUES (?, ?)
     ON CONFLICT (route_id) DO UPDATE SET look_on = excluded.look_on`,
  );
  const unwatch = db.prepare<[string]>('DELETE FROM guardrail_watch WHERE route_id = ?');
  const baseline = db.prepare<[string], BaselineRow>('SELECT * FROM guardrail_baselines WHERE route_id = ?');
  const baselines = db.prepare<[], BaselineRow>('SELECT * FROM guardrail_baselines');
  const removeBaselines = db.prepare('DELETE FROM guardrail_baselines');
  const addBaselines = db.prepare<[number]>(
    `INSERT INTO guardrail_baselines (route_id, day, ${columns})
     SELECT route_id, day, ${windowCounters.map((name) => `sum(${name})`).join(', ')} FROM counters
     WHERE day = ? GROUP BY route_id`,
  );
  const lookOn = remembered(
    db,
    () => new Map(watched.all().map(({ route_id, look_on }) => [route_id, look_on])),
  );
  return {
    /** Whether the guardrail must look at the route again today. */
    isDue: (routeId: string, today: number): boolean => (lookOn().get(routeId) ?? Infinity) <= today,
    /** Whether the route has a hard bounce or complaint in the window. */
    isWatched: (routeId: string): boolean => lookOn().has(routeId),
    /** `day` is the result of `lookAgainOn`. */
    watch: (routeId: string, day: number | null): void => {
      if (day === null) unwatch.run(routeId);
      else watch.run(routeId, day);
      lookOn.forget();
    },
    baseline: (routeId: string): BaselineRow | undefined => baseline.get(routeId),
    baselines: (): BaselineRow[] => baselines.all(),
    /** Restarts the counts at this moment of the UTC day `today`. */
    begin: (today: number): void => {
      counterStore(db).write();
      removeBaselines.run();
      addBaselines.run(today);
    },
  };
});
