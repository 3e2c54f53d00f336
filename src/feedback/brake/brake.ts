// Slows tokens that leave their usual range: what the rule is asked with, and what follows from its verdict, in the caller's
// transaction. The rule is in rules.ts.
import { utcDay } from '#src/accounts/counters/rules.ts';
import type { SlowedReason, TokenBrake } from '#src/accounts/entry/slowed-token.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { type Change, systemChange } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import type { TokenCounts } from './counts.ts';
import {
  type BrakeFacts,
  type BrakeLimits,
  beyondUsualOutcomes,
  type Outcomes,
  paceFor,
  RECENT_DAYS,
  SLOWED_FOR_MS,
  type UsualRange,
  usualOf,
  type Verdict,
  WINDOW_DAYS,
} from './rules.ts';
import { ALL_TOKENS, type BrakeRow, brakeStore, type SlowedMessageRow, type TokenDayRow } from './store.ts';

export interface BrakeDeps {
  readonly counts: TokenCounts;
  readonly limits: () => { readonly token_brake: BrakeLimits };
  /** A token is slowed of which owners and operator are to be notified, once the transaction is durable. */
  readonly notify: (tenantId: string) => void;
}

/** What is usual is worked out once for the same days. */
const usualByDays = new WeakMap<
  readonly TokenDayRow[],
  { readonly today: number; readonly usual: UsualRange | null }
>();
const usualOfDays = (days: readonly TokenDayRow[], today: number): UsualRange | null => {
  const known = usualByDays.get(days);
  if (known?.today === today) return known.usual;
  const usual = usualOf(days, today);
  usualByDays.set(days, { today, usual });
  return usual;
};

/** The token's own range, else that of the practice. */
const usualFor = (db: TenantDb, tokenId: string, now: number) => {
  const today = utcDay(now);
  const own = usualOfDays(brakeStore(db).days(tokenId), today);
  return own === null
    ? { isOwn: false, usual: usualOfDays(brakeStore(db).days(ALL_TOKENS), today) }
    : { isOwn: true, usual: own };
};

const lineOf = ({ token_id, is_in_common }: Pick<BrakeRow, 'token_id' | 'is_in_common'>): string =>
  is_in_common === 1 ? ALL_TOKENS : token_id;

const nextOf = (db: TenantDb, line: string): number => brakeStore(db).brake(line).next_at ?? 0;

/** When it ends by itself; null where the token is not slowed. */
export const slowedUntil = (db: TenantDb, row: BrakeRow, now: number): number | null => {
  if (row.slowed_at === null) return null;
  const until = Math.max(row.slowed_until ?? 0, nextOf(db, lineOf(row)));
  return until > now ? until : null;
};

export const isLifted = ({ lifted_until }: BrakeRow, now: number): boolean => (lifted_until ?? 0) > now;

/** What the API shows of it. */
export const brakeOf = (db: TenantDb, tokenId: string, now: number): TokenBrake => {
  const row = brakeStore(db).brake(tokenId);
  const until = slowedUntil(db, row, now);
  const isSlowed = until !== null && row.slowed_at !== null && row.slowed_by !== null;
  return {
    slowed: isSlowed
      ? {
          since: toIso(row.slowed_at as number),
          until: toIso(until),
          by: row.slowed_by as NonNullable<BrakeRow['slowed_by']>,
          reason: JSON.parse(row.reason_json ?? 'null'),
          per_hour: row.per_hour ?? 0,
          waiting: brakeStore(db).waiting(tokenId, now),
        }
      : null,
    lifted_until: isLifted(row, now) ? toIsoOrNull(row.lifted_until) : null,
  };
};

export const targetOf = (tokenId: string) => ({ type: 'token', id: tokenId });

/** The beginning of a slowing, with its audit and the note that people are to be notified. */
export const beginSlowing = (
  db: TenantDb,
  tokenId: string,
  how: Pick<BrakeRow, 'slowed_by' | 'slowed_until' | 'per_hour' | 'is_in_common'> & {
    readonly reason: SlowedReason;
  },
  change: Change,
  now: number,
): void => {
  const store = brakeStore(db);
  const { reason, ...fields } = how;
  const before = brakeOf(db, tokenId, now);
  const row = store.brake(tokenId);
  store.put({
    ...row,
    ...fields,
    slowed_at: now,
    reason_json: JSON.stringify(reason),
    lifted_until: null,
    told: 0,
  });
  store.addToDay(tokenId, { day: utcDay(now), is_slowed: 1 });
  auditStore(db).record(change, { target: targetOf(tokenId), before, after: brakeOf(db, tokenId, now) }, now);
};

