// Telling a practice's owners by mail. Each mail bears an id made of what it tells, so that what is repeated after a crash
// does not send it again: the outbox keeps one of each, and the way in knows a day long what has passed.
import { createHash } from 'node:crypto';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Language } from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import type { Notices } from './outbox.ts';
import type { NoticeContent } from './schema.ts';

/** Addresses and languages of those who are told about a practice, by its id. */
export type OwnersOf = (
  tenantId: string,
) => Promise<readonly { readonly email: string; readonly language: Language }[]>;

/** Of whoever tells them of what stands in the practice's file, and notes there that it has been told. */
export interface OwnerNoticesDeps {
  readonly files: TenantFiles;
  readonly platform: DurableFile<PlatformDb>;
  readonly notices: Notices;
  readonly ownersOf: OwnersOf;
  readonly clock: Clock;
  readonly log: Log;
  /** Where they see the state of things. */
  readonly origin: string;
}

/** Later the state may be another one. */
const TOLD_WITHIN_MS = 3 * DAY;

export interface Telling {
  readonly tenantId: string;
  readonly owners: Awaited<ReturnType<OwnersOf>>;
  readonly content: NoticeContent;
  /** What makes it another mail than the last of its kind. */
  readonly occasion: readonly (string | number | null)[];
  /** ms: after that it is dropped; three days where absent. */
  readonly toldWithin?: number;
}

/** In the registry's transaction, before the tenant's file says that they were told; then `notices.tell` is called. */
export const tellOwners = (
  notices: Pick<Notices, 'enqueue'>,
  db: PlatformDb,
  { tenantId, owners, content, occasion, toldWithin = TOLD_WITHIN_MS }: Telling,
  now: number,
): void => {
  for (const { email, language } of owners) {
    const told = [content.kind, tenantId, email, ...occasion];
    const id = createHash('sha256').update(JSON.stringify(told)).digest('base64url');
    notices.enqueue(db, { ...content, to: email, language, expiresAfter: now + toldWithin }, now, id);
  }
};
