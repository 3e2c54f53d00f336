// Inviting someone by mail. The tenant's file decides who may enter, so the member is written there first. Then the
// registry gets the membership, the invitation and the mail in one transaction. A crash in between leaves a member
// without an invitation; inviting the address again repairs that.

import { accountStore, invitationStore } from '#src/accounts/entry/account-store.ts';
import { requirePermission } from '#src/accounts/entry/enter.ts';
import { presentMember } from '#src/accounts/entry/member-schema.ts';
import { type MemberRow, memberStore } from '#src/accounts/entry/member-store.ts';
import type { Role } from '#src/accounts/entry/rules.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { refuseSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import { hashBearer, newBearer } from '#src/kernel/credentials.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { Language } from '#src/kernel/language.ts';
import { createRateCheck, type RateCheck } from '#src/kernel/rate-limit.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, DAY, HOUR, SECOND, toIso } from '#src/kernel/time.ts';
import type { PersonEmail } from '#src/mail/email.ts';
import {
  namedGrant,
  namedRole,
  type PeopleDeps,
  requireMayHandle,
  requireNotLastOwner,
  roleOf,
} from './members.ts';

export interface InviteDeps extends PeopleDeps {
  readonly limitEmail: RateCheck;
  /**
   * Invitations of one tenant, and of one account in all its tenants: to one address and together. `accountId` is null for
   * a token, which belongs to its tenant. Throws `rate_limited`.
   */
  readonly limitInvitations: (tenantId: string, accountId: string | null, emailKey: string) => void;
}

/** A large practice invites its staff at once, and no one writes to strangers in our name all day. */
const INVITATIONS = { perSecond: 200 / (HOUR / SECOND), burst: 200 };
/** The limit for one address: a link may get lost, and no one is pressed. */
const INVITATIONS_TO_ONE = { perSecond: 10 / (DAY / SECOND), burst: 10 };

export const createInvitationLimit = (clock: Clock): InviteDeps['limitInvitations'] => {
  const together = createRateCheck(
    clock,
    () => INVITATIONS,
    say`The practice, or the account in all its practices, has invited too many people in too short a time.`,
  );
  const toOne = createRateCheck(
    clock,
    () => INVITATIONS_TO_ONE,
    say`The address has been invited often enough for today.`,
  );
  return (tenantId, accountId, emailKey) => {
    const inviters = accountId === null ? [tenantId] : [tenantId, accountId];
    for (const inviter of inviters) toOne(`${inviter} ${emailKey}`);
    for (const inviter of inviters) together(inviter);
  };
};

export interface Invited {
  readonly email: PersonEmail;
  readonly roleId: string;
  readonly allProjects: boolean | undefined;
  readonly projectIds: readonly string[] | undefined;
  readonly language: Language | undefined;
}

type Inviter = Pick<RequestContext, 'caller' | 'change' | 'language'>;

export const INVITATION_PREFIX = 'svc_inv_';
export const INVITATION_VALID_MS = 7 * DAY;
/** All members are read at once to show the list and to find an owner. */
const MAX_MEMBERS = 1_000;

/**
 * Invites an address. One that is invited already gets a new link: the former one ends, and role and projects are as
 * given now. Throws `conflict` for an active member and the system tenant, `forbidden`, `invalid_request`, `rate_limited`.
 */
export const inviteMember = async (
  deps: InviteDeps,
  tenantId: string,
  invited: Invited,
  { caller, change, language }: Inviter,
): Promise<{ row: MemberRow; role: Role; isNew: boolean }> => {
  const { storage, clock, notices } = deps;
  const { email, emailKey } = invited.email;
  deps.limitEmail(emailKey);
  if (caller.kind !== 'operator') deps.limitInvitations(tenantId, caller.account?.id ?? null, emailKey);
  await refuseSystemTenant(storage, tenantId);
  return deps.queue(tenantId, async () => {
    const now = clock.now();
    const expiresAt = now + INVITATION_VALID_MS;
    const token = newBearer(INVITATION_PREFIX);
    const written = await storage.tenants.write(tenantId, (db) => {
      const manager = requirePermission(db, caller, 'members.manage');
      const role = namedRole(db, invited.roleId);
      requireMayHandle(manager, role);
      const before = memberStore(db).byEmail(emailKey);
      if (before === undefined) {
        requireRoom(db);
      } else {
        requireInvited(before);
        requireMayHandle(manager, roleOf(db, before));
        if (role.slug !== 'owner') requireNotLastOwner(db, before.id);
      }
      const row: MemberRow = {
        id: before?.id ?? newId(),
        email: before?.email ?? email,
        email_key: emailKey,
        role_id: role.id,
        status: 'invited',
        ...namedGrant(db, invited, undefined, role),
        created_at: before?.created_at ?? now,
        accepted_at: null,
        language: before?.language ?? invited.language ?? language,
        invitation_hash: hashBearer(token),
        invitation_expires_at: expiresAt,
      };
      writeInvited(db, before, row, role, { change, now, expiresAt });
      return { row, role, isNew: before === undefined, practice: tenantStore(db).practice().name };
    });
    await storage.platform.write((db) => {
      const account = accountStore(db).ensure(email, emailKey, invited.language ?? language, now);
      accountStore(db).join(account.id, tenantId);
      invitationStore(db).put({
        hash: hashBearer(token),
        account_id: account.id,
        tenant_id: tenantId,
        expires_at: expiresAt,
      });
      const notice = {
        kind: 'invitation',
        practice: written.practice,
        inviter: caller.kind === 'operator' ? null : (caller.account?.email ?? null),
        link: `${deps.origin}/invitation/${token}`,
        expiresAt,
        to: written.row.email,
        language: invited.language ?? account.language,
        expiresAfter: expiresAt,
      } as const;
      notices.enqueue(db, notice, now);
    });
    notices.wake();
    return written;
  });
};

const requireInvited = ({ status }: MemberRow): void => {
  if (status === 'invited') return;
  throw new AppError('conflict', say`The address is a member already.`, {
    hint: say`Change the member with PATCH …/members/{memberID}.`,
  });
};

const requireRoom = (db: TenantDb): void => {
  if (memberStore(db).count() < MAX_MEMBERS) return;
  throw new AppError('conflict', say`A practice has at most ${MAX_MEMBERS} members.`, {
    hint: say`Remove members who are no longer needed.`,
  });
};

/** The audit names the end of the invitation: a second one is also a change, because it ends the first. */
const writeInvited = (
  db: TenantDb,
  before: MemberRow | undefined,
  row: MemberRow,
  role: Role,
  { change, now, expiresAt }: { readonly change: Change; readonly now: number; readonly expiresAt: number },
): void => {
  const entry = {
    target: { type: 'member', id: row.id },
    before: before ? presentMember(before, roleOf(db, before)) : null,
    after: { ...presentMember(row, role), invitation_expires_at: toIso(expiresAt) },
  };
  if (before) memberStore(db).update(row);
  else memberStore(db).insert(row);
  auditStore(db).record(change, entry, now);
};