const outcomesIn = (days: readonly TokenDayRow[], from: number, to: number): Outcomes => {
  const sum = { mails: 0, hard_bounced: 0, complaints: 0 };
  for (const { day, mails, hard_bounced, complaints } of days) {
    if (day < from || day >= to) continue;
    sum.mails += mails;
    sum.hard_bounced += hard_bounced;
    sum.complaints += complaints;
  }
  return sum;
};

export type Brake = ReturnType<typeof createBrake>;

export const createBrake = ({ counts, limits, notify }: BrakeDeps) => {
  const idOf = (db: TenantDb): string => tenantStore(db).practice().id;

  return {
    /** What the rule is asked with about the next mail of the token. */
    factsOf: (db: TenantDb, tokenId: string, now: number): BrakeFacts => {
      const row = brakeStore(db).brake(tokenId);
      const { isOwn, usual } = usualFor(db, tokenId, now);
      const isSlowed = slowedUntil(db, row, now) !== null;
      return {
        tokenId,
        counted: counts.of(db, idOf(db), isOwn ? tokenId : ALL_TOKENS, now),
        usual,
        limits: limits().token_brake,
        slowed: isSlowed ? { perHour: row.per_hour ?? 1, nextAt: nextOf(db, lineOf(row)) } : null,
        isLifted: isLifted(row, now),
        lineNextAt: nextOf(db, isOwn ? tokenId : ALL_TOKENS),
      };
    },
    tally: counts.tally,
    /** Stores what follows from the verdict on a message that was accepted. */
    apply: (
      db: TenantDb,
      verdict: Exclude<Verdict, { is: 'full' }>,
      message: Omit<SlowedMessageRow, 'due_at'> & { readonly due_at: number | null },
      now: number,
    ): void => {
      if (verdict.is === 'free') return;
      const { token_id: tokenId, due_at } = message;
      const store = brakeStore(db);
      if (verdict.begins) {
        const { isOwn } = usualFor(db, tokenId, now);
        const how = {
          slowed_by: 'brake',
          slowed_until: now + SLOWED_FOR_MS,
          per_hour: verdict.perHour,
          is_in_common: isOwn ? 0 : 1,
          reason: verdict.begins,
        } as const;
        beginSlowing(db, tokenId, how, systemChange('token.slow'), now);
        notify(idOf(db));
      }
      const line = store.brake(lineOf(store.brake(tokenId)));
      store.put({ ...line, next_at: verdict.nextAt });
      if (due_at !== null && due_at > message.else_due_at) store.hold({ ...message, due_at });
    },
    /** A mail of the token bounced or was reported, in the transaction that stores that. */
    countOutcome: (
      db: TenantDb,
      tokenId: string,
      outcome: 'hard_bounced' | 'complaints',
      now: number,
    ): void => {
      const store = brakeStore(db);
      const today = utcDay(now);
      store.addToDay(tokenId, { day: today, [outcome]: 1 });
      const row = store.brake(tokenId);
      if (isLifted(row, now) || slowedUntil(db, row, now) !== null) return;
      const days = store.days(tokenId);
      const from = today - RECENT_DAYS + 1;
      const recent = outcomesIn(days, from, today);
      const ofToday = outcomesIn(days, today, today + 1);
      const reason = beyondUsualOutcomes(
        {
          mails: recent.mails + counts.of(db, idOf(db), tokenId, now).day,
          hard_bounced: recent.hard_bounced + ofToday.hard_bounced,
          complaints: recent.complaints + ofToday.complaints,
        },
        outcomesIn(days, today - WINDOW_DAYS, from),
      );
      if (reason === null) return;
      const { isOwn, usual } = usualFor(db, tokenId, now);
      const how = {
        slowed_by: 'brake',
        slowed_until: now + SLOWED_FOR_MS,
        per_hour: paceFor(usual, limits().token_brake),
        is_in_common: isOwn ? 0 : 1,
        reason,
      } as const;
      beginSlowing(db, tokenId, how, systemChange('token.slow'), now);
      notify(idOf(db));
    },
    /** What is noted of a day with what the token sent on it. */
    markOf: (db: TenantDb, tokenId: string, now: number) => {
      const row = brakeStore(db).brake(tokenId);
      return {
        is_slowed: slowedUntil(db, row, now) === null ? 0 : 1,
        is_approved: isLifted(row, now) ? 1 : 0,
      } as const;
    },
    paceOf: (db: TenantDb, tokenId: string, now: number) => {
      const { isOwn, usual } = usualFor(db, tokenId, now);
      return {
        per_hour: paceFor(usual, limits().token_brake),
        is_in_common: isOwn ? 0 : 1,
      } as const;
    },
  };
};
