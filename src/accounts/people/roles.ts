// Roles and what they permit (decisions 2). Those of the system are the same in every tenant and have fixed ids; custom
// roles lie in the tenant's file. Pure.
import { type Caller, type Permission, permissions } from '#src/kernel/access.ts';

export interface Role {
  readonly id: string;
  /** Of a system role; null of a custom one. */
  readonly slug: SystemRoleSlug | null;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

export const systemRoleSlugs = ['owner', 'admin', 'member', 'editor', 'viewer'] as const;
export type SystemRoleSlug = (typeof systemRoleSlugs)[number];

const memberPermissions: readonly Permission[] = [
  'messages.send',
  'messages.view',
  'messages.view_content',
  'stats.view',
  'suppressions.manage',
  'lists.manage',
  'inbound.view',
];

const fixedId = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

export const systemRoles: Readonly<Record<SystemRoleSlug, Role>> = {
  owner: { id: fixedId(1), slug: 'owner', name: 'Owner', permissions },
  admin: {
    id: fixedId(2),
    slug: 'admin',
    name: 'Admin',
    permissions: permissions.filter((permission) => permission !== 'billing.manage'),
  },
  member: { id: fixedId(3), slug: 'member', name: 'Member', permissions: memberPermissions },
  editor: {
    id: fixedId(4),
    slug: 'editor',
    name: 'Editor',
    permissions: [...memberPermissions, 'campaigns.send'],
  },
  viewer: {
    id: fixedId(5),
    slug: 'viewer',
    name: 'Viewer',
    permissions: ['messages.view', 'stats.view', 'inbound.view'],
  },
};

const byId = new Map(Object.values(systemRoles).map((role) => [role.id, role]));

/** By id or slug; undefined where it is none of the system's. */
export const findSystemRole = (idOrSlug: string): Role | undefined =>
  byId.get(idOrSlug) ?? Object.values(systemRoles).find(({ slug }) => slug === idOrSlug);

/** What belongs to a project can be granted for some projects; all else is the practice's as a whole. */
const grantedPerProject: ReadonlySet<Permission> = new Set([
  'messages.send',
  'messages.view',
  'messages.view_content',
  'stats.view',
  'suppressions.manage',
  'routes.manage',
  'projects.manage',
  'tokens.manage',
]);

/** What a member with that role may, in all projects or in some. */
export const effectivePermissions = (role: Role, allProjects: boolean): ReadonlySet<Permission> =>
  new Set(role.permissions.filter((permission) => allProjects || grantedPerProject.has(permission)));

/** The first permission that the caller would hand out without having it; undefined where there is none. */
export const exceeds = (caller: Caller, granted: Iterable<Permission>): Permission | undefined => {
  for (const permission of granted) if (!caller.permissions.has(permission)) return permission;
  return undefined;
};
