// The audit: who changed what, when, from where, what it was before and after. Written in the transaction of the change,
// in the tenant's file, or in platform.db for what belongs to no tenant. Append-only: triggers see to it.

import type { Actor, Change } from '#src/kernel/change.ts';
import { type AnyDb, perConnection } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { redact } from './redact.ts';

export interface AuditEntry {
  readonly target: { readonly type: string; readonly id: string };
  /** Records as the API shows them; null where there was or is none. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditRow {
  seq: number;
  id: string;
  at: number;
  action: string;
  actor_kind: Actor['kind'];
  actor_id: string;
  actor_name: string;
  target_type: string;
  target_id: string;
  client_address: string | null;
  request_id: string | null;
  before_json: string | null;
  after_json: string | null;
}

const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(redact(value));

export const auditStore = perConnection((db: AnyDb) => {
  const insert = db.prepare<Omit<AuditRow, 'seq'>>(
    `INSERT INTO audit (id, at, action, actor_kind, actor_id, actor_name, target_type, target_id,
                        client_address, request_id, before_json, after_json)
     VALUES (:id, :at, :action, :actor_kind, :actor_id, :actor_name, :target_type, :target_id,
             :client_address, :request_id, :before_json, :after_json)`,
  );
  const oldest = db.prepare<[], number>('SELECT at FROM audit ORDER BY seq LIMIT 1').pluck();
  const allowRemoval = db.prepare<[number]>('UPDATE audit_retention SET delete_before = ?');
  const removeOld = db.prepare<[limit: number, before: number]>(
    `DELETE FROM audit WHERE seq IN
       (SELECT seq FROM (SELECT seq, at FROM audit ORDER BY seq LIMIT ?) WHERE at < ?)`,
  );
  return {
    /** A change that left everything as it was is none. */
    record: (change: Change, { target, before, after }: AuditEntry, now: number): void => {
      change.recorded = true;
      const before_json = toJson(before);
      const after_json = toJson(after);
      if (before_json !== null && before_json === after_json) return;
      insert.run({
        id: newId(),
        at: now,
        action: change.action,
        actor_kind: change.actor.kind,
        actor_id: change.actor.id,
        actor_name: change.actor.name,
        target_type: target.type,
        target_id: target.id,
        client_address: change.clientAddress,
        request_id: change.requestId,
        before_json,
        after_json,
      });
    },
    /** When the first of those that are kept was written; undefined where there is none. */
    oldest: (): number | undefined => oldest.get(),
    /** Removes those from before `before` among the first `limit`; the result is how many. The triggers let nobody else. */
    removeOld: (before: number, limit: number): number => {
      allowRemoval.run(before);
      const { changes } = removeOld.run(limit, before);
      allowRemoval.run(0);
      return changes;
    },
  };
});
