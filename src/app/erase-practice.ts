// Erases a whole practice, and certifies it. Its work ends first and its file is closed, so that what is counted is what goes. One
// transaction of the registry then writes the certificate into the audit, takes the practice out of everything that finds it, and
// removes the accounts of people who are members nowhere else. A crash after it leaves a directory that the next start removes.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { accountStore } from '#src/accounts/entry/account-store.ts';
import { endOfWork } from '#src/accounts/moving/end-of-work.ts';
import { removeTenant } from '#src/accounts/tenants/create.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { refuseSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { canonicalJson } from '#src/audience/consent/entry.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Base } from '#src/kernel/base.ts';
import type { Change } from '#src/kernel/change.ts';
import { openBeside } from '#src/kernel/db/copy-database.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { publicKeyOf, signText } from '#src/kernel/evidence-key.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { SECOND, toIso } from '#src/kernel/time.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { rowsInTurns } from '#src/operations/file-store.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import { removeCopiesOf, removeLeftCopies, replacedCopiesOf } from './left-copies.ts';

/** Mail that is on its way to a relay ends in seconds. */
const END_OF_WORK_MS = 40 * SECOND;

const certificateSchema = z
  .strictObject({
    format: z.literal('sendwerk practice erasure 1'),
    practice: z.strictObject({ id: z.uuid(), slug: z.string(), name: z.string() }),
    service: z.strictObject({ name: z.string(), origin: z.string() }),
    erased_at: z.iso.datetime(),
    erased_by: z.string(),
    rows: z.record(z.string(), z.int()).describe('of each table that had rows'),
    unsent: z.int().describe('how many copies were queued; nobody gets them'),
    consent_ledger: z
      .strictObject({ entries: z.int(), head: z.string() })
      .nullable()
      .describe('its last entry and the hash of that; null: it had none'),
    backups: z.string().describe('where the practice still is'),
    copies: z
      .array(z.string())
      .describe(
        'below the data directory of the service: what restores have put aside, which its operator removes',
      ),
    sha256: z.string().describe('of all before it, as canonical JSON (RFC 8785)'),
    signature: z.strictObject({
      algorithm: z.literal('Ed25519'),
      public_key: z.string(),
      fingerprint: z.string(),
      value: z.base64(),
    }),
  })
  .meta({ id: 'PracticeErasure' });
export type Certificate = z.infer<typeof certificateSchema>;

const body = z.strictObject({
  slug: z.string().describe('of the practice, typed by who erases it'),
  discard_queue: z.boolean().default(false).describe('erase it although mail is queued'),
});

const erased = (): AppError => new AppError('not_found', say`The practice was erased.`);

/** `endWork` as of `endOfWork`; `forget`: the tenant is gone, and nothing of it is due any more. */
export const openErasing = (
  base: Base,
  endWork: (tenantId: string) => boolean,
  forget: (tenantId: string) => void,
) => {
  const { storage, clock, config, evidenceKey, tenantKeys } = base;
  const { platform, tenants } = storage;

  const backupsNote = (): string => {
    const { dir, keep } = config().backup;
    if (dir === undefined) return 'Backups that were made before still hold it; this service knows of none.';
    return keep === undefined
      ? 'Backups that were made before still hold it until they are removed by hand.'
      : `Backups that were made before still hold it until they are removed (kept: ${keep}).`;
  };

  /** With the file closed. */
  const look = async (id: string) => {
    const db = (await openBeside(join(config().data_dir, tenantFile(id)))) as TenantDb;
    try {
      const { slug, name } = tenantStore(db).practice();
      const head = consentStore(db).head();
      return {
        practice: { id, slug, name },
        rows: await rowsInTurns(db),
        consent_ledger: head ? { entries: head.seq, head: head.hash.toString('hex') } : null,
      };
    } finally {
      db.close();
    }
  };

  const certify = (
    found: Awaited<ReturnType<typeof look>>,
    copies: readonly string[],
    by: string,
    now: number,
  ): Certificate => {
    const { name, public_origin: origin } = config().service;
    const facts = {
      format: 'sendwerk practice erasure 1' as const,
      ...found,
      service: { name, origin },
      erased_at: toIso(now),
      erased_by: by,
      unsent: found.rows.queue ?? 0,
      backups: backupsNote(),
      copies: [...copies],
    };
    const sha256 = createHash('sha256').update(canonicalJson(facts)).digest('hex');
    const value = signText(evidenceKey, canonicalJson({ ...facts, sha256 }));
    return { ...facts, sha256, signature: { ...publicKeyOf(evidenceKey), value } };
  };

  const requireErasable = async (id: string, typed: string, discardsQueue: boolean): Promise<void> => {
    await refuseSystemTenant(storage, id);
    const { slug, queued } = await tenants.read(id, (db) => ({
      slug: tenantStore(db).practice().slug,
      queued: queueStore(db).count(),
    }));
    if (typed !== slug)
      throw new AppError('conflict', say`The short name of the practice is another one.`, {
        hint: say`Type it as it is. Nothing was erased.`,
      });
    if (queued > 0 && !discardsQueue)
      throw new AppError(
        'conflict',
        queued === 1
          ? say`One copy of its mail is still to be sent.`
          : say`${queued} copies of its mail are still to be sent.`,
        { hint: say`Wait for it, or say that what is queued is to be discarded. Nothing was erased.` },
      );
  };

  /** Rejects with `conflict` where it may not be erased; then nothing has changed. */
  const erase = async (
    id: string,
    { slug, discard_queue }: z.output<typeof body>,
    change: Change,
  ): Promise<Certificate> => {
    await requireErasable(id, slug, discard_queue);
    if (!tenants.mayBegin(id))
      throw new AppError('conflict', say`The practice is being moved or erased.`, {
        hint: say`Nothing has changed.`,
      });
    tenants.hold(id);
    try {
      await endOfWork(endWork, id, END_OF_WORK_MS);
      await tenants.withhold(id, erased());
      const now = clock.now();
      const found = await look(id);
      const copies = await replacedCopiesOf(config().data_dir, id);
      const certificate = certify(found, copies, change.actor.name || change.actor.kind, now);
      await platform.write((db) => {
        registryStore(db).deactivate(id);
        for (const account of accountStore(db).ofTenant(id)) accountStore(db).leave(account.id, id);
        const target = { type: 'practice', id } as const;
        auditStore(db).record(change, { target, before: null, after: certificate }, now);
      });
      await removeTenant(storage, id);
      forget(id);
      await removeCopiesOf(config().data_dir, id);
      tenantKeys.forget(id);
      return certificate;
    } finally {
      tenants.release(id);
    }
  };

  return {
    erase,
    /** Copies that a killed command has left, of practices that may have been erased since. */
    nightlyRegistry: (): Promise<void> => removeLeftCopies(config().data_dir, clock.now()),
    routes: [
      defineRoute({
        method: 'post',
        path: '/api/practices/{id}/erase',
        tag: 'Platform administration',
        id: 'erasePractice',
        summary: 'Erase a practice with all that it holds',
        description:
          'Its file, its rows in the registry and the accounts of people who are members nowhere else are removed. The answer is the certificate, signed by the key that signs evidence of consent; the audit keeps it.',
        access: 'operator',
        audit: 'practice.erase',
        stability: 'stable',
        params: tenantParams,
        body: body.meta({ examples: [{ slug: 'praxis-am-markt', discard_queue: true }] }),
        responses: { 200: { description: 'It is erased.', body: certificateSchema } },
        errors: ['conflict'],
        handle: async ({ params, body }, { change }) => ({
          status: 200,
          body: await erase(params.id, body, change),
        }),
      }),
    ],
  };
};
