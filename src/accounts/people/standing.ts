// What a member may in a tenant, by what its file says at the moment.

import type { Caller, Permission } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import { effectivePermissions, type Role, systemRoles } from './roles.ts';

/** The caller as that member; `row` is active and has the role. */
export const asMember = (caller: Caller, tenantId: string, row: MemberRow, role: Role): Caller => ({
  ...caller,
  tenantId,
  memberId: row.id,
  permissions: effectivePermissions(role, row.all_projects === 1),
  projects: row.all_projects === 1 ? null : new Set(JSON.parse(row.project_ids_json) as string[]),
  isOwner: role.id === systemRoles.owner.id,
});

/**
 * The caller as they stand in the transaction that changes something by their right: a member may have been removed or
 * given another role since the request came in. Throws `not_found` and `forbidden` as the door does.
 */
export const standing = (db: TenantDb, caller: Caller, needed: Permission): Caller => {
  const present = caller.kind === 'member' ? memberNow(db, caller) : caller;
  if (present.permissions.has(needed)) return present;
  throw new AppError('forbidden', `The credential lacks the permission ${needed}.`, {
    extra: { permission: needed },
  });
};

const memberNow = (db: TenantDb, caller: Caller): Caller => {
  const row = memberStore(db).get(caller.memberId ?? '');
  const role = row?.status === 'active' ? memberStore(db).role(row.role_id) : undefined;
  if (!row || !role || caller.tenantId === null)
    throw new AppError('not_found', 'There is no such practice.');
  return asMember(caller, caller.tenantId, row, role);
};
