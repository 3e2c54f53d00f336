// The outbox of the service's own mails in platform.db. A change of which people must be notified writes the notice in its own
// transaction, and the postman hands it to the one way in afterwards, also after a crash. Notices are sealed: they may hold a
// code or a link that lets someone in.

import { createHash } from 'node:crypto';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { createFollowUps, type FollowUps } from '#src/kernel/follow-ups.ts';
import { newId } from '#src/kernel/id.ts';
import type { Language } from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import type { Notice, NoticeContent } from './schema.ts';
import { type NoticeRow, noticeStore } from './store.ts';

export interface Outbox {
  /**
   * Called in the transaction of the change; then `wake` is called. With an `id` made of the content (at most 256 characters)
   * the same notice is sent once, however often it is enqueued within a day.
   */
  enqueue(db: PlatformDb, notice: Notice, now: number, id?: string): void;
  /** Throws where the row was sealed under another key. */
  open(row: NoticeRow): Notice;
}

/** What a part that notifies people gets of the outbox. */
export interface Notices {
  enqueue: Outbox['enqueue'];
  /** Called after the commit: something waits in the outbox. */
  wake(): void;
}

/** `key` is 32 bytes, derived for notices alone. */
export const createOutbox = (key: SealingKey): Outbox => ({
  enqueue: (db, notice, now, id = newId()) => {
    noticeStore(db).insert({
      id,
      sealed: seal(key, Buffer.from(JSON.stringify(notice)), id),
      expires_at: notice.expiresAfter,
      created_at: now,
    });
  },
  open: ({ id, sealed }) => JSON.parse(unseal(key, sealed, id).toString()),
});

/** Addresses and languages of the owners of a practice, by its id. */
export type OwnersOf = (
  tenantId: string,
) => Promise<readonly { readonly email: string; readonly language: Language }[]>;

/** For a part that notifies owners of a state in the practice's file, and marks there that they are notified. */
export interface OwnerNoticesDeps {
  readonly files: TenantFiles;
  readonly platform: DurableFile<PlatformDb>;
  readonly notices: Notices;
  readonly ownersOf: OwnersOf;
  readonly clock: Clock;
  readonly log: Log;
  /** The address at which they see the current state. */
  readonly origin: string;
}

export interface OwnerNotice {
  readonly tenantId: string;
  readonly owners: Awaited<ReturnType<OwnersOf>>;
  readonly content: NoticeContent;
  /** What makes it another mail than the last of its kind. */
  readonly occasion: readonly (string | number | null)[];
  /** ms: after that it is dropped; three days where absent. */
  readonly expiresIn?: number;
}

/** Later the state may be another one. */
const EXPIRES_IN_MS = 3 * DAY;

/**
 * Enqueues one mail for each owner, in the registry's transaction, before the tenant's file says that they are notified; then
 * `notices.wake` is called. The id of a mail is made of its content, so that a repetition after a crash does not send it again:
 * the outbox keeps one of each, and the one way in knows for a day what has passed.
 */
export const notifyOwners = (
  notices: Pick<Notices, 'enqueue'>,
  db: PlatformDb,
  { tenantId, owners, content, occasion, expiresIn = EXPIRES_IN_MS }: OwnerNotice,
  now: number,
): void => {
  for (const { email, language } of owners) {
    const parts = [content.kind, tenantId, email, ...occasion];
    const id = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
    notices.enqueue(db, { ...content, to: email, language, expiresAfter: now + expiresIn }, now, id);
  }
};

type PendingNotice = Pick<OwnerNotice, 'content' | 'occasion' | 'expiresIn'>;

export interface OwnerNotifierPolicy<Pending extends PendingNotice> {
  /** What the tenant's file says the owners are not yet notified of. */
  find(tenantId: string): Promise<readonly Pending[]>;
  /** Marks in the tenant's file that they are notified of it. */
  mark(db: TenantDb, sent: Pending): void;
  /** Asked right before the mails are enqueued; what it refuses stays pending. */
  mayNotify?(tenantId: string, pending: Pending): boolean;
  /** The log shows it where the mail failed. */
  readonly failure: string;
}

/**
 * Notifies the owners of what the tenant's file says they are not yet notified of: the mails are enqueued first, then the file
 * is marked. After a crash in between the mails are enqueued again under the same ids, and go out once.
 */
export const createOwnerNotifier = <Pending extends PendingNotice>(
  { files, platform, notices, ownersOf, clock, log }: OwnerNoticesDeps,
  { find, mark, mayNotify = () => true, failure }: OwnerNotifierPolicy<Pending>,
): FollowUps =>
  createFollowUps(
    async (tenantId) => {
      const found = await find(tenantId);
      if (found.length === 0) return;
      const owners = await ownersOf(tenantId);
      const pending = found.filter((one) => mayNotify(tenantId, one));
      if (pending.length === 0) return;
      await platform.write((db) => {
        for (const one of pending) notifyOwners(notices, db, { ...one, tenantId, owners }, clock.now());
      });
      notices.wake();
      await files.write(tenantId, (db) => {
        for (const one of pending) mark(db, one);
      });
    },
    (error, tenantId) => log.warn({ err: error, tenant: tenantId }, failure),
  );
