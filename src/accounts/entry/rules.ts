// What roles and credentials permit. System roles are the same in every tenant and have fixed ids; custom
// roles are in the tenant's file. No one hands out or takes away more than they have, only owners make and remove
// owners, and a practice that has an owner keeps one. Pure.
import { type Caller, type Permission, permissions } from '#src/kernel/access.ts';
import { say, type Text } from '#src/kernel/say.ts';

export interface Role {
  readonly id: string;
  /** A system role has one; it is null for a custom role. */
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

/** Finds a system role by its id or slug; undefined if it is none. */
export const findSystemRole = (idOrSlug: string): Role | undefined =>
  byId.get(idOrSlug) ?? Object.values(systemRoles).find(({ slug }) => slug === idOrSlug);

/** These permissions can be granted for some projects; all others are for the whole practice. */
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

/** The first granted permission that the caller does not have; undefined if there is none. */
export const exceeds = (caller: Caller, granted: Iterable<Permission>): Permission | undefined => {
  for (const permission of granted) if (!caller.permissions.has(permission)) return permission;
  return undefined;
};

export const tokenScopes = ['team', 'project'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const tokenPrefix: Readonly<Record<TokenScope, string>> = { team: 'svc_team_', project: 'svc_proj_' };

const withheldFromTeamTokens: ReadonlySet<Permission> = new Set(['billing.manage', 'members.manage']);

export const tokenPermissions: Readonly<Record<TokenScope, ReadonlySet<Permission>>> = {
  team: new Set(permissions.filter((permission) => !withheldFromTeamTokens.has(permission))),
  project: new Set<Permission>(['messages.send', 'messages.view', 'stats.view']),
};

/**
 * What the caller lacks to give, change or take away that role: the first permission that the role has and the caller
 * has not, or `owner` if only an owner may. Undefined if the caller may.
 */
export const lacksFor = (caller: Caller, role: Role): Permission | 'owner' | undefined =>
  role.slug === 'owner' && !caller.isOwner ? 'owner' : exceeds(caller, role.permissions);

export type MemberStatus = 'invited' | 'active';

/**
 * Whether the tenant would have no owner without that member. An invited owner does not replace the last active one,
 * because they may never accept.
 */
export const isLastOwner = (
  owners: readonly { readonly id: string; readonly status: MemberStatus }[],
  memberId: string,
): boolean => {
  const owner = owners.find(({ id }) => id === memberId);
  if (owner === undefined) return false;
  const others = owners.filter(({ id }) => id !== memberId);
  return owner.status === 'active' ? !others.some(({ status }) => status === 'active') : others.length === 0;
};

export interface ProjectGrant {
  readonly allProjects: boolean;
  /** Empty if it is all. */
  readonly projectIds: readonly string[];
}

/** A field of the request, and what is wrong with it. */
export interface GrantProblem {
  readonly path: 'all_projects' | 'project_ids';
  readonly message: Text;
}

/** `given` replaces what was granted `before`; null for a new member. */
export const grantOf = (
  given: { readonly allProjects?: boolean | undefined; readonly projectIds?: readonly string[] | undefined },
  before: ProjectGrant | null,
  role: Role,
): ProjectGrant | GrantProblem => {
  const allProjects = given.allProjects ?? before?.allProjects ?? true;
  if (!allProjects && role.slug === 'owner')
    return { path: 'all_projects', message: say`expected true: an owner has all projects` };
  if (allProjects) {
    return given.projectIds === undefined || given.projectIds.length === 0
      ? { allProjects, projectIds: [] }
      : { path: 'project_ids', message: say`only where all_projects is false` };
  }
  const projectIds = given.projectIds ?? before?.projectIds ?? [];
  return projectIds.length === 0
    ? { path: 'project_ids', message: say`required where all_projects is false` }
    : { allProjects, projectIds };
};

/** Names of roles are compared by this. */
export const roleNameKey = (name: string): string => name.normalize('NFKC').toLowerCase();
