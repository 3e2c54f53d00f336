// A tenant arrives from another host. Its file is built up in `arriving/` of the data directory while it works there. Once that host
// has frozen it, `take` makes it complete here: sealed under this host's keys, with a number, a managed host and the registry's rows of
// its own. Then it waits, durably, and is refused, until `begin`: the other host has given it up by then.
//
// A crash during `take` leaves a tenant that is being created, which the next start removes: its file is sent again. A crash after it
// leaves one that waits.

import { hash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTenant } from '#src/accounts/tenants/create.ts';
import type { TenantHosts } from '#src/accounts/tenants/hosts.ts';
import { lastingKeysStore } from '#src/accounts/tenants/key-store.ts';
import { openTenantKeys, sealTenantKeys } from '#src/accounts/tenants/master-key.ts';
import { registryStore, type TenantState } from '#src/accounts/tenants/registry-store.ts';
import { chooseSlug } from '#src/accounts/tenants/rules.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Base } from '#src/kernel/base.ts';
import { disk } from '#src/kernel/db/disk.ts';
import { openSqlite, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type SealingPurpose, sealingKeyOf } from '#src/kernel/keys.ts';
import type { NewHost } from '#src/kernel/moved.ts';
import { say } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { arrivingFile, type Block, hashesOf, writeBlocks } from './blocks.ts';
import { removeKept } from './keep-aside.ts';

/** Seals all values of a file again that no one else uses: under the present key, what the former one opens. */
export type SealFile = (
  db: TenantDb,
  tenantId: string,
  key: (purpose: SealingPurpose) => SealingKey,
) => Promise<void>;

export interface ArriveDeps extends Pick<Base, 'storage' | 'key' | 'tenantKeys' | 'clock'> {
  readonly dataDirectory: string;
  readonly hosts: TenantHosts;
  readonly sealFile: SealFile;
  /** See `registration`. */
  readonly registrationOf: (
    tenant: TenantDb,
    tenantId: string,
    number: number,
  ) => (registry: PlatformDb) => string[];
  /** Tells the rooms that work on tenants to look at this one. */
  readonly wake: (tenantId: string) => Promise<void>;
  /** Why it is refused before it begins. */
  readonly notBegun: () => AppError;
  /** The names by which mail reaches this host. */
  readonly mailHost: () => Pick<NewHost, 'host' | 'mail'>;
}

export interface Taken {
  readonly slug: string;
  readonly managedHost: string;
  readonly mailHost: Pick<NewHost, 'host' | 'mail'>;
  /** What another tenant has, and keeps. */
  readonly notes: readonly string[];
}

