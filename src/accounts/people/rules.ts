// What each kind of credential may do (decisions 2), how tokens look, and who may do what to members and their roles:
// nobody hands out or takes away more than they have, only owners make and unmake owners, and where there was an owner
// there stays one. Pure.
import { type Caller, type Permission, permissions } from '#src/kernel/access.ts';
import { exceeds, type Role } from './roles.ts';

export const tokenScopes = ['team', 'project'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const tokenPrefix: Readonly<Record<TokenScope, string>> = { team: 'svc_team_', project: 'svc_proj_' };

const withheldFromTeamTokens: ReadonlySet<Permission> = new Set(['billing.manage', 'members.manage']);

export const operatorPermissions: ReadonlySet<Permission> = new Set(permissions);

export const tokenPermissions: Readonly<Record<TokenScope, ReadonlySet<Permission>>> = {
  team: new Set(permissions.filter((permission) => !withheldFromTeamTokens.has(permission))),
  project: new Set<Permission>(['messages.send', 'messages.view', 'stats.view']),
};

/**
 * What the caller lacks to give that role to someone, to take it away, or to make it what it is: the first permission
 * that it has and they have not, or `owner` where it takes one. Undefined where they may.
 */
export const lacksFor = (caller: Caller, role: Role): Permission | 'owner' | undefined =>
  role.slug === 'owner' && !caller.isOwner ? 'owner' : exceeds(caller, role.permissions);

/** Of a member. */
export type MemberStatus = 'invited' | 'active';

/**
 * Whether the tenant would be without an owner if that member were none any more. The last one who is active counts
 * also where others are invited: they may never come.
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
  /** Empty where it is all. */
  readonly projectIds: readonly string[];
}

/** A field of the request, and what is wrong with it. */
export interface GrantProblem {
  readonly path: 'all_projects' | 'project_ids';
  readonly message: string;
}

/** `given` over what was granted `before`; null before a member is one. */
export const grantOf = (
  given: { readonly allProjects?: boolean | undefined; readonly projectIds?: readonly string[] | undefined },
  before: ProjectGrant | null,
  role: Role,
): ProjectGrant | GrantProblem => {
  const allProjects = given.allProjects ?? before?.allProjects ?? true;
  if (!allProjects && role.slug === 'owner')
    return { path: 'all_projects', message: 'expected true: an owner has all projects' };
  if (allProjects) {
    return given.projectIds === undefined || given.projectIds.length === 0
      ? { allProjects, projectIds: [] }
      : { path: 'project_ids', message: 'only where all_projects is false' };
  }
  const projectIds = given.projectIds ?? before?.projectIds ?? [];
  return projectIds.length === 0
    ? { path: 'project_ids', message: 'required where all_projects is false' }
    : { allProjects, projectIds };
};

/** By what names of roles are compared. */
export const roleNameKey = (name: string): string => name.normalize('NFKC').toLowerCase();
