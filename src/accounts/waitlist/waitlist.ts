// The waiting list for plans: anyone may enter an address, the operator reads and removes entries.
import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { RateCheck } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, HOUR, SECOND, toIso } from '#src/kernel/time.ts';
import { emailSchema } from '#src/mail/email.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import { type WaitlistRow, waitedFor, waitlistStore } from './store.ts';

const MAX_NOTE = 2_000;

export const joinBody = z
  .strictObject({
    email: emailSchema,
    plan: z.enum(waitedFor),
    name: nameSchema.optional(),
    note: z.string().trim().min(1).max(MAX_NOTE).optional(),
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
}

/** A flood must not fill the disk: this is some 300 MB. */
export const MAX_ENTRIES = 100_000;
const FULL_RETRY_SECONDS = HOUR / SECOND;

/**
 * The answer does not reveal whether the address was on the list before. Throws `rate_limited` and `unavailable`.
 */
export const joinWaitlist = async (deps: WaitlistDeps, joining: Joining): Promise<void> => {
  const { email, emailKey } = joining.email;
  deps.limitEmail(emailKey);
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
