// A tenant arrives from another host. Its file is built up in `arriving/` of the data directory while it works there. Once that host
// has frozen it, `take` makes it complete here: sealed under this host's keys, with a number, a managed host and the registry's rows of
// its own. Then it waits, durably, and is refused, until `begin`: the other host has given it up by then.
//
// A crash during `take` leaves a tenant that is being created, which the next start removes: its file is sent again. A crash after it
// leaves one that waits. What waits is removed by nobody who cannot prove that the old host still has it (release-proof.ts).
//
// One that has moved away from here may come back while this host hands on what comes for it. Then it waits in `arriving/`, sealed
// for its former number, and everything here stays as it was until it begins: one transaction of the registry puts its new rows in
// the place of the former ones.

import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTenant } from '#src/accounts/tenants/create.ts';
import type { TenantHosts } from '#src/accounts/tenants/hosts.ts';
import { lastingKeysStore } from '#src/accounts/tenants/key-store.ts';
import { bringKeys, openTenantKeys, sealTenantKeys, tenantKeysIn } from '#src/accounts/tenants/master-key.ts';
import { registryStore, type TenantRow, type TenantState } from '#src/accounts/tenants/registry-store.ts';
import { chooseSlug } from '#src/accounts/tenants/rules.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Base } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { disk } from '#src/kernel/db/disk.ts';
import { openSqlite, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type SealingPurpose, sealingKeyOf } from '#src/kernel/keys.ts';
import type { NewHost } from '#src/kernel/moved.ts';
import { say } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { arrivingFile, type Block, hashesOf, writeBlocks } from './blocks.ts';
import { removeKept } from './keep-aside.ts';
import { movedDirectory, ON_THE_WAY } from './leaving-file.ts';
import { isReleaseProof } from './release-proof.ts';
import { forgetWaiting, noteWaiting, readWaiting } from './waiting.ts';

/** Seals all values of a file again that no one else uses: under the present key, what the former one opens. */
export type SealFile = (
  db: TenantDb,
  tenantId: string,
  key: (purpose: SealingPurpose) => SealingKey,
) => Promise<void>;

/** What belongs to the file `from` (disk.ts, identifyForGood) goes on in the file `to`, which is this one. */
export type FollowFile = (db: TenantDb, from: string, to: string) => void;

