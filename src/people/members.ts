// Changing and removing members, and the checks that all who manage members share. A removal is written to the tenant's
// file first: from then on the member may do nothing there. Then the registry removes the membership, and with the last
// one the account and its sessions.

import { accountStore } from '#src/accounts/entry/account-store.ts';
import { requirePermission } from '#src/accounts/entry/enter.ts';
import { type MemberWithRole, memberEntry } from '#src/accounts/entry/member-schema.ts';
import { type MemberRow, memberStore } from '#src/accounts/entry/member-store.ts';
import { welcomeOwner, writeOwner } from '#src/accounts/entry/owners.ts';
import {
  type GrantProblem,
  grantOf,
  isLastOwner,
  lacksFor,
  type ProjectGrant,
  type Role,
} from '#src/accounts/entry/rules.ts';
import type { Notices } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { refuseSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Language } from '#src/kernel/language.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { PersonEmail } from '#src/mail/email.ts';

export const invalid = (error: Text, path: string, message: Text): AppError =>
  new AppError('invalid_request', error, { extra: { fields: [{ path, message }] } });

export const noSuchPractice = (): AppError => new AppError('not_found', say`There is no such practice.`);

/** The role of a member. It exists, because a custom role that someone has cannot be removed. */
export const roleOf = (db: TenantDb, { id, role_id }: MemberRow): Role => {
  const role = memberStore(db).role(role_id);
  if (role === undefined) throw new Error(`member ${id} has a role that does not exist`);
  return role;
};

/** Takes an id, or the slug of a system role. Throws `invalid_request`. */
export const namedRole = (db: TenantDb, idOrSlug: string): Role => {
  const role = memberStore(db).role(idOrSlug);
  if (role !== undefined) return role;
  throw invalid(say`There is no such role.`, 'body.role_id', say`expected a role of this practice`);
};

/** Throws `forbidden` if the caller may not give, change or take away the role. */
export const requireMayHandle = (caller: Caller, role: Role): void => {
  const permission = lacksFor(caller, role);
  if (permission === undefined) return;
  const text =
    permission === 'owner'
      ? say`Only owners make, change and remove owners.`
      : say`The role ${role.name} has a permission that you lack: ${permission}.`;
  throw new AppError('forbidden', text, {
    hint: say`A member can only give, change or remove roles within their own permissions: ask someone who has the permission.`,
    extra: permission === 'owner' ? {} : { permission },
  });
};

/** Throws `conflict` if the tenant would have no owner without that member. */
export const requireNotLastOwner = (db: TenantDb, memberId: string): void => {
  if (!isLastOwner(memberStore(db).owners(), memberId)) return;
  throw new AppError('conflict', say`A practice always keeps one owner, and this is the last.`, {
    hint: say`Make another member an owner first, and have them accept.`,
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
    throw invalid(say`The member cannot be limited like that.`, `body.${grant.path}`, grant.message);
  const unknown = grant.projectIds.findIndex((id) => tenantStore(db).project(id) === undefined);
  if (unknown >= 0)
    throw invalid(
      say`There is no such project.`,
      `body.project_ids[${unknown}]`,
      say`expected an existing project`,
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
  /** The origin of links and of the page on which members sign in; it has no slash at its end. */
  readonly origin: string;
}

type By = Pick<RequestContext, 'caller' | 'change'>;

const noSuchMember = (): AppError => new AppError('not_found', say`There is no such member.`);

/** Throws `not_found`, `forbidden`, `conflict` for the last owner, `invalid_request`. */
export const updateMember = (
  { storage, clock }: PeopleDeps,
  tenantId: string,
  memberId: string,
  patch: {
    readonly roleId: string | undefined;
    readonly allProjects: boolean | undefined;
    readonly projectIds: readonly string[] | undefined;
  },
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
 * Only in the tenant's turn: those who join are written to its file first, and so are never left over.
 */
const removeStrayMemberships = async ({ storage }: PeopleDeps, tenantId: string): Promise<void> => {
  const known = await storage.tenants.read(tenantId, (db) => memberStore(db).all());
  const keys = new Set(known.map(({ email_key }) => email_key));
  await storage.platform.write((db) => {
    for (const account of accountStore(db).ofTenant(tenantId))
      if (!keys.has(account.email_key)) accountStore(db).leave(account.id, tenantId);
  });
};

/**
 * The operator makes an owner: the address is an active one when it resolves, and gets a mail. Throws `conflict` for the system
 * tenant.
 */
export const makeOwner = (
  deps: PeopleDeps,
  tenantId: string,
  { email, emailKey }: PersonEmail,
  mailLanguage: Language | undefined,
  { change, language }: Pick<RequestContext, 'change' | 'language'>,
): Promise<{ row: MemberRow; isNew: boolean }> =>
  deps.queue(tenantId, async () => {
    const { storage } = deps;
    await refuseSystemTenant(storage, tenantId);
    const now = deps.clock.now();
    const { row, isNew, practice } = await storage.tenants.write(tenantId, (db) => {
      const isNew = memberStore(db).byEmail(emailKey) === undefined;
      const row = writeOwner(db, { email, language, mailLanguage }, change, now);
      return { row, isNew, practice: tenantStore(db).practice() };
    });
    await storage.platform.write((db) =>
      welcomeOwner(deps, db, { email, language, mailLanguage }, practice, now),
    );
    deps.notices.wake();
    return { row, isNew };
  });
