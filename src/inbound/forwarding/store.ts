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
  const end = db.prepare<[number]>(
    "UPDATE inbound_forwards SET status = 'failed', next_attempt_at = NULL WHERE seq = ? AND next_attempt_at IS NOT NULL",
  );
  const HELD = "status = 'pending' AND next_attempt_at IS NULL";
  const hold = db.prepare<[number]>(
    'UPDATE inbound_forwards SET next_attempt_at = NULL WHERE next_attempt_at <= ? OR attempts > 0 AND next_attempt_at IS NOT NULL',
  );
  const heldCount = db.prepare<[], number>(`SELECT count(*) FROM inbound_forwards WHERE ${HELD}`).pluck();
  const someHeld = `seq IN (SELECT seq FROM inbound_forwards WHERE ${HELD} LIMIT :limit)`;
  const letGo = db.prepare<{ now: number; limit: number }>(
    `UPDATE inbound_forwards SET next_attempt_at = :now WHERE ${someHeld}`,
  );
  const discardHeld = db.prepare<{ diagnostic: string; now: number; limit: number }>(
    `UPDATE inbound_forwards SET status = 'failed', diagnostic = :diagnostic, changed_at = :now WHERE ${someHeld}`,
  );
  return {
    /** Called after a restore: what was due, or may be being tried, waits for a person. Returns how much. */
    hold: (now: number): number => {
      hold.run(now);
      return heldCount.get() ?? 0;
    },
    heldCount: (): number => heldCount.get() ?? 0,
    letGo: (now: number, limit: number): number => letGo.run({ now, limit }).changes,
    discardHeld: (diagnostic: string, now: number, limit: number): number =>
      discardHeld.run({ diagnostic, now, limit }).changes,
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
    /** Nothing more is tried. */
    end: (seq: number): void => {
      end.run(seq);
    },
  };
});