export interface ArriveDeps extends Pick<Base, 'storage' | 'key' | 'tenantKeys' | 'clock'> {
  readonly dataDirectory: string;
  readonly hosts: TenantHosts;
  readonly sealFile: SealFile;
  readonly followFile: FollowFile;
  /** Whether it has the tables, indexes and triggers of this version, or of one before, and no others. */
  readonly hasOwnTables: (db: TenantDb) => boolean;
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

/** What the old host says of a freeze: see release-proof.ts. */
export interface Released {
  readonly freeze: string;
  readonly proof: string;
}

/** Undoes what was written to see whether it can be. */
class Rehearsed extends Error {}

export interface Taken {
  readonly slug: string;
  readonly managedHost: string;
  readonly mailHost: Pick<NewHost, 'host' | 'mail'>;
  /** What another tenant has, and keeps. */
  readonly notes: readonly string[];
}

const waitsAlready = (): AppError =>
  new AppError('conflict', say`The practice waits here for its former host to give it up.`, {
    hint: say`Run \`sendwerk tenant move\` on that host: it goes on, or removes it from here with --cancel.`,
  });

export const createArrive = (deps: ArriveDeps) => {
  const { storage, key, tenantKeys, clock, dataDirectory, hosts } = deps;
  const { platform, tenants } = storage;
  const fileOf = (id: string): string => arrivingFile(dataDirectory, id);
  const directoryOf = (id: string): string => dirname(fileOf(id));
  const stateOf = (id: string): Promise<TenantState | null> =>
    platform.read((db) => registryStore(db).stateOf(id));

  const rowOf = (id: string): Promise<TenantRow | undefined> =>
    platform.read((db) => registryStore(db).any({ id }));

  /** Whether one that has moved away from here waits to come back. */
  const comesBack = (id: string, state: TenantState | null): boolean =>
    state === 'moved' && readWaiting(dataDirectory, id)?.comes_back === true && existsSync(fileOf(id));

  const waits = (id: string, state: TenantState | null): boolean =>
    state === 'arriving' || comesBack(id, state);

  /**
   * One that works here or waits for its former host is never touched. One that has moved away from here before may come again, and
   * what waits of an export.
   */
  const requireNotHere = async (id: string): Promise<TenantState | null> => {
    const state = await stateOf(id);
    if (state === 'active') throw new AppError('conflict', say`A practice with that id works on this host.`);
    if (waits(id, state) && readWaiting(dataDirectory, id)?.freeze !== null) throw waitsAlready();
    return state;
  };

  const requireReleased = async (id: string, released: Released | null): Promise<void> => {
    const note = readWaiting(dataDirectory, id);
    const row = await rowOf(id);
    // It comes from an export, and no host keeps it.
    if (row === undefined || note?.freeze === null) return;
    if (released === null || (note !== null && note.freeze !== released.freeze)) throw waitsAlready();
    if (!isReleaseProof(tenantKeys.ofTenant(id, row.number), released.freeze, released.proof))
      throw waitsAlready();
  };

  /** What is done with one tenant is done one after the other. */
  const inTurn = createKeyedQueue();

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
      if (!deps.hasOwnTables(db))
        throw new AppError(
          'conflict',
          say`The file has other tables, indexes or triggers than this program makes.`,
        );
      if (tenantStore(db).practice().id !== id)
        throw new AppError('conflict', say`The file is that of another practice.`);
      await deps.sealFile(db, id, (purpose) => ({
        present: key(purpose).present,
        former: sealingKeyOf(purpose, wayKey, null).present,
      }));
      const sealedKeys = lastingKeysStore(db).get();
      if (sealedKeys) tenantKeys.bring(id, number, openTenantKeys(key('lasting keys'), id, sealedKeys));
      db.transaction(() => {
        deps.followFile(db, ON_THE_WAY, disk.identifyForGood(fileOf(id)));
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

  const register = async (id: string, number: number, freeze: string | null): Promise<string[]> => {
    const write = await tenants.read(id, (db) => deps.registrationOf(db, id, number));
    // The work on it is refused from here on.
    await tenants.withhold(id, deps.notBegun());
    await noteWaiting(dataDirectory, id, { freeze, comes_back: false });
    return platform.write((db) => {
      const notes = write(db);
      registryStore(db).arrive(id);
      return notes;
    });
  };

  /** Called in a transaction: its rows are those of the file that has come back. Returns as `registrationOf`. */
  const replaceFormer = (id: string, number: number): ((db: PlatformDb) => string[]) => {
    const file = openSqlite(fileOf(id), { create: false, busyTimeoutMs: 0 }) as TenantDb;
    try {
      const write = deps.registrationOf(file, id, number);
      return (db) => {
        registryStore(db).remove(id);
        const notes = write(db);
        registryStore(db).arrive(id);
        return notes;
      };
    } finally {
      file.close();
    }
  };

  /** Whether the registry can take it is known now: once the old host has given it up, it must. */
  const rehearse = async (id: string, number: number): Promise<string[]> => {
    const replace = replaceFormer(id, number);
    let notes: string[] = [];
    await platform
      .write((db) => {
        notes = replace(db);
        throw new Rehearsed();
      })
      .catch((error) => {
        if (!(error instanceof Rehearsed)) throw error;
      });
    return notes;
  };

  const takeNew = async (
    id: string,
    wayKey: Buffer,
    wantedSlug: string,
    freeze: string | null,
  ): Promise<Taken> => {
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
      const notes = await register(id, number, freeze);
      return { slug, managedHost, mailHost: deps.mailHost(), notes };
    } catch (error) {
      await removeFormer(id)
        .then(() => forgetWaiting(dataDirectory, id))
        .catch(() => undefined);
      throw error;
    }
  };

  /** The keys are those of the registry's rows again. */
  const bringFormerKeys = async (id: string): Promise<void> => {
    tenantKeys.forget(id);
    await platform.read((db) => bringKeys(db, { key, tenantKeys }));
  };

  const takeBack = async (
    { id, number, slug }: TenantRow,
    wayKey: Buffer,
    freeze: string | null,
  ): Promise<Taken> => {
    try {
      const managedHost = await makeOwn(id, number, slug, wayKey);
      const notes = await rehearse(id, number);
      await disk.syncDirectory(directoryOf(id));
      await noteWaiting(dataDirectory, id, { freeze, comes_back: true });
      return { slug, managedHost, mailHost: deps.mailHost(), notes };
    } catch (error) {
      await bringFormerKeys(id).catch(() => undefined);
      throw error;
    }
  };

  /** A crash after it is made up for by the next `begin`. */
  const comeBack = async (id: string): Promise<void> => {
    const row = await rowOf(id);
    if (row === undefined) throw new Error('the tenant comes back to a row that is gone');
    await tenants.withhold(id, deps.notBegun());
    await platform.write(replaceFormer(id, row.number));
    await bringFormerKeys(id);
  };

  const begin = async (id: string): Promise<void> => {
    const state = await stateOf(id);
    if (state !== 'active') {
      if (!waits(id, state)) throw new AppError('not_found', say`No practice with that id has arrived.`);
      if (state === 'moved') await comeBack(id);
      // Before it is active: one that moves away again later does not come back by this note.
      await forgetWaiting(dataDirectory, id);
      if (existsSync(fileOf(id))) await moveInto(id);
      await platform.write((db) => registryStore(db).activate(id));
      tenants.release(id);
      await deps.wake(id);
    }
    // The file of a move before this one.
    await removeKept(dataDirectory, id);
  };

  const cancel = async (id: string, released: Released | null): Promise<void> => {
    const state = await stateOf(id);
    if (waits(id, state)) {
      await requireReleased(id, released);
      if (state === 'arriving') await removeFormer(id);
      await forgetWaiting(dataDirectory, id);
      if (state === 'moved') await bringFormerKeys(id);
    }
    await rm(directoryOf(id), { recursive: true, force: true });
  };

  /** The files of one that is refused here, which are closed. */
  const closedFiles = (id: string, state: TenantState | null): string[] => {
    const inItsPlace = join(dataDirectory, 'tenants', id, 'tenant.db');
    const kept = join(movedDirectory(dataDirectory, id), 'tenant.db');
    const files: string[] = [];
    if (waits(id, state)) files.push(fileOf(id));
    if (state === 'arriving') files.push(inItsPlace);
    if (state === 'moved') files.push(kept);
    return files.filter((path) => existsSync(path));
  };

  const sealAgain = async (id: string): Promise<void> => {
    for (const path of closedFiles(id, await stateOf(id))) {
      const db = openSqlite(path, { create: false, busyTimeoutMs: 0 }) as TenantDb;
      try {
        const present = { present: key('lasting keys').present, former: null };
        // This value is the last one that is sealed again.
        if (tenantKeysIn(db, present, id) === null) await deps.sealFile(db, id, key);
      } finally {
        db.close();
      }
    }
  };

  return {
    comesBack,
    /**
     * After a change of the master key: seals again what no round through the tenants opens, which are those that wait and the former
     * files of those that have moved. Rejects where one of them cannot be read or written.
     */
    sealClosedAgain: async (signal: AbortSignal): Promise<void> => {
      const rows = await platform.read((db) => [
        ...registryStore(db).arriving(),
        ...registryStore(db).moved(),
      ]);
      for (const { id } of rows) {
        signal.throwIfAborted();
        await inTurn(id, () => sealAgain(id)).catch((error) => {
          throw new Error(`the file of ${id}, which waits or has moved, cannot be sealed again`, {
            cause: error,
          });
        });
      }
    },
    /**
     * The hashes of the blocks that are here, and whether the tenant is. `freeze`: that of the old host in which one that waits was
     * taken.
     */
    look: async (id: string) => {
      const state = await stateOf(id);
      if (!waits(id, state)) return { state, freeze: null, hashes: await hashesOf(fileOf(id)) };
      const freeze = readWaiting(dataDirectory, id)?.freeze ?? null;
      return { state: 'arriving' as const, freeze, hashes: Buffer.alloc(0) };
    },
    put: (id: string, size: number, blocks: readonly Block[]): Promise<void> =>
      inTurn(id, async () => {
        await requireNotHere(id);
        await mkdir(directoryOf(id), { recursive: true, mode: 0o700 });
        await writeBlocks(fileOf(id), size, blocks);
      }),
    /**
     * `digest`: SHA-256 of the hashes of all blocks; `freeze`: see WaitingNote. Rejects with `conflict` where this host cannot have it;
     * then nothing has changed.
     */
    take: (
      id: string,
      wayKey: Buffer,
      digest: Buffer,
      wantedSlug: string,
      freeze: string | null = null,
    ): Promise<Taken> =>
      inTurn(id, async () => {
        const state = await requireNotHere(id);
        if (!hash('sha256', await hashesOf(fileOf(id)), 'buffer').equals(digest))
          throw new AppError('conflict', say`The file did not arrive whole.`, {
            hint: say`Run the command again: it sends what is missing.`,
          });
        const row = state === 'moved' ? await rowOf(id) : undefined;
        return row ? takeBack(row, wayKey, freeze) : takeNew(id, wayKey, wantedSlug, freeze);
      }),
    /** The tenant works here from now on. Where it does already, nothing happens. */
    begin: (id: string): Promise<void> => inTurn(id, () => begin(id)),
    /** Rejects with `conflict` where it waits, and `released` does not prove that the old host has it. */
    cancel: (id: string, released: Released | null): Promise<void> => inTurn(id, () => cancel(id, released)),
  };
};

export type Arrive = ReturnType<typeof createArrive>;
