// Deliveries, in the tenant's file. Of those to one webhook with one order key that are pending, exactly one has a time: the
// others wait for it without, and the oldest of them gets one when it ends. A test has a key for itself.
import { type Each, eachRow, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { OldRows } from '#src/kernel/old-rows.ts';
import type { deliveryStatuses } from './schema.ts';

export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface DeliveryRow {
  seq: number;
  id: string;
  /** Its number. */
  webhook: number;
  event: string;
  /** The number in the log; a test has none. */
  event_seq: number | null;
  order_key: number;
  status: DeliveryStatus;
  attempts: number;
  /** Attempts before the last replay. */
  attempts_before: number;
  /** Null where it is not pending, or an earlier one is to go first. */
  next_attempt_at: number | null;
  response_status: number | null;
  response_excerpt: string | null;
  error: string | null;
  created_at: number;
  updated_at: number;
}

export type NewDelivery = Pick<
  DeliveryRow,
  'id' | 'webhook' | 'event' | 'event_seq' | 'order_key' | 'created_at'
>;
export type Claimed = Pick<DeliveryRow, 'seq' | 'attempts' | 'next_attempt_at' | 'updated_at'>;
/** What the receiver answered last, and why that is a failure. */
export type Answer = Pick<DeliveryRow, 'response_status' | 'response_excerpt' | 'error'>;
type Ended = Answer & Pick<DeliveryRow, 'seq' | 'status' | 'next_attempt_at' | 'updated_at'>;

export interface DeliveryFilter {
  readonly status: DeliveryStatus | null;
  readonly event: string | null;
}

export interface FoundDeliveries {
  readonly rows: readonly DeliveryRow[];
  /** Where the next page begins; null where there is nothing more. */
  readonly next: number | null;
}

export interface NewestDeliveries {
  deliveries: number;
  delivered: number;
  failed: number;
  last_success_at: number | null;
  last_failure_at: number | null;
}

const WAITING_COUNTED = 10_000;

/** Looked through at one call, in some milliseconds: a filter may fit to few. */
const ROWS_PER_CALL = 2_000;

/** What is neither delivered nor looked for among others is found by an index of its own: it may be rare. */
const UNDELIVERED = "status <> 'delivered' AND status = :status";
const ANY = '(:status IS NULL OR status = :status)';

type Window = Record<'webhook' | 'before', number> & DeliveryFilter;

/** Newest first: the fewest rows that hold what is looked for, or show how far it was looked. */
const windowOf = (where: string): string =>
  `FROM webhook_deliveries WHERE webhook = :webhook AND ${where} AND seq < :before ORDER BY seq DESC`;

/** A pending delivery stays. The body of a delivery is made from its event, so it is not stored, and it is kept no longer. */
export const oldDeliveries: OldRows = {
  keptFor: ({ webhook_deliveries, events }) => Math.min(webhook_deliveries, events),
  scan: `SELECT seq AS key, created_at AS at, updated_at AS since,
           coalesce(octet_length(response_excerpt), 0) + coalesce(octet_length(error), 0) AS bytes, status = 'pending' AS held
         FROM webhook_deliveries WHERE seq > ? ORDER BY seq`,
  remove: ["DELETE FROM webhook_deliveries WHERE seq = ? AND status <> 'pending'"],
};

export const deliveryStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewDelivery>(
    `INSERT INTO webhook_deliveries (id, webhook, event, event_seq, order_key, status, next_attempt_at, created_at, updated_at)
     VALUES (:id, :webhook, :event, :event_seq, :order_key, 'pending',
       CASE WHEN EXISTS (SELECT 1 FROM webhook_deliveries
                         WHERE webhook = :webhook AND order_key = :order_key AND status = 'pending')
            THEN NULL ELSE :created_at END, :created_at, :created_at)`,
  );
  const insertFailed = db.prepare<NewDelivery & { error: string }>(
    `INSERT INTO webhook_deliveries (id, webhook, event, event_seq, order_key, status, error, created_at, updated_at)
     VALUES (:id, :webhook, :event, :event_seq, :order_key, 'failed', :error, :created_at, :created_at)`,
  );
  const insertTest = db.prepare<NewDelivery & { next_attempt_at: number }>(
    `INSERT INTO webhook_deliveries
       (id, webhook, event, event_seq, order_key, status, attempts, next_attempt_at, created_at, updated_at)
     VALUES (:id, :webhook, :event, :event_seq, :order_key, 'pending', 1, :next_attempt_at, :created_at, :created_at)`,
  );
  const bySeq = db.prepare<[number], DeliveryRow>('SELECT * FROM webhook_deliveries WHERE seq = ?');
  const byId = db.prepare<[string, number], DeliveryRow>(
    'SELECT * FROM webhook_deliveries WHERE id = ? AND webhook = ?',
  );
  const heads = db.prepare<[number], DeliveryRow>(
    `SELECT * FROM webhook_deliveries
     WHERE webhook = ? AND status = 'pending' AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at, seq`,
  );
  const headsBeyond = db.prepare<[number, number], DeliveryRow>(
    `SELECT * FROM webhook_deliveries
     WHERE webhook = ? AND status = 'pending' AND next_attempt_at > ? ORDER BY next_attempt_at, seq`,
  );
  const pending = db
    .prepare<[number], number>(
      `SELECT seq FROM webhook_deliveries
       WHERE webhook = ? AND status <> 'delivered' AND status = 'pending' ORDER BY seq`,
    )
    .pluck();
  const failed = db.prepare<[number, number, number], DeliveryRow>(
    `SELECT * FROM webhook_deliveries
     WHERE webhook = ? AND status <> 'delivered' AND status = 'failed' AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const newest = db.prepare<[number, number], NewestDeliveries>(
    `SELECT count(*) AS deliveries, coalesce(sum(status = 'delivered'), 0) AS delivered, coalesce(sum(status = 'failed'), 0) AS failed,
       max(CASE WHEN status = 'delivered' THEN updated_at END) AS last_success_at,
       max(CASE WHEN status = 'failed' OR status = 'pending' AND attempts > attempts_before AND error IS NOT NULL
                THEN updated_at END) AS last_failure_at
     FROM (SELECT * FROM webhook_deliveries WHERE webhook = ? ORDER BY seq DESC LIMIT ?)`,
  );
  const waiting = db.prepare<[number, number], { waiting: number; oldest: number | null }>(
    `SELECT count(*) AS waiting, min(created_at) AS oldest FROM
       (SELECT created_at FROM webhook_deliveries
        WHERE webhook = ? AND status <> 'delivered' AND status = 'pending' ORDER BY seq LIMIT ?)`,
  );
  const claim = db.prepare<Claimed>(
    `UPDATE webhook_deliveries SET attempts = :attempts, next_attempt_at = :next_attempt_at, updated_at = :updated_at
     WHERE seq = :seq`,
  );
  const giveBack = db.prepare<{ seq: number; attempt: number; before: number; now: number }>(
    `UPDATE webhook_deliveries SET attempts = :before, attempts_before = min(attempts_before, :before),
       next_attempt_at = :now, updated_at = :now
     WHERE seq = :seq AND status = 'pending' AND attempts = :attempt`,
  );
  const setAnswer = db.prepare<Ended>(
    `UPDATE webhook_deliveries SET status = :status, next_attempt_at = :next_attempt_at, response_status = :response_status,
       response_excerpt = :response_excerpt, error = :error, updated_at = :updated_at
     WHERE seq = :seq`,
  );
  const letNextGo = db.prepare<[number, number, number]>(
    `UPDATE webhook_deliveries SET next_attempt_at = ?
     WHERE next_attempt_at IS NULL AND seq =
       (SELECT seq FROM webhook_deliveries WHERE webhook = ? AND order_key = ? AND status = 'pending' ORDER BY seq LIMIT 1)`,
  );
  const hasPending = db
    .prepare<[number, number], number>(
      "SELECT 1 FROM webhook_deliveries WHERE webhook = ? AND order_key = ? AND status = 'pending' LIMIT 1",
    )
    .pluck();
  const putBack = db.prepare<[number | null, number, number]>(
    `UPDATE webhook_deliveries SET status = 'pending', attempts_before = attempts, next_attempt_at = ?, updated_at = ?
     WHERE seq = ?`,
  );
  // The statement looks by the order key, because many deliveries may have a time.
  const hasten = db.prepare<[number, number, number, number]>(
    `UPDATE webhook_deliveries SET next_attempt_at = ?
     WHERE webhook = ? AND order_key = ? AND status = 'pending' AND +next_attempt_at > ?`,
  );
  const removeSome = db.prepare<[number, number]>(
    'DELETE FROM webhook_deliveries WHERE seq IN (SELECT seq FROM webhook_deliveries WHERE webhook = ? LIMIT ?)',
  );
  const pagesOf = (where: string) => ({
    rows: db.prepare<Window & { rows: number; limit: number }, DeliveryRow>(
      `SELECT * FROM (SELECT * ${windowOf(where)} LIMIT :rows)
       WHERE ${ANY} AND (:event IS NULL OR event = :event) ORDER BY seq DESC LIMIT :limit`,
    ),
    edge: db
      .prepare<Window & { rows: number }, number>(`SELECT seq ${windowOf(where)} LIMIT 1 OFFSET :rows - 1`)
      .pluck(),
  });
  const inLog = pagesOf('true');
  const undelivered = pagesOf(UNDELIVERED);

  /** The oldest that waits for it is due. None waits behind one that itself waits, nor behind a test. */
  const finish = (
    { seq, webhook, order_key, event_seq, next_attempt_at }: DeliveryRow,
    ended: Answer & { readonly status: 'delivered' | 'failed' },
    now: number,
  ): void => {
    setAnswer.run({ ...ended, seq, next_attempt_at: null, updated_at: now });
    if (next_attempt_at !== null && event_seq !== null) letNextGo.run(now, webhook, order_key);
  };
  return {
    /** Pending: due now, or behind what is pending with the same key. */
    insert: (row: NewDelivery): void => {
      insert.run(row);
    },
    /** Failed without an attempt. */
    insertFailed: (row: NewDelivery, error: string): void => {
      insertFailed.run({ ...row, error });
    },
    /** Pending, at its only attempt; the result is its seq. */
    insertTest: (row: NewDelivery, next_attempt_at: number): number =>
      Number(insertTest.run({ ...row, next_attempt_at }).lastInsertRowid),
    bySeq: (seq: number): DeliveryRow | undefined => bySeq.get(seq),
    /** The delivery is one of that webhook. */
    byId: (webhook: number, id: string): DeliveryRow | undefined => byId.get(id, webhook),
    /** Pending ones that have a time, in its order. */
    heads: (webhook: number): Each<DeliveryRow> => eachRow(heads, webhook),
    /** The same, of those whose time is after `at`. */
    headsBeyond: (webhook: number, at: number): Each<DeliveryRow> => eachRow(headsBeyond, webhook, at),
    /** The seqs of the oldest that are pending, with or without a time, but for those that `isLeftOut` names. */
    pendingBut: (webhook: number, limit: number, isLeftOut: (seq: number) => boolean): number[] => {
      const seqs: number[] = [];
      if (limit <= 0) return seqs;
      const rows = eachRow(pending, webhook);
      rows((seq) => {
        if (!isLeftOut(seq)) seqs.push(seq);
        return seqs.length < limit;
      });
      return seqs;
    },
    /** Failed ones in the order they were made, after `seq`. */
    failedAfter: (webhook: number, seq: number, limit: number): DeliveryRow[] =>
      failed.all(webhook, seq, limit),
    /** What became of the newest `limit`. */
    newest: (webhook: number, limit: number): NewestDeliveries =>
      newest.get(webhook, limit) as NewestDeliveries,
    /** Counts up to 10,000. */
    waiting: (webhook: number) => waiting.get(webhook, WAITING_COUNTED) ?? { waiting: 0, oldest: null },
    claim: (claimed: Claimed): void => {
      claim.run(claimed);
    },
    /** An attempt that was not made; nothing where it is not that any more. */
    giveBack: (seq: number, attempt: number, now: number): void => {
      giveBack.run({ seq, attempt, before: attempt - 1, now });
    },
    /** Pending: what was answered, and when it is tried again. */
    retryAt: (seq: number, at: number, answer: Answer, now: number): void => {
      setAnswer.run({ ...answer, seq, status: 'pending', next_attempt_at: at, updated_at: now });
    },
    end: finish,
    /** Ends a pending one without another attempt: what was answered last stays with it. */
    fail: (row: DeliveryRow, error: string, now: number): void => {
      const { response_status, response_excerpt } = row;
      finish(row, { status: 'failed', response_status, response_excerpt, error }, now);
    },
    /** Whether any with that key is pending. */
    hasPending: (webhook: number, orderKey: number): boolean =>
      hasPending.get(webhook, orderKey) !== undefined,
    /** Pending again, with the schedule from its beginning; `at` null: behind another with its key. */
    putBack: (seq: number, at: number | null, now: number): void => {
      putBack.run(at, now, seq);
    },
    /** Whichever of that key has a time after `at` is due at `at`. */
    hasten: (webhook: number, orderKey: number, at: number): void => {
      hasten.run(at, webhook, orderKey, at);
    },
    /** Removes at most `limit` deliveries of a webhook; the result is how many. */
    removeSome: (webhook: number, limit: number): number => removeSome.run(webhook, limit).changes,
    /** Returns at most `limit` of those before `before`, newest first; maybe fewer, even none, though more are left. */
    find: (
      webhook: number,
      filter: DeliveryFilter,
      before: number | null,
      limit: number,
      rowsPerCall = ROWS_PER_CALL,
    ): FoundDeliveries => {
      const { rows, edge } = filter.status === null || filter.status === 'delivered' ? inLog : undelivered;
      const window = { ...filter, webhook, before: before ?? Number.MAX_SAFE_INTEGER, rows: rowsPerCall };
      const found = rows.all({ ...window, limit: limit + 1 });
      const last = found[limit - 1];
      if (found.length > limit && last) return { rows: found.slice(0, limit), next: last.seq };
      return { rows: found, next: edge.get(window) ?? null };
    },
  };
});
