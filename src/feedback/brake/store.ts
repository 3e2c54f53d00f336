// What tokens send on each day, which of them are slowed, and the messages that wait for that, in the tenant's file.
import { keepBeside, rememberedBy } from '#src/kernel/db/memory.ts';
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

/** Names what all tokens of the tenant sent together. */
export const ALL_TOKENS = '';

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

const nothing = {
  mails: 0,
  busiest_hour: 0,
  hard_bounced: 0,
  complaints: 0,
  is_slowed: 0,
  is_approved: 0,
} as const;

const sumOf = (before: TokenDayRow, part: Required<DayPart>): TokenDayRow => ({
  day: part.day,
  mails: before.mails + part.mails,
  busiest_hour: Math.max(before.busiest_hour, part.busiest_hour),
  hard_bounced: before.hard_bounced + part.hard_bounced,
  complaints: before.complaints + part.complaints,
  is_slowed: before.is_slowed === 1 ? 1 : part.is_slowed,
  is_approved: before.is_approved === 1 ? 1 : part.is_approved,
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
  const isAnyOld = db
    .prepare<[number, number, number], 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM token_days WHERE day < ? AND (is_approved = 0 OR day < ?))
         OR EXISTS (SELECT 1 FROM slowed_messages WHERE due_at < ?)`,
    )
    .pluck();
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

  /** What a transaction adds to days is written once, at its end. */
  const sums = new Map<string, Required<DayPart> & { tokenId: string }>();
  const writeSums = (): void => {
    for (const sum of sums.values()) add.run(sum);
    sums.clear();
  };
  keepBeside(db, { write: writeSums, forget: () => sums.clear() });
  const daysOf = rememberedBy(db, (tokenId: string): readonly TokenDayRow[] => {
    writeSums();
    return tokenId === ALL_TOKENS ? daysOfAll.all() : days.all(tokenId);
  });
  const addInMemory = (name: string, part: Required<DayPart>): void => {
    const rows = daysOf(name);
    const before = rows.find(({ day }) => day === part.day) ?? { ...nothing, day: part.day };
    daysOf.know(name, [...rows.filter(({ day }) => day !== part.day), sumOf(before, part)]);
  };
  const brakeOf = rememberedBy(db, (tokenId: string): BrakeRow => brake.get(tokenId) ?? noBrake(tokenId));
  return {
    /** In any order; `ALL_TOKENS` names the sums of all tokens, those too that were revoked. */
    days: (tokenId: string): readonly TokenDayRow[] => daysOf(tokenId),
    addToDay: (tokenId: string, given: DayPart): void => {
      const part = { ...nothing, ...given };
      const own = daysOf(tokenId).find(({ day }) => day === part.day)?.busiest_hour ?? 0;
      addInMemory(tokenId, part);
      // The sum of all tokens' busiest hours rises by what this token's does.
      const all = daysOf(ALL_TOKENS).find(({ day }) => day === part.day)?.busiest_hour ?? 0;
      addInMemory(ALL_TOKENS, { ...part, busiest_hour: all + Math.max(0, part.busiest_hour - own) });
      const key = `${part.day} ${tokenId}`;
      const before = sums.get(key);
      sums.set(key, { tokenId, ...(before === undefined ? part : sumOf(before, part)) });
    },
    /** Whether `removeOld` would remove anything. */
    isAnyOld: (day: number, approvedDay: number, before: number): boolean =>
      isAnyOld.get(day, approvedDay, before) === 1,
    /** Days before `day`, but approved ones only before `approvedDay`; messages that were due before `before`. */
    removeOld: (day: number, approvedDay: number, before: number): void => {
      removeLeft.run(before);
      if (removeDays.run(day, approvedDay).changes > 0) daysOf.forget();
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
  };
});
