// The audit: who changed what, when, from where, and the record before and after. An entry is written in the transaction
// of the change, in the tenant's file, or in platform.db for what belongs to no tenant. Triggers keep it append-only.
// It is read newest first; one call looks at a bounded number of entries, because it blocks the event loop meanwhile.
import type { Actor, Change } from '#src/kernel/change.ts';
import { numbersOf } from '#src/kernel/db/numbers.ts';
import { type AnyDb, perConnection } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { redact } from '#src/kernel/redact.ts';

export interface AuditEntry {
  readonly target: { readonly type: string; readonly id: string };
  /** Records as the API shows them; null if there was or is none. */
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
  /** 1: it named a person who has been erased since. */
  is_reduced: 0 | 1;
}

const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(redact(value));

export const auditStore = perConnection((db: AnyDb) => {
  const insert = db.prepare<Omit<AuditRow, 'seq' | 'is_reduced'>>(
    `INSERT INTO audit (id, at, action, actor_kind, actor_id, actor_name, target_type, target_id,
                        client_address, request_id, before_json, after_json)
     VALUES (:id, :at, :action, :actor_kind, :actor_id, :actor_name, :target_type, :target_id,
             :client_address, :request_id, :before_json, :after_json)`,
  );
  const has = db.prepare<[string], number>('SELECT 1 FROM audit WHERE id = ?').pluck();
  const countOfMember = db
    .prepare<[string], number>(
      "SELECT count(*) FROM audit WHERE actor_kind = 'member' AND lower(actor_name) = ?",
    )
    .pluck();
  const oldest = db.prepare<[], number>('SELECT at FROM audit ORDER BY seq LIMIT 1').pluck();
  const allowRemoval = db.prepare<[number]>('UPDATE audit_retention SET delete_before = ?');
  const removeOld = db.prepare<[limit: number, before: number]>(
    `DELETE FROM audit WHERE seq IN
       (SELECT seq FROM (SELECT seq, at FROM audit ORDER BY seq LIMIT ?) WHERE at < ?)`,
  );
  return {
    /** A change that left everything as it was is not recorded. */
    record: (change: Change, { target, before, after }: AuditEntry, now: number, id = newId()): void => {
      change.recorded = true;
      const before_json = toJson(before);
      const after_json = toJson(after);
      if (before_json !== null && before_json === after_json) return;
      insert.run({
        id,
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
    has: (id: string): boolean => has.get(id) !== undefined,
    /** Counts the changes that a member made; `key` is their address in lower case. */
    countOfMember: (key: string): number => countOfMember.get(key) ?? 0,
    /** When the oldest entry was written; undefined if there is none. */
    oldest: (): number | undefined => oldest.get(),
    /** Removes those before `before` among the first `limit`; returns how many. The triggers refuse any other removal. */
    removeOld: (before: number, limit: number): number => {
      allowRemoval.run(before);
      const { changes } = removeOld.run(limit, before);
      allowRemoval.run(0);
      return changes;
    },
  };
});

export interface AuditFilter {
  /** An action (`member.update`), or a noun (`member`) for all that is done to it. */
  readonly action: string | null;
  readonly actorId: string | null;
  readonly targetId: string | null;
  readonly from: number | null;
  readonly before: number | null;
}

export interface FoundEntries {
  readonly rows: AuditRow[];
  /** Position to continue from; null if nothing older is left. */
  readonly next: number | null;
}

interface Parameters extends AuditFilter {
  readonly start: number;
  readonly end: number;
  readonly limit: number;
}

/** Some 20 ms if no entry fits. */
const ENTRIES_PER_CALL = 50_000;

export const auditSearchStore = perConnection((db: AnyDb) => {
  const find = db.prepare<Parameters, AuditRow>(
    `SELECT * FROM audit
     WHERE seq < :start AND seq >= :end
       AND (:action IS NULL OR action = :action
         OR substr(action, 1, length(:action) + 1) = :action || '.')
       AND (:actorId IS NULL OR actor_id = :actorId)
       AND (:targetId IS NULL OR target_id = :targetId)
       AND (:from IS NULL OR at >= :from)
       AND (:before IS NULL OR at < :before)
     ORDER BY seq DESC LIMIT :limit`,
  );
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM audit').pluck();
  const last = db.prepare<{ targetId: string; actions: string; end: number }, AuditRow>(
    `SELECT * FROM audit
     WHERE seq >= :end AND target_id = :targetId AND action IN (SELECT value FROM json_each(:actions))
     ORDER BY seq DESC LIMIT 1`,
  );
  const numbers = numbersOf(db, 'audit');
  return {
    /** The newest entry of one of the actions about that target, among those that one call looks at. */
    last: (targetId: string, actions: readonly string[]): AuditRow | undefined =>
      last.get({
        targetId,
        actions: JSON.stringify(actions),
        end: (newest.get() ?? 0) - ENTRIES_PER_CALL,
      }),
    /** Returns at most `limit` entries before that position; there may be fewer, even none, while more are left. */
    find: (
      filter: AuditFilter,
      position: number | null,
      limit: number,
      entriesPerCall = ENTRIES_PER_CALL,
    ): FoundEntries => {
      const start = position ?? (newest.get() ?? 0) + 1;
      const end = start - entriesPerCall;
      const rows = find.all({ ...filter, start, end, limit: limit + 1 });
      const last = rows[limit - 1];
      if (rows.length > limit && last) return { rows: rows.slice(0, limit), next: last.seq };
      const next = numbers.endBefore(end);
      return { rows, next: next > 1 ? next : null };
    },
  };
});

/** platform.db, or a tenant's file. */
export interface AuditedFile {
  read<T>(work: (db: AnyDb) => T): Promise<T>;
  write<T>(work: (db: AnyDb) => T): Promise<T>;
}

/** Some 3 ms of a transaction. */
const ENTRIES_PER_TRANSACTION = 1_000;

/** Removes entries from before `before`. Ends between two transactions when `signal` aborts; `pace` may pause after each. */
export const removeOldAudit = async (
  file: AuditedFile,
  before: number,
  signal: AbortSignal,
  pace: Pace,
  entriesPerTransaction = ENTRIES_PER_TRANSACTION,
): Promise<void> => {
  // On most days there is nothing to remove, and then nothing is written.
  const oldest = await file.read((db) => auditStore(db).oldest());
  if (oldest === undefined || oldest >= before) return;
  for (let removed = entriesPerTransaction; removed === entriesPerTransaction && !signal.aborted; )
    removed = await pace(() => file.write((db) => auditStore(db).removeOld(before, entriesPerTransaction)));
};
