// The waiting list for plans: anyone may enter an address, the operator reads and removes entries.
import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { Job } from '#src/kernel/job.ts';
import type { RateCheck } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, HOUR, SECOND, toIso } from '#src/kernel/time.ts';
import { emailSchema } from '#src/mail/email.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import { type WaitlistRow, waitedFor, waitlistStore } from './store.ts';

export const MAX_NOTE = 2_000;
/** A field that people do not see, and programs fill in. */
export const TRAP_FIELD = 'website';

export const joinBody = z
  .strictObject({
    email: emailSchema,
    plan: z.enum(waitedFor),
    name: nameSchema.optional(),
    note: z.string().trim().min(1).max(MAX_NOTE).optional(),
    [TRAP_FIELD]: z.string().max(MAX_NOTE).optional().describe('empty: only programs fill it in'),
  })
  .meta({ examples: [{ email: 'doris@example.org', plan: 'praxis' }] });
export type Joining = z.output<typeof joinBody>;

export const notedSchema = z.strictObject({ status: z.literal('noted') });

export const entrySchema = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    plan: z.enum(waitedFor),
    note: z.string().nullable(),
    created_at: z.iso.datetime(),
    asked_at: z.iso.datetime().describe('when the address was last entered; the rest is as the first time'),
  })
  .meta({ id: 'WaitlistEntry' });

export const presentEntry = (row: WaitlistRow): z.input<typeof entrySchema> => ({
  id: row.id,
  email: row.email,
  name: row.name,
  plan: row.plan,
  note: row.note,
  created_at: toIso(row.created_at),
  asked_at: toIso(row.asked_at),
});

export interface WaitlistDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly limitEmail: RateCheck;
  readonly clock: Clock;
  /** Whether the operator has the waiting list on. */
  readonly isOpen: boolean;
}

/** A flood must not fill the disk: this is some 300 MB. */
export const MAX_ENTRIES = 100_000;
const FULL_RETRY_SECONDS = HOUR / SECOND;

/**
 * The answer does not reveal whether the address was on the list before, nor that a program was noticed, of which nothing is
 * stored. Throws `not_found`, `rate_limited` and `unavailable`.
 */
export const joinWaitlist = async (deps: WaitlistDeps, joining: Joining): Promise<void> => {
  const { email, emailKey } = joining.email;
  if (!deps.isOpen)
    throw new AppError('not_found', say`This service has no waiting list.`, {
      hint: say`Ask the operator for a place.`,
    });
  deps.limitEmail(emailKey);
  if (joining[TRAP_FIELD]) return;
  await deps.platform.write((db) => {
    const store = waitlistStore(db);
    if (store.count() >= MAX_ENTRIES)
      throw new AppError('unavailable', say`The waiting list is full.`, {
        extra: { retry_after: FULL_RETRY_SECONDS },
      });
    const now = deps.clock.now();
    store.note({
      id: newId(),
      email_key: emailKey,
      email,
      name: joining.name ?? null,
      plan: joining.plan,
      note: joining.note ?? null,
      created_at: now,
      asked_at: now,
    });
  });
};

/** Throws `not_found`. */
export const removeFromWaitlist = (deps: WaitlistDeps, id: string, change: Change): Promise<void> =>
  deps.platform.write((db) => {
    const entry = waitlistStore(db).get(id);
    if (!entry) throw new AppError('not_found', say`There is no such entry.`);
    waitlistStore(db).remove(id);
    // The person may have asked for the removal, and the audit is kept for years: it names no address.
    const before = { plan: entry.plan };
    auditStore(db).record(
      change,
      { target: { type: 'waitlist_entry', id }, before, after: null },
      deps.clock.now(),
    );
  });

const REMOVED_AT_A_TIME = 500;

/** `keep`: how long an entry is kept after the address was last entered, ms. */
export const waitlistRetentionJob = (
  platform: DurableFile<PlatformDb>,
  keep: () => number,
  clock: Clock,
): Job => ({
  name: 'remove old entries of the waiting list',
  schedule: '41 3 * * *',
  run: async (signal) => {
    for (let removed = REMOVED_AT_A_TIME; removed === REMOVED_AT_A_TIME && !signal.aborted; )
      removed = await platform.write((db) =>
        waitlistStore(db).removeOld(clock.now() - keep(), REMOVED_AT_A_TIME),
      );
  },
});
