// Members entering a practice. The index in platform.db says where to look, the tenant's file says what they may do:
// a member needs a row in both, and a request by a stranger opens no file.

import type { Account, Caller, Permission } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { accountStore } from './account-store.ts';
import type { MemberWithRole } from './member-schema.ts';
import { type MemberRow, memberStore } from './member-store.ts';
import { effectivePermissions, type Role, systemRoles } from './rules.ts';
import { tokenStore } from './token-store.ts';

/** Ids of the projects that the member is limited to; null: all. */
export const projectsOf = ({ all_projects, project_ids_json }: MemberRow): Caller['projects'] =>
  all_projects === 1 ? null : new Set(JSON.parse(project_ids_json) as string[]);

/** The caller as that member; `row` is active and has the role. */
const asMember = (caller: Caller, tenantId: string, row: MemberRow, role: Role): Caller => ({
  ...caller,
  tenantId,
  memberId: row.id,
  permissions: effectivePermissions(role, row.all_projects === 1),
  projects: projectsOf(row),
  isOwner: role.id === systemRoles.owner.id,
});

/**
 * The caller with the permissions they have now, in the transaction of the change: a member may have been removed or
 * given another role since the request came in. Throws `not_found` and `forbidden` as the server does.
 */
export const requirePermission = (db: TenantDb, caller: Caller, needed: Permission): Caller => {
  const current = caller.kind === 'member' ? memberNow(db, caller) : caller;
  if (current.permissions.has(needed)) return current;
  throw new AppError('forbidden', say`The credential lacks the permission ${needed}.`, {
    extra: { permission: needed },
  });
};

const memberNow = (db: TenantDb, caller: Caller): Caller => {
  const row = memberStore(db).get(caller.memberId ?? '');
  const role = row?.status === 'active' ? memberStore(db).role(row.role_id) : undefined;
  if (!row || !role || caller.tenantId === null)
    throw new AppError('not_found', say`There is no such practice.`);
  return asMember(caller, caller.tenantId, row, role);
};

/** Undefined if the address is no member of that tenant, or its role no longer exists. */
export const findMember = (db: TenantDb, emailKey: string): MemberWithRole | undefined => {
  const row = memberStore(db).byEmail(emailKey);
  const role = row && memberStore(db).role(row.role_id);
  return role && { row, role };
};

/** The caller in the tenant of that file, which the index says is theirs; null if they are no active member there. */
export const callerIn = (db: TenantDb, caller: Caller, tenantId: string): Caller | null => {
  if (caller.kind !== 'member' || caller.account === null) return caller;
  const found = findMember(db, caller.account.emailKey);
  return found?.row.status === 'active' ? asMember(caller, tenantId, found.row, found.role) : null;
};

/** The caller as a member of that tenant; null if they are no active member, or the tenant does not exist. */
export const createEnterTenant =
  ({ platform, tenants }: Storage) =>
  async (caller: Caller, tenantId: string): Promise<Caller | null> => {
    const { account } = caller;
    if (account === null) return null;
    if (!(await platform.read((db) => accountStore(db).isMember(account.id, tenantId)))) return null;
    return tenants.read(tenantId, (db) => callerIn(db, caller, tenantId));
  };

const PAGE = 50;
/** Far more practices than anyone works for; one request must not read the whole installation. */
const MAX_LOOKED_AT = 1_000;

/** Ids of the tenants that the account may be a member of, in the order of their numbers; at most 1,000. */
export async function* tenantsOf(storage: Storage, accountId: string): AsyncGenerator<string> {
  let after = 0;
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += PAGE) {
    const page = await storage.platform.read((db) => accountStore(db).memberships(accountId, after, PAGE));
    for (const { id } of page) yield id;
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE) return;
  }
}

const CREATORS: ReadonlySet<string> = new Set([systemRoles.owner.id, systemRoles.admin.id]);

const isCreatorIn = async (storage: Storage, { emailKey }: Account, tenantId: string): Promise<boolean> => {
  const found = await storage.tenants.read(tenantId, (db) => findMember(db, emailKey));
  return found?.row.status === 'active' && CREATORS.has(found.role.id);
};

/** Whether the caller is Owner or Admin of any practice. A practice whose file cannot be read does not count. */
export const createMayCreatePractice =
  (storage: Storage) =>
  async ({ account }: Caller): Promise<boolean> => {
    if (account === null) return false;
    for await (const tenantId of tenantsOf(storage, account.id)) {
      if (await isCreatorIn(storage, account, tenantId).catch(() => false)) return true;
    }
    return false;
  };

/** For what is used without the limits of a token: one that has some may not make it. Throws `forbidden`. */
export const requireUnlimited = (db: TenantDb, { kind, credentialId }: Caller): void => {
  const own = kind === 'team_token' ? tokenStore(db).get(credentialId) : undefined;
  if (own === undefined || (own.expires_at === null && own.allowed_json === null)) return;
  throw new AppError('forbidden', say`A token that expires or is limited to addresses cannot do this.`, {
    hint: say`What it makes would have neither limit: use a token without limits, or sign in.`,
    extra: {},
  });
};
