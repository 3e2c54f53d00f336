// What tokens send on each day, which of them are slowed, and the messages that wait for that, in the tenant's file.
import { remembered, rememberedBy } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Outcomes, TokenDay } from './rules.ts';

export interface TokenDayRow extends TokenDay, Outcomes {}

export interface BrakeRow {
  /** '': the line of those who have no usual range of their own. */
  token_id: string;
  slowed_at: number | null;
  slowed_until: number | null;
  slowed_by: 'brake' | 'member' | 'operator' | null;
  /** A `Reason`. */
  reason_json: string | null;
  per_hour: number | null;
  is_in_common: 0 | 1;
  next_at: number | null;
  lifted_until: number | null;
  told: 0 | 1;
}

export interface SlowedMessageRow {
  message_seq: number;
  token_id: string;
  /** One a recipient. */
  mails: number;
  due_at: number;
  /** When it would be due without the brake. */
  else_due_at: number;
}

/** What is added to a token's day. */
export type DayPart = Pick<TokenDayRow, 'day'> & Partial<Omit<TokenDayRow, 'day'>>;

const noBrake = (tokenId: string): BrakeRow => ({
  token_id: tokenId,
  slowed_at: null,
  slowed_until: null,
  slowed_by: null,
  reason_json: null,
  per_hour: null,
  is_in_common: 0,
  next_at: null,
  lifted_until: null,
  told: 1,
});

export const brakeStore = perConnection((db: TenantDb) => {
  const COLUMNS = 'day, mails, busiest_hour, hard_bounced, complaints, is_slowed, is_approved';
  const days = db.prepare<[string], TokenDayRow>(
    `SELECT ${COLUMNS} FROM token_days WHERE token_id = ? ORDER BY day`,
  );
  const daysOfAll = db.prepare<[], TokenDayRow>(
    `SELECT day, sum(mails) AS mails, sum(busiest_hour) AS busiest_hour, sum(hard_bounced) AS hard_bounced,
       sum(complaints) AS complaints, max(is_slowed AND NOT is_approved) AS is_slowed, max(is_approved) AS is_approved
     FROM token_days GROUP BY day ORDER BY day`,
  );
  const add = db.prepare<Required<DayPart> & { tokenId: string }>(
    `INSERT INTO token_days (token_id, ${COLUMNS})
     VALUES (:tokenId, :day, :mails, :busiest_hour, :hard_bounced, :complaints, :is_slowed, :is_approved)
     ON CONFLICT (token_id, day) DO UPDATE SET mails = mails + excluded.mails,
       busiest_hour = max(busiest_hour, excluded.busiest_hour), hard_bounced = hard_bounced + excluded.hard_bounced,
       complaints = complaints + excluded.complaints, is_slowed = max(is_slowed, excluded.is_slowed),
       is_approved = max(is_approved, excluded.is_approved)`,
  );
  const removeDays = db.prepare<[number, number]>(
    'DELETE FROM token_days WHERE day < ? AND (is_approved = 0 OR day < ?)',
  );
  const brake = db.prepare<[string], BrakeRow>('SELECT * FROM token_brakes WHERE token_id = ?');
  const put = db.prepare<BrakeRow>(
    `INSERT OR REPLACE INTO token_brakes (token_id, slowed_at, slowed_until, slowed_by, reason_json, per_hour, is_in_common,
       next_at, lifted_until, told)
     VALUES (:token_id, :slowed_at, :slowed_until, :slowed_by, :reason_json, :per_hour, :is_in_common,
       :next_at, :lifted_until, :told)`,
  );
  const untold = db.prepare<[], BrakeRow>('SELECT * FROM token_brakes WHERE told = 0');
  const hold = db.prepare<SlowedMessageRow>(
    `INSERT INTO slowed_messages (message_seq, token_id, mails, due_at, else_due_at)
     VALUES (:message_seq, :token_id, :mails, :due_at, :else_due_at)`,
  );
  const held = db.prepare<[string, number], SlowedMessageRow>(
    'SELECT * FROM slowed_messages WHERE token_id = ? ORDER BY due_at LIMIT ?',
  );
  const waiting = db
    .prepare<[string, number], number>(
      'SELECT coalesce(sum(mails), 0) FROM slowed_messages WHERE token_id = ? AND due_at > ?',
    )
    .pluck();
  const letGo = db.prepare<[number]>('DELETE FROM slowed_messages WHERE message_seq = ?');
  const removeLeft = db.prepare<[number]>('DELETE FROM slowed_messages WHERE due_at < ?');

  const daysOf = rememberedBy(db, (tokenId: string) => days.all(tokenId));
  const allDays = remembered(db, () => daysOfAll.all());
  const brakeOf = rememberedBy(db, (tokenId: string): BrakeRow => brake.get(tokenId) ?? noBrake(tokenId));
  return {
    /** In the order of the days. */
    days: (tokenId: string): readonly TokenDayRow[] => daysOf(tokenId),
    /** The sums of all tokens, those too that were revoked. */
    daysOfAll: (): readonly TokenDayRow[] => allDays(),
    addToDay: (tokenId: string, part: DayPart): void => {
      const nothing = { mails: 0, busiest_hour: 0, hard_bounced: 0, complaints: 0 } as const;
      add.run({ tokenId, ...nothing, is_slowed: 0, is_approved: 0, ...part });
      daysOf.forget();
      allDays.forget();
    },
    /** Days before `day`, but approved ones only before `approvedDay`. */
    removeDaysBefore: (day: number, approvedDay: number): void => {
      if (removeDays.run(day, approvedDay).changes === 0) return;
      daysOf.forget();
      allDays.forget();
    },
    brake: (tokenId: string): BrakeRow => brakeOf(tokenId),
    put: (row: BrakeRow): void => {
      put.run(row);
      brakeOf.know(row.token_id, row);
    },
    /** Those of which owners and operator are not yet notified. */
    untold: (): BrakeRow[] => untold.all(),
    hold: (row: SlowedMessageRow): void => {
      hold.run(row);
    },
    /** The first messages of the token that wait, those too whose time has come. */
    held: (tokenId: string, limit: number): SlowedMessageRow[] => held.all(tokenId, limit),
    /** Mails of the token that wait. */
    waiting: (tokenId: string, now: number): number => waiting.get(tokenId, now) ?? 0,
    letGo: (messageSeq: number): void => {
      letGo.run(messageSeq);
    },
    removeLeft: (before: number): void => {
      removeLeft.run(before);
    },
  };
});
