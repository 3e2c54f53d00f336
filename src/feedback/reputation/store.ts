// The guardrail's own rows: the routes it watches, and the counts of the day of a resumption before that moment.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { type Counts, windowCounters } from './rules.ts';

export interface BaselineRow extends Counts {
  readonly route_id: string;
  readonly day: number;
}

export const reputationStore = perConnection((db: TenantDb) => {
  const columns = windowCounters.join(', ');
  const dueOfMessage = db
    .prepare<[messageSeq: number, today: number], string>(
      `SELECT route_id FROM guardrail_watch
       WHERE route_id = (SELECT route_id FROM messages WHERE seq = ?) AND look_on <= ?`,
    )
    .pluck();
  const routeOf = db.prepare<[number], string>('SELECT route_id FROM messages WHERE seq = ?').pluck();
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
     SELECT route_id, day, ${columns} FROM counters WHERE day = ?`,
  );
  return {
    /** The route of that message if the guardrail must look at it again today. */
    dueOfMessage: (messageSeq: number, today: number): string | undefined =>
      dueOfMessage.get(messageSeq, today),
    routeOf: (messageSeq: number): string | undefined => routeOf.get(messageSeq),
    /** `lookOn` is the result of `lookAgainOn`. */
    watch: (routeId: string, lookOn: number | null): void => {
      if (lookOn === null) unwatch.run(routeId);
      else watch.run(routeId, lookOn);
    },
    baseline: (routeId: string): BaselineRow | undefined => baseline.get(routeId),
    baselines: (): BaselineRow[] => baselines.all(),
    /** Restarts the counts at this moment of the UTC day `today`. */
    begin: (today: number): void => {
      removeBaselines.run();
      addBaselines.run(today);
    },
  };
});