export const createArrive = (deps: ArriveDeps) => {
  const { storage, key, tenantKeys, clock, dataDirectory, hosts } = deps;
  const { platform, tenants } = storage;
  const fileOf = (id: string): string => arrivingFile(dataDirectory, id);
  const directoryOf = (id: string): string => dirname(fileOf(id));
  const stateOf = (id: string): Promise<TenantState | null> =>
    platform.read((db) => registryStore(db).stateOf(id));

  /** One that works here is never touched. One that waits, or that has moved away from here before, may come again. */
  const requireNotHere = async (id: string): Promise<void> => {
    if ((await stateOf(id)) === 'active')
      throw new AppError('conflict', say`A practice with that id works on this host.`);
  };

  const removeFormer = async (id: string): Promise<void> => {
    if ((await stateOf(id)) === null) return;
    await removeTenant(storage, id);
    await removeKept(dataDirectory, id);
    tenantKeys.forget(id);
    tenants.release(id);
  };

  /**
   * Called before anyone else opens the file: seals it with the keys of this host, and gives it its number, slug and hosts
   * here.
   */
  const makeOwn = async (id: string, number: number, slug: string, wayKey: Buffer): Promise<string> => {
    const made = await hosts.make(id, slug, null, clock.now());
    const db = openSqlite(fileOf(id), { create: false, busyTimeoutMs: 0 }) as TenantDb;
    try {
      if (tenantStore(db).practice().id !== id)
        throw new AppError('conflict', say`The file is that of another practice.`);
      await deps.sealFile(db, id, (purpose) => ({
        present: key(purpose).present,
        former: sealingKeyOf(purpose, wayKey, null).present,
      }));
      const sealedKeys = lastingKeysStore(db).get();
      if (sealedKeys) tenantKeys.bring(id, number, openTenantKeys(key('lasting keys'), id, sealedKeys));
      db.transaction(() => {
        tenantStore(db).settle({ number, slug, managed_host: made.managedHost });
        made.inTenant(db);
        lastingKeysStore(db).put(sealTenantKeys(key('lasting keys'), id, tenantKeys.ofTenant(id, number)));
      })();
    } finally {
      // The last connection brings the WAL into the file.
      db.close();
    }
    return made.managedHost;
  };

  const moveInto = async (id: string): Promise<void> => {
    await rename(directoryOf(id), join(dataDirectory, 'tenants', id));
    await disk.syncDirectory(join(dataDirectory, 'tenants'));
    await disk.syncDirectory(dirname(directoryOf(id)));
  };

  const register = async (id: string, number: number): Promise<string[]> => {
    const write = await tenants.read(id, (db) => deps.registrationOf(db, id, number));
    // The work on it is refused from here on.
    await tenants.withhold(id, deps.notBegun());
    return platform.write((db) => {
      const notes = write(db);
      registryStore(db).arrive(id);
      return notes;
    });
  };

  return {
    /** The hashes of the blocks that are here, and whether the tenant is. */
    look: async (id: string) => ({ state: await stateOf(id), hashes: await hashesOf(fileOf(id)) }),
    put: async (id: string, size: number, blocks: readonly Block[]): Promise<void> => {
      await requireNotHere(id);
      await mkdir(directoryOf(id), { recursive: true, mode: 0o700 });
      await writeBlocks(fileOf(id), size, blocks);
    },
    /** `digest`: SHA-256 of the hashes of all blocks. Rejects with `conflict` where this host cannot have it; then nothing has changed. */
    take: async (id: string, wayKey: Buffer, digest: Buffer, wantedSlug: string): Promise<Taken> => {
      await requireNotHere(id);
      if (!hash('sha256', await hashesOf(fileOf(id)), 'buffer').equals(digest))
        throw new AppError('conflict', say`The file did not arrive whole.`, {
          hint: say`Run the command again: it sends what is missing.`,
        });
      await removeFormer(id);
      const { number, slug } = await platform.write((db) => {
        const registry = registryStore(db);
        const isTaken = (slug: string): boolean => hosts.isReservedSlug(slug) || registry.isSlugTaken(slug);
        const chosen = chooseSlug(wantedSlug, isTaken, () => randomBytes(4).toString('hex'));
        return { number: registry.reserve(id, chosen, clock.now()), slug: chosen };
      });
      try {
        const managedHost = await makeOwn(id, number, slug, wayKey);
        await moveInto(id);
        const notes = await register(id, number);
        return { slug, managedHost, mailHost: deps.mailHost(), notes };
      } catch (error) {
        await removeFormer(id).catch(() => undefined);
        throw error;
      }
    },
    /** It works here from now on. Where it does already, nothing happens. */
    begin: async (id: string): Promise<void> => {
      const state = await stateOf(id);
      if (state === 'active') return;
      if (state !== 'arriving') throw new AppError('not_found', say`No practice with that id has arrived.`);
      await platform.write((db) => registryStore(db).activate(id));
      tenants.release(id);
      await deps.wake(id);
    },
    cancel: async (id: string): Promise<void> => {
      if ((await stateOf(id)) === 'arriving') await removeFormer(id);
      await rm(directoryOf(id), { recursive: true, force: true });
    },
  };
};

export type Arrive = ReturnType<typeof createArrive>;
