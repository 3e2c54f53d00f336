// Roles as the API shows and takes them.
import { z } from 'zod';
import { permissions } from '#src/kernel/access.ts';
import { nameSchema } from '#src/kernel/fields.ts';
import { toIso } from '#src/kernel/time.ts';
import { type RoleRow, toRole } from './member-store.ts';
import { type Role, systemRoleSlugs } from './roles.ts';

export const roleSchema = z.strictObject({
  id: z.uuid(),
  slug: z.enum(systemRoleSlugs).nullable().describe('of a system role; null: a custom one'),
  name: z.string(),
  system: z.boolean().describe('the same in every practice, and unchangeable'),
  permissions: z.array(z.enum(permissions)),
  created_at: z.iso.datetime().nullable(),
});

const granted = z
  .array(z.enum(permissions))
  .min(1)
  .max(permissions.length)
  .refine((names) => new Set(names).size === names.length, 'expected each permission once');

export const createRoleBody = z.strictObject({ name: nameSchema, permissions: granted });

export const patchRoleBody = createRoleBody
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field');

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
