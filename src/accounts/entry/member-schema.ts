// Members as the API shows and takes them: to those who manage them, and to themselves.
import { z } from 'zod';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import type { AuditEntry } from '#src/events/audit-store.ts';
import { idSchema, permissionSchema } from '#src/kernel/fields.ts';
import { languages } from '#src/kernel/language.ts';
import { say } from '#src/kernel/say.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { because } from '#src/kernel/validate.ts';
import { emailSchema } from '#src/mail/email.ts';
import type { MemberRow } from './member-store.ts';
import { effectivePermissions, type Role, systemRoleSlugs } from './rules.ts';

const MAX_PROJECTS = 1_000;

const roleRef = z
  .strictObject({
    id: z.uuid(),
    slug: z.enum(systemRoleSlugs).nullable().describe('null: a custom role'),
    name: z.string(),
  })
  .meta({ id: 'RoleOfMember' });

const grantShape = {
  all_projects: z.boolean(),
  project_ids: z.array(z.uuid()).describe('empty where it is all'),
};

const statusSchema = z.enum(['invited', 'active']);

export const memberSchema = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    role: roleRef,
    status: statusSchema.describe('`invited` until the invitation has been accepted'),
    ...grantShape,
    created_at: z.iso.datetime(),
    accepted_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Member' });

/** A practice as one of its members sees it. */
export const membershipSchema = z
  .strictObject({
    practice_id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    member_id: z.uuid(),
    status: statusSchema,
    role: roleRef,
    ...grantShape,
    permissions: z.array(permissionSchema).describe('none until the invitation has been accepted'),
  })
  .meta({ id: 'Membership' });

const roleId = z
  .union([
    z.uuid(because(say`expected the UUID of a role, or one of ${systemRoleSlugs.join(', ')}`)).toLowerCase(),
    z.enum(systemRoleSlugs),
  ])
  .describe('UUID of a role, or the slug of a system role');
const projectIds = z
  .array(idSchema)
  .max(MAX_PROJECTS)
  .refine((ids) => new Set(ids).size === ids.length, 'expected each project once')
  .describe('required where `all_projects` is false');

export const inviteBody = z
  .strictObject({
    email: emailSchema,
    role_id: roleId,
    all_projects: z.boolean().optional().describe('true where absent'),
    project_ids: projectIds.optional(),
    language: z
      .enum(languages)
      .optional()
      .describe("of the mail; the account's, else the caller's, where absent"),
  })
  .meta({ examples: [{ email: 'ben@praxis.example', role_id: 'member' }] });

export const patchMemberBody = z
  .strictObject({ role_id: roleId, all_projects: z.boolean(), project_ids: projectIds })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ examples: [{ role_id: 'editor' }] });

export const ownerBody = z
  .strictObject({
    email: emailSchema,
    language: inviteBody.shape.language,
  })
  .meta({ examples: [{ email: 'clara@praxis.example' }] });

export interface MemberWithRole {
  readonly row: MemberRow;
  readonly role: Role;
}

const presentGrant = (row: MemberRow, role: Role) => ({
  role: { id: role.id, slug: role.slug, name: role.name },
  status: row.status,
  all_projects: row.all_projects === 1,
  project_ids: JSON.parse(row.project_ids_json) as string[],
});

export const presentMember = (row: MemberRow, role: Role): z.infer<typeof memberSchema> => ({
  id: row.id,
  email: row.email,
  ...presentGrant(row, role),
  created_at: toIso(row.created_at),
  accepted_at: toIsoOrNull(row.accepted_at),
});

/** The audit entry of a change; null before the address was a member, and after it is one no more. */
export const memberEntry = (before: MemberWithRole | null, after: MemberWithRole | null): AuditEntry => ({
  target: { type: 'member', id: (after ?? before)?.row.id ?? '' },
  before: before && presentMember(before.row, before.role),
  after: after && presentMember(after.row, after.role),
});

export const presentMembership = (
  practice: PracticeRow,
  row: MemberRow,
  role: Role,
): z.infer<typeof membershipSchema> => ({
  practice_id: practice.id,
  name: practice.name,
  slug: practice.slug,
  member_id: row.id,
  ...presentGrant(row, role),
  permissions: row.status === 'active' ? [...effectivePermissions(role, row.all_projects === 1)] : [],
});
