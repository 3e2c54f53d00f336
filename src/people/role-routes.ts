// Roles of a practice: those of the system, and custom ones.

import { z } from 'zod';
import { memberStore } from '#src/accounts/entry/member-store.ts';
import { systemRoles } from '#src/accounts/entry/rules.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import {
  createRole,
  createRoleBody,
  patchRoleBody,
  presentCustomRole,
  presentSystemRole,
  type RoleDeps,
  removeRole,
  roleOf,
  roleSchema,
  updateRole,
} from './custom-roles.ts';

const roleParams = z.strictObject({ ...tenantParams.shape, roleID: idSchema });
const PATH = '/api/practices/{id}/roles';
const ROLE_PATH = `${PATH}/{roleID}`;
const shared = { tag: 'Members and roles', stability: 'stable' } as const;

const version = (role: unknown): unknown => role;

export const roleRoutes = (deps: RoleDeps): Route[] => [
  defineRoute({
    ...shared,
    method: 'get',
    path: PATH,
    id: 'listRoles',
    summary: 'Roles',
    access: 'authenticated',
    params: tenantParams,
    query: z.strictObject(listQuery),
    responses: { 200: { description: 'Those of the system, then custom ones.', body: listOf(roleSchema) } },
    handle: async ({ params: { id }, query }) => {
      const custom = await deps.storage.tenants.read(id, (db) => memberStore(db).customRoles());
      const all = [...Object.values(systemRoles).map(presentSystemRole), ...custom.map(presentCustomRole)];
      return { status: 200, body: pageOf(all, query, (role) => role) };
    },
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: PATH,
    id: 'createRole',
    summary: 'Create a custom role',
    description: 'On the plans that have them, with permissions that its maker has.',
    access: 'members.manage',
    audit: 'role.create',
    params: tenantParams,
    body: createRoleBody,
    responses: { 201: { description: 'The role.', body: roleSchema } },
    errors: ['conflict'],
    handle: async ({ params: { id }, body }, context) => ({
      status: 201,
      body: presentCustomRole(await createRole(deps, id, body, context)),
    }),
  }),
  defineRoute({
    ...shared,
    method: 'get',
    path: ROLE_PATH,
    id: 'getRole',
    summary: 'A role',
    access: 'authenticated',
    version,
    params: roleParams,
    responses: { 200: { description: 'The role.', body: roleSchema } },
    errors: ['not_found'],
    handle: async ({ params: { id, roleID } }) => ({
      status: 200,
      body: await deps.storage.tenants.read(id, (db) => roleOf(db, roleID)),
    }),
  }),
  defineRoute({
    ...shared,
    method: 'patch',
    path: ROLE_PATH,
    id: 'updateRole',
    summary: 'Change a custom role',
    description: 'It holds from the next request of everyone who has the role.',
    access: 'members.manage',
    audit: 'role.update',
    version,
    params: roleParams,
    body: patchRoleBody,
    responses: { 200: { description: 'The role.', body: roleSchema } },
    errors: ['conflict'],
    handle: async ({ params: { id, roleID }, body }, context) => ({
      status: 200,
      body: presentCustomRole(await updateRole(deps, id, roleID, body, context)),
    }),
  }),
  defineRoute({
    ...shared,
    method: 'delete',
    path: ROLE_PATH,
    id: 'deleteRole',
    summary: 'Remove a custom role',
    access: 'members.manage',
    audit: 'role.delete',
    params: roleParams,
    responses: { 204: { description: 'No member had it.' } },
    errors: ['conflict'],
    handle: async ({ params: { id, roleID } }, context) => {
      await removeRole(deps, id, roleID, context);
      return { status: 204 };
    },
  }),
];
