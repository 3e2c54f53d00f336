// Changing and removing members, and the checks that all who manage members share. A removal is written to the tenant's
// file first: from then on the member may do nothing there. Then the registry removes the membership, and with the last
// one the account and its sessions.
import type { Notices } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import { accountStore } from './account-store.ts';
import { requirePermission } from './enter.ts';
import { type MemberWithRole, memberEntry } from './member-schema.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import { type GrantProblem, grantOf, isLastOwner, lacksFor, type ProjectGrant, type Role } from './rules.ts';

export const invalid = (error: string, path: string, message: string): AppError =>
  new AppError('invalid_request', error, { extra: { fields: [{ path, message }] } });

export const noSuchPractice = (): AppError => new AppError('not_found', 'There is no such practice.');

/** The role of a member. It exists, because a custom role that someone has cannot be removed. */
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

/** Throws `forbidden` if the caller may not give, change or take away the role. */
export const requireMayHandle = (caller: Caller, role: Role): void => {
  const permission = lacksFor(caller, role);
  if (permission === undefined) return;
  const text =
    permission === 'owner'
      ? 'Only owners make, change and remove owners.'
      : `The role ${role.name} has a permission that you lack: ${permission}.`;
  throw new AppError('forbidden', text, {
    hint: 'A member can only give, change or remove roles within their own permissions: ask someone who has the permission.',
    extra: { permission },
  });
};

/** Throws `conflict` if the tenant would have no owner without that member. */
export const requireNotLastOwner = (db: TenantDb, memberId: string): void => {
  if (!isLastOwner(memberStore(db).owners(), memberId)) return;
  throw new AppError('conflict', 'A practice always keeps one owner, and this is the last.', {
    hint: 'Make another member an owner first, and have them accept.',
  });
};

const isProblem = (grant: ProjectGrant | GrantProblem): grant is GrantProblem => 'path' in grant;

/** The projects of a member: `given` replaces what they had. Throws `invalid_request`, also for an unknown project. */
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

/** What every change of a practice's people needs. */
export interface PeopleDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** One change of a tenant's people after the other: each writes two files. */
  readonly queue: KeyedQueue;
  readonly notices: Notices;
  /** Of links, and where members sign in; without a slash at its end. */
  readonly origin: string;
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
  { storage, clock }: PeopleDeps,
  tenantId: string,
  memberId: string,
  patch: MemberPatch,
  { caller, change }: By,
): Promise<MemberWithRole> =>
  storage.tenants.write(tenantId, (db) => {
    const manager = requirePermission(db, caller, 'members.manage');
    const before = memberStore(db).get(memberId);
    if (!before) throw noSuchMember();
    const beforeRole = roleOf(db, before);
    const role = patch.roleId === undefined ? beforeRole : namedRole(db, patch.roleId);
    requireMayHandle(manager, beforeRole);
    requireMayHandle(manager, role);
    if (role.slug !== 'owner') requireNotLastOwner(db, memberId);
    const row: MemberRow = { ...before, role_id: role.id, ...namedGrant(db, patch, before, role) };
    memberStore(db).update(row);
    const after = { row, role };
    auditStore(db).record(change, memberEntry({ row: before, role: beforeRole }, after), clock.now());
    return after;
  });

/** Throws `not_found`, `forbidden`, `conflict` for the last owner. */
export const removeMember = (
  deps: PeopleDeps,
  tenantId: string,
  memberId: string,
  { caller, change }: By,
): Promise<void> =>
  deps.queue(tenantId, async () => {
    const { storage, clock } = deps;
    const removed = await storage.tenants.write(tenantId, (db) => {
      const manager = requirePermission(db, caller, 'members.manage');
      const row = memberStore(db).get(memberId);
      if (!row) return null;
      const role = roleOf(db, row);
      requireMayHandle(manager, role);
      requireNotLastOwner(db, memberId);
      memberStore(db).remove(memberId);
      auditStore(db).record(change, memberEntry({ row, role }, null), clock.now());
      return row;
    });
    if (removed === null) {
      await removeStrayMemberships(deps, tenantId);
      throw noSuchMember();
    }
    await removeMembership(deps, tenantId, removed.email_key);
  });

/** The registry's half of a removal. */
export const removeMembership = (
  { storage }: PeopleDeps,
  tenantId: string,
  emailKey: string,
): Promise<void> =>
  storage.platform.write((db) => {
    const account = accountStore(db).byEmail(emailKey);
    if (account) accountStore(db).leave(account.id, tenantId);
  });

/**
 * The registry's half of removals that a crash cut off: memberships of this tenant that the tenant's file does not have.
 * Only in the tenant's turn: those who join are written to its file first, and so are never strays.
 */
const removeStrayMemberships = async ({ storage }: PeopleDeps, tenantId: string): Promise<void> => {
  const known = await storage.tenants.read(tenantId, (db) => memberStore(db).all());
  const keys = new Set(known.map(({ email_key }) => email_key));
  await storage.platform.write((db) => {
    for (const account of accountStore(db).ofTenant(tenantId))
      if (!keys.has(account.email_key)) accountStore(db).leave(account.id, tenantId);
  });
};
