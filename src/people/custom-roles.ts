// Custom roles of a practice, and how the API shows all roles. A change applies from the next request of each member
// who has the role, because what a member may do is read from the tenant's file each time.

import { z } from 'zod';
import { requirePermission } from '#src/accounts/entry/enter.ts';
import { memberStore, type RoleRow, toRole } from '#src/accounts/entry/member-store.ts';
import {
  findSystemRole,
  type Role,
  roleNameKey,
  systemRoleSlugs,
  systemRoles,
} from '#src/accounts/entry/rules.ts';
import { planNames, plans } from '#src/accounts/tenants/rules.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type AuditEntry, auditStore } from '#src/events/audit-store.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import { type Permission, permissions } from '#src/kernel/access.ts';
import type { Base } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { permissionSchema } from '#src/kernel/fields.ts';
import { newId } from '#src/kernel/id.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import { requireMayHandle } from './members.ts';

export const roleSchema = z
  .strictObject({
    id: z.uuid(),
    slug: z.enum(systemRoleSlugs).nullable().describe('of a system role; null: a custom one'),
    name: z.string(),
    system: z.boolean().describe('the same in every practice, and unchangeable'),
    permissions: z.array(permissionSchema),
    created_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Role' });

const granted = z
  .array(permissionSchema)
  .min(1)
  .max(permissions.length)
  .refine((names) => new Set(names).size === names.length, 'expected each permission once');

export const createRoleBody = z
  .strictObject({ name: nameSchema, permissions: granted })
  .meta({ examples: [{ name: 'Empfang', permissions: ['messages.send', 'messages.view'] }] });

export const patchRoleBody = createRoleBody
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ examples: [{ permissions: ['messages.view', 'stats.view'] }] });

const present = (role: Role, createdAt: number | null): z.infer<typeof roleSchema> => ({
  id: role.id,
  slug: role.slug,
  name: role.name,
  system: role.slug !== null,
  permissions: [...role.permissions],
  created_at: createdAt === null ? null : toIso(createdAt),
});

export const presentSystemRole = (role: Role): z.infer<typeof roleSchema> => present(role, null);
export const presentCustomRole = (row: RoleRow): z.infer<typeof roleSchema> =>
  present(toRole(row), row.created_at);

export type RoleDeps = Pick<Base, 'storage' | 'clock'>;

type By = Pick<RequestContext, 'caller' | 'change'>;

/** One of the system, or a custom one. Throws `not_found`. */
export const roleOf = (db: TenantDb, id: string): z.infer<typeof roleSchema> => {
  const system = findSystemRole(id);
  if (system) return presentSystemRole(system);
  const row = memberStore(db).customRole(id);
  if (row === undefined) throw new AppError('not_found', say`There is no such role.`);
  return presentCustomRole(row);
};

const roleEntry = (before: RoleRow | null, after: RoleRow | null): AuditEntry => ({
  target: { type: 'role', id: (after ?? before)?.id ?? '' },
  before: before && presentCustomRole(before),
  after: after && presentCustomRole(after),
});

const MAX_ROLES = 200;

const requirePlan = (db: TenantDb): void => {
  const { plan } = tenantStore(db).practice();
  if (plans[plan].customRoles) return;
  const names = planNames.filter((name) => plans[name].customRoles).join(' and ');
  throw new AppError('conflict', say`The plan ${plan} has no custom roles.`, {
    hint: say`The plans ${names} have them; the system roles are on every plan.`,
  });
};

const requireFreeName = (db: TenantDb, name: string, ownId: string | null): void => {
  const key = roleNameKey(name);
  const isTaken =
    Object.values(systemRoles).some((role) => roleNameKey(role.name) === key) ||
    memberStore(db)
      .customRoles()
      .some((row) => row.id !== ownId && roleNameKey(row.name) === key);
  if (isTaken) throw new AppError('conflict', say`There is a role of that name already.`);
};

/** Throws `conflict` for a system role, `not_found`. */
const customRole = (db: TenantDb, id: string): RoleRow => {
  if (findSystemRole(id) !== undefined) {
    throw new AppError('conflict', say`System roles are the same everywhere and cannot be changed.`, {
      hint: say`Create a custom role instead.`,
    });
  }
  const row = memberStore(db).customRole(id);
  if (row === undefined) throw new AppError('not_found', say`There is no such role.`);
  return row;
};

/** Throws `conflict` for the plan, the name or the number of roles, `forbidden` for permissions the caller lacks. */
export const createRole = (
  { storage, clock }: RoleDeps,
  tenantId: string,
  wanted: { readonly name: string; readonly permissions: readonly Permission[] },
  { caller, change }: By,
): Promise<RoleRow> =>
  storage.tenants.write(tenantId, (db) => {
    const manager = requirePermission(db, caller, 'members.manage');
    requirePlan(db);
    if (memberStore(db).customRoles().length >= MAX_ROLES)
      throw new AppError('conflict', say`A practice has at most ${MAX_ROLES} custom roles.`);
    requireFreeName(db, wanted.name, null);
    const now = clock.now();
    const row: RoleRow = {
      id: newId(),
      name: wanted.name,
      permissions_json: JSON.stringify(wanted.permissions),
      created_at: now,
    };
    requireMayHandle(manager, toRole(row));
    memberStore(db).insertRole(row);
    auditStore(db).record(change, roleEntry(null, row), now);
    return row;
  });

/** The caller must have what the role may before and after: its members lose or gain by it. Throws as `createRole`. */
export const updateRole = (
  { storage, clock }: RoleDeps,
  tenantId: string,
  roleId: string,
  patch: { readonly name?: string | undefined; readonly permissions?: readonly Permission[] | undefined },
  { caller, change, otherVersion }: By & Pick<RequestContext, 'otherVersion'>,
): Promise<RoleRow> =>
  storage.tenants.write(tenantId, (db) => {
    const manager = requirePermission(db, caller, 'members.manage');
    const before = customRole(db, roleId);
    requirePlan(db);
    requireCurrent(db, { otherVersion }, presentCustomRole(before), {
      targetId: roleId,
      actions: ['role.create', 'role.update'],
    });
    const name = patch.name ?? before.name;
    requireFreeName(db, name, roleId);
    const permissions = patch.permissions ?? toRole(before).permissions;
    const row: RoleRow = { ...before, name, permissions_json: JSON.stringify(permissions) };
    requireMayHandle(manager, toRole(before));
    requireMayHandle(manager, toRole(row));
    memberStore(db).updateRole(row);
    auditStore(db).record(change, roleEntry(before, row), clock.now());
    return row;
  });

/** Throws `conflict` while members have it, invited ones too; `not_found`, `forbidden`. */
export const removeRole = (
  { storage, clock }: RoleDeps,
  tenantId: string,
  roleId: string,
  { caller, change }: By,
): Promise<void> =>
  storage.tenants.write(tenantId, (db) => {
    const manager = requirePermission(db, caller, 'members.manage');
    const before = customRole(db, roleId);
    requireMayHandle(manager, toRole(before));
    const holders = memberStore(db).withRole(roleId).length;
    if (holders > 0) {
      throw new AppError('conflict', say`The role cannot be removed: ${holders} have it.`, {
        hint: say`Give its members another role first.`,
      });
    }
    memberStore(db).removeRole(roleId);
    auditStore(db).record(change, roleEntry(before, null), clock.now());
  });
