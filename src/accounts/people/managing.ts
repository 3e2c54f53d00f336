// What those who manage members share: the roles that are named, whether they may deal with them, and the refusals.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import type { Role } from './roles.ts';
import { type GrantProblem, grantOf, isLastOwner, lacksFor, type ProjectGrant } from './rules.ts';

export const invalid = (error: string, path: string, message: string): AppError =>
  new AppError('invalid_request', error, { extra: { fields: [{ path, message }] } });

export const noSuchPractice = (): AppError => new AppError('not_found', 'There is no such practice.');

/** Of a member; custom roles that someone has are not removed. */
export const roleOf = (db: TenantDb, { id, role_id }: MemberRow): Role => {
  const role = memberStore(db).role(role_id);
  if (role === undefined) throw new Error(`member ${id} has a role that does not exist`);
  return role;
};

/** By id, or a system role by its slug. Throws `invalid_request`. */
export const namedRole = (db: TenantDb, idOrSlug: string): Role => {
  const role = memberStore(db).role(idOrSlug);
  if (role !== undefined) return role;
  throw invalid('There is no such role.', 'body.role_id', 'expected a role of this practice');
};

/** Throws `forbidden` where the caller lacks what it takes to give, change or take away the role. */
export const requireMayHandle = (caller: Caller, role: Role): void => {
  const permission = lacksFor(caller, role);
  if (permission === undefined) return;
  const text =
    permission === 'owner'
      ? 'Only owners make, change and remove owners.'
      : `The role ${role.name} has a permission that you lack: ${permission}.`;
  throw new AppError('forbidden', text, {
    hint: 'Nobody deals with roles that may more than their own: ask someone who has the permission.',
    extra: { permission },
  });
};

/** Throws `conflict` where the tenant would be without an owner if that member were none any more. */
export const requireNotLastOwner = (db: TenantDb, memberId: string): void => {
  if (!isLastOwner(memberStore(db).owners(), memberId)) return;
  throw new AppError('conflict', 'A practice always keeps one owner, and this is the last.', {
    hint: 'Make another member an owner first, and have them accept.',
  });
};

const isProblem = (grant: ProjectGrant | GrantProblem): grant is GrantProblem => 'path' in grant;

/** What is given over what a member had. Throws `invalid_request`, also for a project that does not exist. */
export const namedGrant = (
  db: TenantDb,
  given: Parameters<typeof grantOf>[0],
  before: MemberRow | undefined,
  role: Role,
): Pick<MemberRow, 'all_projects' | 'project_ids_json'> => {
  const had = before && {
    allProjects: before.all_projects === 1,
    projectIds: JSON.parse(before.project_ids_json) as string[],
  };
  const grant = grantOf(given, had ?? null, role);
  if (isProblem(grant))
    throw invalid('The member cannot be limited like that.', `body.${grant.path}`, grant.message);
  const unknown = grant.projectIds.findIndex((id) => tenantStore(db).project(id) === undefined);
  if (unknown >= 0)
    throw invalid(
      'There is no such project.',
      `body.project_ids[${unknown}]`,
      'expected an existing project',
    );
  return {
    all_projects: grant.allProjects ? 1 : 0,
    project_ids_json: JSON.stringify(grant.projectIds),
  };
};
