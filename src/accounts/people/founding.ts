// Owners made without an invitation: the first one of a new practice, and whom the operator makes one. They are active at
// once; that the mailbox is theirs they show when they sign in.

import type { Notices } from '#src/accounts/mails/outbox.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { Language } from '#src/kernel/language.ts';
import { DAY } from '#src/kernel/time.ts';
import { type PersonEmail, parseEmail } from '#src/mail/email.ts';
import { accountStore } from './account-store.ts';
import { changeAs } from './changes.ts';
import { invitationStore } from './invitation-store.ts';
import { presentMember } from './member-schema.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import { systemRoles } from './roles.ts';

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
