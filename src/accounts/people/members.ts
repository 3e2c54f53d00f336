// Changing and removing members. Removal is written to the tenant's file first: from then on they may do nothing there;
// then the registry forgets where to look, and the account with its sessions goes where it was a member nowhere else.

import { auditStore } from '#src/events/audit-store.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import { accountStore } from './account-store.ts';
import { namedGrant, namedRole, requireMayHandle, requireNotLastOwner, roleOf } from './managing.ts';
import { presentMember } from './member-schema.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import type { Role } from './roles.ts';
import { standing } from './standing.ts';

export interface MemberDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: KeyedQueue;
}

export interface MemberPatch {
  readonly roleId: string | undefined;
  readonly allProjects: boolean | undefined;
  readonly projectIds: readonly string[] | undefined;
}

type By = Pick<RequestContext, 'caller' | 'change'>;

const noSuchMember = (): AppError => new AppError('not_found', 'There is no such member.');

/** Throws `not_found`, `forbidden`, `conflict` for the last owner, `invalid_request`. */
export const updateMember = (
  { storage, clock }: MemberDeps,
  tenantId: string,
  memberId: string,
  patch: MemberPatch,
  { caller, change }: By,
): Promise<{ row: MemberRow; role: Role }> =>
  storage.tenants.write(tenantId, (db) => {
    const manager = standing(db, caller, 'members.manage');
    const before = memberStore(db).get(memberId);
    if (!before) throw noSuchMember();
    const beforeRole = roleOf(db, before);
    const role = patch.roleId === undefined ? beforeRole : namedRole(db, patch.roleId);
    requireMayHandle(manager, beforeRole);
    requireMayHandle(manager, role);
    if (role.slug !== 'owner') requireNotLastOwner(db, memberId);
    const row: MemberRow = { ...before, role_id: role.id, ...namedGrant(db, patch, before, role) };
    memberStore(db).update(row);
    const entry = {
      target: { type: 'member', id: memberId },
      before: presentMember(before, beforeRole),
      after: presentMember(row, role),
    };
    auditStore(db).record(change, entry, clock.now());
    return { row, role };
  });

/** Throws `not_found`, `forbidden`, `conflict` for the last owner. */
export const removeMember = (
  deps: MemberDeps,
  tenantId: string,
  memberId: string,
  { caller, change }: By,
): Promise<void> =>
  deps.queue(tenantId, async () => {
    const { storage, clock } = deps;
    const removed = await storage.tenants.write(tenantId, (db) => {
      const manager = standing(db, caller, 'members.manage');
      const row = memberStore(db).get(memberId);
      if (!row) return null;
      const role = roleOf(db, row);
      requireMayHandle(manager, role);
      requireNotLastOwner(db, memberId);
      memberStore(db).remove(memberId);
      const entry = {
        target: { type: 'member', id: memberId },
        before: presentMember(row, role),
        after: null,
      };
      auditStore(db).record(change, entry, clock.now());
      return row;
    });
    if (removed === null) {
      await forgetStrays(deps, tenantId);
      throw noSuchMember();
    }
    await forget(deps, tenantId, removed.email_key);
  });

/** The registry's half of a removal. */
export const forget = ({ storage }: MemberDeps, tenantId: string, emailKey: string): Promise<void> =>
  storage.platform.write((db) => {
    const account = accountStore(db).byEmail(emailKey);
    if (account) accountStore(db).leave(account.id, tenantId);
  });

/**
 * The registry's half of removals that a crash cut off: whom it leads to this tenant, and the tenant does not know.
 * Only in the tenant's turn: those who join are written to its file first, and so are never strays.
 */
const forgetStrays = async ({ storage }: MemberDeps, tenantId: string): Promise<void> => {
  const known = await storage.tenants.read(tenantId, (db) => memberStore(db).all());
  const keys = new Set(known.map(({ email_key }) => email_key));
  await storage.platform.write((db) => {
    for (const account of accountStore(db).ofTenant(tenantId))
      if (!keys.has(account.email_key)) accountStore(db).leave(account.id, tenantId);
  });
};
