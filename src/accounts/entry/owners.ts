// The owners of a practice: to whom the service writes, and how an address becomes an owner without an invitation, as
// the first owner of a new practice or because the operator says so. Such an owner is active at once; signing in proves
// that the mailbox is theirs.

import type { Notices } from '#src/accounts/mails/outbox.ts';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { type Change, changeAs } from '#src/kernel/change.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import type { Language } from '#src/kernel/language.ts';
import { DAY } from '#src/kernel/time.ts';
import { type PersonEmail, parseEmail } from '#src/mail/email.ts';
import { type AccountRow, accountStore, invitationStore } from './account-store.ts';
import { memberEntry } from './member-schema.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import { systemRoles } from './rules.ts';

export interface PracticeOwner {
  readonly email: string;
  readonly language: Language;
}

/** The owners in the order in which they joined; the service's own practice has none. */
export const activeOwners = (db: TenantDb): MemberRow[] =>
  memberStore(db)
    .owners()
    .filter(({ status }) => status === 'active');

/** The owners of `activeOwners`, each with the language of their account. */
export const practiceOwners =
  ({ platform, tenants }: Pick<Storage, 'platform' | 'tenants'>) =>
  async (tenantId: string): Promise<PracticeOwner[]> => {
    const owners = await tenants.read(tenantId, activeOwners);
    return platform.read((db) =>
      owners.flatMap(({ email_key }) => {
        const account = accountStore(db).byEmail(email_key);
        return account === undefined ? [] : [{ email: account.email, language: account.language }];
      }),
    );
  };

export interface NewOwner {
  /** One bare address. */
  readonly email: string;
  /** The language of the account, where the address is new. */
  readonly language: Language;
  /** The language of the mail, where it is not the account's. */
  readonly mailLanguage: Language | undefined;
}

/** After that time the owner knows by other means. */
const WELCOME_VALID_MS = 7 * DAY;

const parsed = (email: string): PersonEmail => {
  const found = parseEmail(email);
  if (found === null) throw new Error('an owner has one bare address');
  return found;
};

/** Called in the transaction of the tenant's file: the address is an active owner after it. Audited as `member.make_owner`. */
export const writeOwner = (
  db: TenantDb,
  owner: Pick<NewOwner, 'email' | 'language' | 'mailLanguage'>,
  change: Change,
  now: number,
): MemberRow => {
  const { email, emailKey } = parsed(owner.email);
  const store = memberStore(db);
  const before = store.byEmail(emailKey);
  const beforeRole = before && store.role(before.role_id);
  const after: MemberRow = {
    ...(before ?? {
      id: newId(),
      email,
      email_key: emailKey,
      language: owner.mailLanguage ?? owner.language,
      created_at: now,
    }),
    role_id: systemRoles.owner.id,
    status: 'active',
    all_projects: 1,
    project_ids_json: '[]',
    accepted_at: before?.accepted_at ?? now,
    invitation_hash: null,
    invitation_expires_at: null,
  };
  if (before) store.update(after);
  else store.insert(after);
  const known = before && beforeRole ? { row: before, role: beforeRole } : null;
  const entry = memberEntry(known, { row: after, role: systemRoles.owner });
  auditStore(db).record(changeAs(change, 'member.make_owner'), entry, now);
  return after;
};

/** Called in the transaction of the registry that follows. */
export const indexOwner = (db: PlatformDb, owner: NewOwner, tenantId: string, now: number): AccountRow => {
  const { email, emailKey } = parsed(owner.email);
  const account = accountStore(db).ensure(email, emailKey, owner.mailLanguage ?? owner.language, now);
  accountStore(db).join(account.id, tenantId);
  invitationStore(db).remove(account.id, tenantId);
  return account;
};

/** Like `indexOwner`, with a mail to the owner; after the commit `notices.wake` is called. */
export const welcomeOwner = (
  { notices, origin }: { readonly notices: Notices; readonly origin: string },
  db: PlatformDb,
  owner: NewOwner,
  practice: Pick<PracticeRow, 'id' | 'name'>,
  now: number,
): void => {
  const account = indexOwner(db, owner, practice.id, now);
  const notice = {
    kind: 'owner_welcome',
    practice: practice.name,
    link: dashboardLink(origin, { practice: practice.id, page: 'start' }),
    to: owner.email,
    language: owner.mailLanguage ?? account.language,
    expiresAfter: now + WELCOME_VALID_MS,
  } as const;
  notices.enqueue(db, notice, now);
};
