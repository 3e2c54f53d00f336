// An owner by the operator's word: for a practice that has none who could make one.

import type { Notices } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { refuseSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import type { Language } from '#src/kernel/language.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import type { PersonEmail } from '#src/mail/email.ts';
import type { Founding } from './founding.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import type { MemberDeps } from './members.ts';

export interface OwnerDeps extends MemberDeps {
  readonly founding: Founding;
  readonly notices: Notices;
}

/** The address is an active owner when it resolves, and is told by mail. Throws `conflict` for the system tenant. */
export const makeOwner = (
  { storage, clock, queue, founding, notices }: OwnerDeps,
  tenantId: string,
  { email, emailKey }: PersonEmail,
  mailLanguage: Language | undefined,
  { change, language }: Pick<RequestContext, 'change' | 'language'>,
): Promise<{ row: MemberRow; isNew: boolean }> =>
  queue(tenantId, async () => {
    await refuseSystemTenant(storage, tenantId);
    const now = clock.now();
    const { row, isNew, practice } = await storage.tenants.write(tenantId, (db) => {
      const isNew = memberStore(db).byEmail(emailKey) === undefined;
      const row = founding.inTenant(db, { email }, change, now);
      return { row, isNew, practice: tenantStore(db).practice() };
    });
    await storage.platform.write((db) =>
      founding.inRegistry(db, { email, language, mailLanguage }, practice, true, now),
    );
    notices.tell();
    return { row, isNew };
  });
