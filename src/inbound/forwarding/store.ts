// What is sent because a mail was received, in the tenant's file: copies to addresses that it is forwarded to, and automatic
// replies.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export type ForwardStatus = 'pending' | 'sent' | 'failed' | 'suppressed';

export interface ForwardRow {
  seq: number;
  message_seq: number;
  kind: 'forward' | 'reply';
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
  const pending = db.prepare<[number], ForwardRow>(
    'SELECT * FROM inbound_forwards WHERE next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT ?',
  );
  const count = db
    .prepare<[string, number, number], number>(
      `SELECT count(*) FROM inbound_forwards
       WHERE target = ? AND created_at > ? AND seq < ? AND kind = 'forward' AND status IN ('pending', 'sent')`,
    )
    .pluck();
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
    /** Those that have not ended, in the order in which they are due. */
    pending: (limit: number): ForwardRow[] => pending.all(limit),
    /** How many copies went, or are to go, to a target since then, before that one. */
    copiesBefore: ({ target, seq }: Pick<ForwardRow, 'target' | 'seq'>, since: number): number =>
      count.get(target, since, seq) ?? 0,
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
