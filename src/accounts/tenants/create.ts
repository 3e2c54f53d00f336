// Making a tenant: two files cannot commit together, so the registry first reserves number and slug (`creating`), then
// the tenant's own file is made whole, then the registry makes it `active`. A crash in between leaves a reservation
// that no one knows of; the next start removes it with its directory. The owner, the hosts and the audit entry of a new
// tenant are written by hooks in the same transactions.
import { randomBytes } from 'node:crypto';
import type { Base } from '#src/kernel/base.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { TenantHosts } from './hosts.ts';
import { lastingKeysStore } from './key-store.ts';
import { sealTenantKeys } from './master-key.ts';
import { type Purpose, registryStore } from './registry-store.ts';
import { chooseSlug, type Plan } from './rules.ts';
import { type PracticeRow, tenantStore } from './store.ts';

export interface CreateTenantDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** The domains room is opened after this one. */
  readonly hosts: () => TenantHosts;
  readonly safeModeDefault: () => boolean;
  readonly keys: Pick<Base, 'key' | 'tenantKeys'>;
}

export interface NewTenant {
  readonly name: string;
  readonly plan: Plan;
  /** A-labels; used once its DKIM has been verified. */
  readonly customDomain: string | null;
  /** `practice` if absent. There is one `system` tenant: an index refuses another. */
  readonly purpose?: Purpose;
  /** The configured default if absent. */
  readonly safeMode?: boolean;
  /** Runs in the transaction that fills the tenant's file. What a hook throws undoes the whole tenant. */
  readonly inTenant?: (db: TenantDb, practice: PracticeRow) => void;
  /** Runs in the transaction that makes the tenant active. */
  readonly inRegistry?: (db: PlatformDb, practice: PracticeRow) => void;
}

/** Resolves with the practice when all of it is on the disk. */
export const createTenant = async (deps: CreateTenantDeps, wanted: NewTenant): Promise<PracticeRow> => {
  const { storage, clock } = deps;
  const { name, plan, customDomain, purpose = 'practice', safeMode = deps.safeModeDefault() } = wanted;
  const id = newId();
  const projectId = newId();
  const now = clock.now();
  const { number, slug } = await storage.platform.write((db) => {
    const registry = registryStore(db);
    const isTaken = (slug: string) => deps.hosts().isReservedSlug(slug) || registry.isSlugTaken(slug);
    const chosen = chooseSlug(name, isTaken, () => randomBytes(4).toString('hex'));
    return { number: registry.reserve(id, chosen, now, purpose), slug: chosen };
  });
  try {
    const hosts = await deps.hosts().make(id, slug, customDomain, now);
    const practice = await storage.tenants.create(id, (db) => {
      const store = tenantStore(db);
      store.insertPractice({
        id,
        number,
        name,
        slug,
        managed_host: hosts.managedHost,
        pending_domain: customDomain,
        plan,
        purpose,
        safe_mode: safeMode ? 1 : 0,
        created_at: now,
      });
      store.insertProject({
        id: projectId,
        name: 'Default',
        slug: 'default',
        is_default: 1,
        archived_at: null,
        created_at: now,
      });
      const built = { project_id: null, plain_text_fallback: 1, created_at: now } as const;
      store.insertRoute({
        id: newId(),
        slug: 'outgoing',
        name: 'Outgoing',
        type: 'transactional',
        is_default: 1,
        track_opens: 0,
        track_clicks: 0,
        ...built,
      });
      store.insertRoute({
        id: newId(),
        slug: 'broadcast',
        name: 'Broadcast',
        type: 'marketing',
        is_default: 0,
        track_opens: 1,
        track_clicks: 1,
        ...built,
      });
      const keys = deps.keys.tenantKeys.ofTenant(id, number);
      lastingKeysStore(db).put(sealTenantKeys(deps.keys.key('lasting keys'), id, keys));
      hosts.inTenant(db);
      const practice = store.practice();
      wanted.inTenant?.(db, practice);
      return practice;
    });
    await storage.platform.write((db) => {
      hosts.inRegistry(db);
      registryStore(db).activate(id);
      registryStore(db).addProject(projectId, id);
      wanted.inRegistry?.(db, practice);
    });
    return practice;
  } catch (error) {
    // What is left goes with the next start. Until then no one can use its file, or end a fault of it.
    await removeTenant(storage, id).catch(() => storage.states.end(id));
    throw error;
  }
};

/** The registry forgets it last, so that a crash leaves what the next start removes. */
export const removeTenant = async (storage: Storage, id: string): Promise<void> => {
  // This comes first: after a failed sync the tenant may be active, and an active tenant must have its files.
  await storage.platform.write((db) => registryStore(db).deactivate(id));
  await storage.tenants.remove(id);
  await storage.platform.write((db) => registryStore(db).remove(id));
};

/** Removes what a crash left half created. Resolves with how many there were. */
export const removeIncompleteTenants = async (storage: Storage): Promise<number> => {
  const ids = await storage.platform.read((db) => registryStore(db).incomplete());
  for (const id of ids) await removeTenant(storage, id);
  return ids.length;
};

/**
 * The nightly round calls it: a registry that was restored from an older backup than the files learns whose their projects are.
 * Writes nothing where it knows all of them.
 */
export const createRegisterProjects =
  ({ platform, tenants }: Storage) =>
  async (tenantId: string): Promise<void> => {
    const projects = await tenants.read(tenantId, (db) => tenantStore(db).projects());
    const unknown = await platform.read((db) =>
      projects.filter(({ id }) => registryStore(db).tenantOfProject(id) === undefined),
    );
    if (unknown.length === 0) return;
    await platform.write((db) => {
      for (const { id } of unknown) registryStore(db).addProject(id, tenantId);
    });
  };
