// Makes, rotates and removes inbound hooks. As with API tokens, the record is in the tenant's file and what lets a request in is in
// the registry: making and rotating write the record first, removing the registry. After a crash in between no secret is valid
// whose hook its owner cannot see. The changes of a tenant's hooks run one after the other.

import { requireUnlimited } from '#src/accounts/entry/enter.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import { hashBearer, newBearer } from '#src/kernel/credentials.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { say } from '#src/kernel/say.ts';
import { FORMER_SECRET_MS } from '#src/kernel/secret.ts';
import type { Clock } from '#src/kernel/time.ts';
import { presentHook } from './schema.ts';
import { type HookRow, hookKeyStore, hookStore } from './store.ts';

export interface HookDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: KeyedQueue;
  /** The addresses of hooks begin with it. */
  readonly origin: string;
}

/** All of them are listed on one page. */
export const MAX_HOOKS = 50;
const SECRET_PREFIX = 'hooksec_';

interface By {
  readonly caller: Caller;
  readonly change: Change;
}

type WithSecret = { readonly row: HookRow; readonly secret: string };

/** Throws `not_found`. */
export const hookOf = (db: TenantDb, id: string): HookRow => {
  const row = hookStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such inbound hook.`);
  return row;
};

/** A hook whose creation a crash cut off gets its first one by a rotation. */
const putSecret = (
  { storage }: HookDeps,
  tenantId: string,
  { id, project_id, hash, former_until }: HookRow,
): Promise<void> =>
  storage.platform.write((db) =>
    hookKeyStore(db).put({ id, tenant_id: tenantId, project_id, hash, former_until }),
  );

/**
 * Throws `not_found` for a project that does not exist, `conflict` where there are too many hooks, `forbidden` as `requireUnlimited`.
 */
export const createHook = (
  deps: HookDeps,
  tenantId: string,
  { name, projectId }: { readonly name: string; readonly projectId: string | null },
  { caller, change }: By,
): Promise<WithSecret> =>
  deps.queue(tenantId, async () => {
    const { storage, clock, origin } = deps;
    const [id, secret] = [newId(), newBearer(SECRET_PREFIX)];
    const row = await storage.tenants.write(tenantId, (db): HookRow => {
      requireUnlimited(db, caller);
      if (projectId !== null && !tenantStore(db).project(projectId))
        throw new AppError('not_found', say`There is no such project.`);
      if (hookStore(db).list().length >= MAX_HOOKS)
        throw new AppError('conflict', say`A practice has at most ${MAX_HOOKS} inbound hooks.`, {
          hint: say`Delete one that is not used any more.`,
        });
      const now = clock.now();
      const made = {
        id,
        name,
        project_id: projectId,
        hash: hashBearer(secret),
        former_hash: null,
        former_until: null,
        created_at: now,
        last_used_at: null,
      };
      hookStore(db).insert(made);
      const after = presentHook(made, origin, now);
      auditStore(db).record(change, { target: { type: 'inbound_hook', id }, before: null, after }, now);
      return made;
    });
    await putSecret(deps, tenantId, row);
    return { row, secret };
  });

/**
 * The former secret is valid for a day beside the new one unless it is revoked; one that was former until now is not any more.
 * Throws `not_found`, and `forbidden` as `requireUnlimited`.
 */
export const rotateHook = (
  deps: HookDeps,
  tenantId: string,
  id: string,
  revokePrevious: boolean,
  { caller, change }: By,
): Promise<WithSecret> =>
  deps.queue(tenantId, async () => {
    const { storage, clock, origin } = deps;
    const secret = newBearer(SECRET_PREFIX);
    const now = clock.now();
    const formerUntil = revokePrevious ? null : now + FORMER_SECRET_MS;
    const row = await storage.tenants.write(tenantId, (db) => {
      requireUnlimited(db, caller);
      const before = hookOf(db, id);
      const hash = hashBearer(secret);
      hookStore(db).rotate(id, hash, formerUntil);
      const after = { ...before, hash, former_hash: before.hash, former_until: formerUntil };
      const entry = {
        target: { type: 'inbound_hook', id },
        before: presentHook(before, origin, now),
        // Two rotations in a row would look alike without it.
        after: { ...presentHook(after, origin, now), previous_secret_revoked: revokePrevious },
      };
      auditStore(db).record(change, entry, now);
      return after;
    });
    await putSecret(deps, tenantId, row);
    return { row, secret };
  });

/** Throws `not_found`. */
export const removeHook = (
  { storage, clock, queue, origin }: HookDeps,
  tenantId: string,
  id: string,
  change: Change,
): Promise<void> =>
  queue(tenantId, async () => {
    const row = await storage.tenants.read(tenantId, (db) => hookOf(db, id));
    await storage.platform.write((db) => hookKeyStore(db).remove(id, tenantId));
    await storage.tenants.write(tenantId, (db) => {
      const now = clock.now();
      hookStore(db).remove(id);
      const before = presentHook(row, origin, now);
      auditStore(db).record(change, { target: { type: 'inbound_hook', id }, before, after: null }, now);
    });
  });
