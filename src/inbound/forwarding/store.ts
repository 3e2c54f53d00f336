// What is sent because a mail was received, in the tenant's file: copies to addresses that it is forwarded to, and automatic
// replies.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export type ForwardStatus = 'pending' | 'sent' | 'failed' | 'suppressed';

/** A copy, or an automatic reply. */
export type Kind = 'forward' | 'reply';

export interface ForwardRow {
  seq: number;
  message_seq: number;
  kind: Kind;
  recipient: string;
  target: string;
  status: ForwardStatus;
  attempts: number;
  next_attempt_at: number | null;
  diagnostic: string | null;
  created_at: number;
  changed_at: number;
}

export type NewForward = Pick<ForwardRow, 'message_seq' | 'kind' | 'recipient' | 'target'>;

export const forwardStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewForward & { now: number }>(
    `INSERT INTO inbound_forwards (message_seq, kind, recipient, target, status, next_attempt_at, created_at, changed_at)
     VALUES (:message_seq, :kind, :recipient, :target, 'pending', :now, :now, :now)`,
  );
  const bySeq = db.prepare<[number], ForwardRow>('SELECT * FROM inbound_forwards WHERE seq = ?');
  const ofMessage = db.prepare<[number], ForwardRow>(
    'SELECT * FROM inbound_forwards WHERE message_seq = ? ORDER BY seq',
  );
  const somePending = db
    .prepare<[], number>('SELECT 1 FROM inbound_forwards WHERE next_attempt_at IS NOT NULL LIMIT 1')
    .pluck();
  const pending = db.prepare<[Kind, number], ForwardRow>(
    `SELECT * FROM inbound_forwards WHERE kind = ? AND next_attempt_at IS NOT NULL
     ORDER BY next_attempt_at LIMIT ?`,
  );
  const pendingBeyond = db.prepare<[Kind, number, number], ForwardRow>(
    `SELECT * FROM inbound_forwards WHERE kind = ? AND next_attempt_at > ? ORDER BY next_attempt_at LIMIT ?`,
  );
  const countOf = (ofTarget: string) =>
    db
      .prepare<Pick<ForwardRow, 'seq' | 'target' | 'created_at'> & { since: number; most: number }, number>(
        `SELECT count(*) FROM (
           SELECT 1 FROM inbound_forwards
           WHERE ${ofTarget} created_at > :since AND created_at <= :created_at AND seq < :seq
             AND kind = 'forward' AND status IN ('pending', 'sent') LIMIT :most)`,
      )
      .pluck();
  const countToTarget = countOf('target = :target AND');
  const countAll = countOf('');
  const claim = db.prepare<[number, number, number]>(
    'UPDATE inbound_forwards SET attempts = ?, next_attempt_at = ? WHERE seq = ?',
  );
  const update = db.prepare<
    Pick<ForwardRow, 'seq' | 'status' | 'attempts' | 'next_attempt_at' | 'diagnostic' | 'changed_at'>
  >(
    `UPDATE inbound_forwards SET status = :status, attempts = :attempts, next_attempt_at = :next_attempt_at,
       diagnostic = :diagnostic, changed_at = :changed_at WHERE seq = :seq`,
  );
  return {
    insert: (row: NewForward, now: number): void => {
      insert.run({ ...row, now });
    },
    bySeq: (seq: number): ForwardRow | undefined => bySeq.get(seq),
    ofMessage: (messageSeq: number): ForwardRow[] => ofMessage.all(messageSeq),
    hasPending: (): boolean => somePending.get() !== undefined,
    /** Those that have not ended, in the order in which they are due. */
    pending: (kind: Kind, limit: number): ForwardRow[] => pending.all(kind, limit),
    /** Those of them that are due after that time only. */
    pendingBeyond: (kind: Kind, time: number, limit: number): ForwardRow[] =>
      pendingBeyond.all(kind, time, limit),
    /**
     * Whether `most` copies, to the same target or to all, went or are to go, that were made in the time before that one. By its
     * own time and not by the present one: a clock that was set back changes nothing.
     */
    follows: (
      most: number,
      { seq, target, created_at }: ForwardRow,
      within: number,
      to: 'target' | 'all',
    ): boolean => {
      const count = to === 'target' ? countToTarget : countAll;
      return (count.get({ seq, target, created_at, since: created_at - within, most }) ?? 0) >= most;
    },
    claim: (seq: number, attempts: number, nextAttemptAt: number): void => {
      claim.run(attempts, nextAttemptAt, seq);
    },
    update: (
      row: Pick<ForwardRow, 'seq' | 'status' | 'attempts' | 'next_attempt_at' | 'diagnostic' | 'changed_at'>,
    ): void => {
      update.run(row);
    },
  };
});
