// Telling a practice's owners by mail what became of their domain. Each mail bears an id made of what it tells, so that a
// look repeated after a crash does not send it again: the outbox keeps one of each, and the way in knows a day long what
// has passed.
import { createHash } from 'node:crypto';
import type { PlatformDb } from '#src/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Notices } from '#src/notices/outbox.ts';
import type { NoticeContent } from '#src/notices/schema.ts';

/** Addresses and languages of those who are told about a practice, by its id. */
export type OwnersOf = (
  tenantId: string,
) => Promise<readonly { readonly email: string; readonly language: Language }[]>;

type DomainNotice = Extract<
  NoticeContent,
  { readonly kind: 'domain_verified' | 'domain_lost' | 'dns_alert' | 'dns_recovered' }
>;

/** Later the state may be another one. */
const TOLD_WITHIN_MS = 3 * DAY;

export interface Telling {
  readonly tenantId: string;
  readonly owners: Awaited<ReturnType<OwnersOf>>;
  readonly content: DomainNotice;
  /** What makes it another mail than the last of its kind about that host. */
  readonly occasion: readonly (string | number | null)[];
}

/** In the registry's transaction, before the tenant's file says that they were told; then `notices.tell` is called. */
export const tellOwners = (
  notices: Pick<Notices, 'enqueue'>,
  db: PlatformDb,
  { tenantId, owners, content, occasion }: Telling,
  now: number,
): void => {
  for (const { email, language } of owners) {
    const told = [content.kind, tenantId, content.host, email, ...occasion];
    const id = createHash('sha256').update(JSON.stringify(told)).digest('base64url');
    notices.enqueue(db, { ...content, to: email, language, expiresAfter: now + TOLD_WITHIN_MS }, now, id);
  }
};
