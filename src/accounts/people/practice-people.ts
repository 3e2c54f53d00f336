// What tenants/ asks about people (accounts/tenants/people.ts), answered from here; app.ts brings the two together.

import type { Notices } from '#src/accounts/mails/outbox.ts';
import type { Account } from '#src/kernel/access.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { parseEmail } from '#src/mail/email.ts';
import { accountStore, type MembershipRow } from './account-store.ts';
import { memberStore } from './member-store.ts';
import { foundOwner } from './owners.ts';

/** `origin` is where owners sign in. */
export const practicePeople = ({
  notices,
  origin,
}: {
  readonly notices: Notices;
  readonly origin: string;
}) => ({
  parseEmail,
  practicesOf: (db: PlatformDb, accountId: string, afterNumber: number, limit: number): MembershipRow[] =>
    accountStore(db).memberships(accountId, afterNumber, limit),
  countJoined: (db: PlatformDb, accountId: string): number => accountStore(db).countJoined(accountId),
  inTurn: createKeyedQueue(),
  isActiveMember: (db: TenantDb, { emailKey }: Account): boolean =>
    memberStore(db).byEmail(emailKey)?.status === 'active',
  summary: (db: TenantDb): { members: number; owners: string[] } => ({
    members: memberStore(db).count(),
    owners: memberStore(db)
      .owners()
      .filter(({ status }) => status === 'active')
      .map(({ email }) => email),
  }),
  founding: foundOwner({ notices, origin }),
  tell: notices.tell,
});
