// Accepting an invitation, by the link in the mail or signed in, and leaving a practice or declining its invitation.
// The tenant's file is written first, the registry second: an invitation is used up only after its member is active,
// so after a crash the same link works again.

import { type AccountRow, accountStore, invitationStore } from '#src/accounts/entry/account-store.ts';
import { type MemberWithRole, memberEntry } from '#src/accounts/entry/member-schema.ts';
import { type MemberRow, memberStore } from '#src/accounts/entry/member-store.ts';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Account } from '#src/kernel/access.ts';
import { type Change, changeBy } from '#src/kernel/change.ts';
import { hashBearer } from '#src/kernel/credentials.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { INVITATION_PREFIX } from './inviting.ts';
import { noSuchPractice, type PeopleDeps, removeMembership, requireNotLastOwner, roleOf } from './members.ts';
import { type IssuedSession, type Sessions, type SignInRequest, startSession } from './sessions.ts';

/** A practice, and one member of it. */
export interface Membership extends MemberWithRole {
  readonly practice: PracticeRow;
}

interface OpenInvitation {
  readonly hash: Buffer;
  readonly tenantId: string;
  readonly account: AccountRow;
}

const TOKEN = new RegExp(`^${INVITATION_PREFIX}[0-9A-Za-z]{43}$`);

/** Null if the token is unknown, used up, replaced or expired. */
const findInvitation = async (
  { storage, clock }: PeopleDeps,
  token: string,
): Promise<OpenInvitation | null> => {
  if (!TOKEN.test(token)) return null;
  const hash = hashBearer(token);
  return storage.platform.read((db) => {
    const row = invitationStore(db).find(hash);
    const account = row && accountStore(db).get(row.account_id);
    if (!row || !account || row.expires_at <= clock.now()) return null;
    return { hash, tenantId: row.tenant_id, account };
  });
};

const membershipOf = (db: TenantDb, emailKey: string): Membership | null => {
  const row = memberStore(db).byEmail(emailKey);
  return row ? { practice: tenantStore(db).practice(), row, role: roleOf(db, row) } : null;
};

/** What the link is for; changes nothing. Null if `acceptInvitation` would give null too. */
export const viewInvitation = async (deps: PeopleDeps, token: string): Promise<Membership | null> => {
  const found = await findInvitation(deps, token);
  if (found === null) return null;
  return deps.storage.tenants.read(found.tenantId, (db) => membershipOf(db, found.account.email_key));
};

/** Makes the member active, if they are not already. Null if there is none. */
const activate = (db: TenantDb, emailKey: string, change: Change, now: number): Membership | null => {
  const before = membershipOf(db, emailKey);
  if (before === null) return null;
  const row: MemberRow = {
    ...before.row,
    status: 'active',
    accepted_at: before.row.status === 'active' ? before.row.accepted_at : now,
    invitation_hash: null,
    invitation_expires_at: null,
  };
  memberStore(db).update(row);
  const after = { ...before, row };
  auditStore(db).record(change, memberEntry(before, after), now);
  return after;
};

/**
 * Accepts by the token, which proves the mailbox, and uses it up. It also signs in where `sessions` are given. Null if the token
 * is no longer valid.
 */
export const acceptInvitation = async <S extends Pick<Sessions, 'issue' | 'endBrought'> | null>(
  deps: PeopleDeps,
  token: string,
  request: SignInRequest,
  sessions: S,
): Promise<(Membership & { session: S extends null ? null : IssuedSession }) | null> => {
  const found = await findInvitation(deps, token);
  if (found === null) return null;
  const { tenantId, account, hash } = found;
  return deps.queue(tenantId, async () => {
    // While this one waited, its member may have been removed and invited again: then only the new link works.
    if ((await findInvitation(deps, token)) === null) return null;
    const now = deps.clock.now();
    const membership = await deps.storage.tenants.write(tenantId, (db) =>
      activate(db, account.email_key, changeBy(request.change, account), now),
    );
    if (membership === null) return null;
    return deps.storage.platform.write((db) => {
      if (!invitationStore(db).take(hash)) return null;
      const session = sessions && startSession(sessions, db, account, { request, method: 'invitation' }, now);
      return { ...membership, session: session as S extends null ? null : IssuedSession };
    });
  });
};

const requireIndexed = async ({ storage }: PeopleDeps, account: Account, tenantId: string): Promise<void> => {
  if (!(await storage.platform.read((db) => accountStore(db).isMember(account.id, tenantId))))
    throw noSuchPractice();
};

/** Accepts for the account that is signed in. Throws `not_found` if it is not invited to the practice. */
export const acceptMembership = (
  deps: PeopleDeps,
  account: Account,
  tenantId: string,
  change: Change,
): Promise<Membership> =>
  deps.queue(tenantId, async () => {
    await requireIndexed(deps, account, tenantId);
    const membership = await deps.storage.tenants.write(tenantId, (db) =>
      activate(db, account.emailKey, change, deps.clock.now()),
    );
    if (membership === null) throw noSuchPractice();
    await deps.storage.platform.write((db) => invitationStore(db).remove(account.id, tenantId));
    return membership;
  });

/** Leaves the practice, or declines the invitation. Throws `not_found`, and `conflict` for the last owner. */
export const leavePractice = (
  deps: PeopleDeps,
  account: Account,
  tenantId: string,
  change: Change,
): Promise<void> =>
  deps.queue(tenantId, async () => {
    await requireIndexed(deps, account, tenantId);
    const left = await deps.storage.tenants.write(tenantId, (db) => {
      const membership = membershipOf(db, account.emailKey);
      if (membership === null) return false;
      requireNotLastOwner(db, membership.row.id);
      memberStore(db).remove(membership.row.id);
      auditStore(db).record(change, memberEntry(membership, null), deps.clock.now());
      return true;
    });
    // This also completes an earlier removal that a crash cut off.
    await removeMembership(deps, tenantId, account.emailKey);
    if (!left) throw noSuchPractice();
  });
