// What people do about slowed tokens, with its audit. What waits is released or discarded in several transactions, because it may be
// thousands of messages: after a crash in between the rest leaves at its pace, or is discarded by the next call.
import { utcDay } from '#src/accounts/counters/rules.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { lanes } from '#src/kernel/stream.ts';
import { HOUR } from '#src/kernel/time.ts';
import type { Messages } from '#src/messages/open.ts';
import { discard } from '#src/messages/queue/discard.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { type Brake, beginSlowing, brakeOf, slowedUntil, targetOf } from './brake.ts';
import { brakeStore } from './store.ts';

const MESSAGES_PER_TRANSACTION = 500;
const DISCARDED = 'discarded: a person found that the token which sent it was misused';

const requireOwn = (db: TenantDb, tokenId: string, isOperator: boolean, now: number): void => {
  const row = brakeStore(db).brake(tokenId);
  if (isOperator || row.slowed_by !== 'operator' || slowedUntil(db, row, now) === null) return;
  throw new AppError('forbidden', say`The operator has slowed the token, and alone lifts that.`, {
    hint: say`Write to the operator.`,
    extra: { permission: 'tokens.manage' },
  });
};

/** Throws `forbidden` where the operator has slowed it. */
export const slowByHand = (
  db: TenantDb,
  brake: Brake,
  tokenId: string,
  how: { readonly hours: number; readonly note?: string | undefined; readonly isOperator: boolean },
  change: Change,
  now: number,
): void => {
  requireOwn(db, tokenId, how.isOperator, now);
  const pace = brake.paceOf(db, tokenId, now);
  const reason = {
    measure: 'by_hand',
    count: 0,
    whole: null,
    usual: 0,
    limit: 0,
    note: how.note ?? null,
  } as const;
  const by = how.isOperator ? 'operator' : 'member';
  beginSlowing(
    db,
    tokenId,
    { ...pace, slowed_by: by, slowed_until: now + how.hours * HOUR, reason },
    change,
    now,
  );
};

/** Throws `forbidden` where the operator has slowed it. */
export const lift = (
  db: TenantDb,
  tokenId: string,
  { until, isOperator }: { readonly until: number; readonly isOperator: boolean },
  change: Change,
  now: number,
): void => {
  requireOwn(db, tokenId, isOperator, now);
  const store = brakeStore(db);
  const row = store.brake(tokenId);
  const before = brakeOf(db, tokenId, now);
  const today = utcDay(now);
  const first = Math.min(today, utcDay(row.slowed_at ?? now));
  for (const { day } of [...store.days(tokenId), { day: today }])
    if (day >= first && day <= today) store.addToDay(tokenId, { day, is_approved: 1 });
  const line = row.is_in_common === 1 ? { is_in_common: 0 as const } : { next_at: null };
  store.put({ ...row, ...line, slowed_at: null, slowed_until: null, lifted_until: until, told: 1 });
  auditStore(db).record(change, { target: targetOf(tokenId), before, after: brakeOf(db, tokenId, now) }, now);
};

/** What the brake keeps waiting of the token is due when it would be without it. */
export const release = async (
  files: TenantFiles,
  { wake }: Pick<Messages['queue'], 'wake'>,
  tenantId: string,
  tokenId: string,
  now: number,
): Promise<void> => {
  for (let count = MESSAGES_PER_TRANSACTION; count === MESSAGES_PER_TRANSACTION; ) {
    count = await files.write(tenantId, (db) => {
      const rows = brakeStore(db).held(tokenId, MESSAGES_PER_TRANSACTION);
      for (const { message_seq, due_at, else_due_at } of rows) {
        if (due_at > now) queueStore(db).bringForward(message_seq, due_at, Math.max(else_due_at, now));
        brakeStore(db).letGo(message_seq);
      }
      return rows.length;
    });
    for (const lane of lanes) wake(tenantId, lane, now);
  }
};

/** Returns how many mails were discarded: those of which no attempt was made. */
export const discardSlowed = async (
  files: TenantFiles,
  tenantId: string,
  tokenId: string,
  change: Change,
  now: number,
): Promise<number> => {
  let discarded = 0;
  for (let count = MESSAGES_PER_TRANSACTION; count === MESSAGES_PER_TRANSACTION; ) {
    const done = await files.write(tenantId, (db) => {
      const messages = brakeStore(db).held(tokenId, MESSAGES_PER_TRANSACTION);
      const rows = messages.flatMap(({ message_seq }) =>
        queueStore(db)
          .ofMessage(message_seq)
          .filter(({ claimed, attempts }) => claimed !== 1 && attempts === 0),
      );
      const mails = discard(db, rows, DISCARDED, now);
      for (const { message_seq } of messages) brakeStore(db).letGo(message_seq);
      return { messages: messages.length, mails };
    });
    count = done.messages;
    discarded += done.mails;
  }
  await files.write(tenantId, (db) => {
    // The line is empty: what the token sends next need not wait behind what is gone.
    const row = brakeStore(db).brake(tokenId);
    if (row.is_in_common === 0 && row.next_at !== null) brakeStore(db).put({ ...row, next_at: now });
    auditStore(db).record(change, { target: targetOf(tokenId), before: null, after: { discarded } }, now);
  });
  return discarded;
};
