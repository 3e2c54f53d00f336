// The owners of a practice: to whom the service writes, and how an address becomes an owner without an invitation, as
// the first owner of a new practice or because the operator says so. Such an owner is active at once; signing in proves
// that the mailbox is theirs.
import type { Notices } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { refuseSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import type { Language } from '#src/kernel/language.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { DAY } from '#src/kernel/time.ts';
import { type PersonEmail, parseEmail } from '#src/mail/email.ts';
import { accountStore, invitationStore } from './account-store.ts';
import { changeAs } from './changes.ts';
import { presentMember } from './member-schema.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import type { MemberDeps } from './members.ts';
import { systemRoles } from './rules.ts';

export interface PracticeOwner {
  readonly email: string;
  readonly language: Language;
}

/** Active ones only, in the order in which they joined; none for the service's own practice. */
export const practiceOwners =
  ({ platform, tenants }: Pick<Storage, 'platform' | 'tenants'>) =>
  async (tenantId: string): Promise<PracticeOwner[]> => {
    const owners = await tenants.read(tenantId, (db) =>
      memberStore(db)
        .owners()
        .filter(({ status }) => status === 'active'),
    );
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
  /** Where the address is new. */
  readonly language: Language;
  /** Of the mail, where it is not to be the account's. */
  readonly mailLanguage?: Language | undefined;
}

export interface Founding {
  /** In the transaction of the tenant's file: the address is an active owner after it. Audited as `member.make_owner`. */
  inTenant(db: TenantDb, owner: Pick<NewOwner, 'email'>, change: Change, now: number): MemberRow;
  /**
   * In the transaction of the registry that follows. `welcome`: the owner is told by mail; then `notices.tell` is for
   * the caller to call.
   */
  inRegistry(
    db: PlatformDb,
    owner: NewOwner,
    practice: { readonly id: string; readonly name: string },
    welcome: boolean,
    now: number,
  ): void;
}

/** Whoever has not read it by then has heard of it otherwise. */
const WELCOME_VALID_MS = 7 * DAY;

const parsed = (email: string): PersonEmail => {
  const found = parseEmail(email);
  if (found === null) throw new Error('an owner has one bare address');
  return found;
};

/** `origin` is where they sign in. */
export const foundOwner = ({
  notices,
  origin,
}: {
  readonly notices: Notices;
  readonly origin: string;
}): Founding => ({
  inTenant: (db, owner, change, now) => {
    const { email, emailKey } = parsed(owner.email);
    const store = memberStore(db);
    const before = store.byEmail(emailKey);
    const beforeRole = before && store.role(before.role_id);
    const after: MemberRow = {
      ...(before ?? { id: newId(), email, email_key: emailKey, created_at: now }),
      role_id: systemRoles.owner.id,
      status: 'active',
      all_projects: 1,
      project_ids_json: '[]',
      accepted_at: before?.accepted_at ?? now,
    };
    if (before) store.update(after);
    else store.insert(after);
    const entry = {
      target: { type: 'member', id: after.id },
      before: before && beforeRole ? presentMember(before, beforeRole) : null,
      after: presentMember(after, systemRoles.owner),
    };
    auditStore(db).record(changeAs(change, 'member.make_owner'), entry, now);
    return after;
  },
  inRegistry: (db, owner, practice, welcome, now) => {
    const { email, emailKey } = parsed(owner.email);
    const account = accountStore(db).ensure(email, emailKey, owner.mailLanguage ?? owner.language, now);
    accountStore(db).join(account.id, practice.id);
    invitationStore(db).remove(account.id, practice.id);
    if (!welcome) return;
    const notice = {
      kind: 'owner_welcome',
      practice: practice.name,
      origin,
      to: email,
      language: owner.mailLanguage ?? account.language,
      expiresAfter: now + WELCOME_VALID_MS,
    } as const;
    notices.enqueue(db, notice, now);
  },
});

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
