// A tenant leaves for another host. What may happen at any moment, and why exactly one of the two hosts sends:
//
// freezing  no work of it begins. Its work ends, then its file is closed and copied, and everything is refused. Who releases it now
//           waits until the copying has noticed that.
// frozen    in memory, for half a minute after it was last heard that somebody goes on: where nobody does, it is released and works
//           on here, and the copy that the other host has is worth nothing
// giving up the registry is being told. Nothing releases it before it is known whether the registry has it.
// moved     durable, and only from frozen: nothing is ever sent from here again. The other host begins after that alone
//
// A crash before `moved` starts this host with the tenant at work; a crash after it starts it with the tenant moved.
import { randomBytes, randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { masterKeyStore } from '#src/accounts/tenants/key-store.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Base } from '#src/kernel/base.ts';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';
import { disk } from '#src/kernel/db/disk.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { sealingKeyOf } from '#src/kernel/keys.ts';
import { type NewHost, TenantMoved } from '#src/kernel/moved.ts';
import { say } from '#src/kernel/say.ts';
import { DAY, SECOND } from '#src/kernel/time.ts';
import type { FollowFile, SealFile } from './arrive.ts';
import { endOfWork } from './end-of-work.ts';
import { keepAside } from './keep-aside.ts';
import { leavingFile, movedDirectory, ON_THE_WAY } from './leaving-file.ts';
import { releaseProof } from './release-proof.ts';

/** The old host hands on what comes for the tenant for this time. */
const MOVED_FOR_MS = 90 * DAY;
/** A command that is killed leaves the tenant frozen for no longer. One that goes on says so while it does. */
const LEASE_MS = 30 * SECOND;
const KEY_BYTES = 32;

export interface LeaveDeps extends Pick<Base, 'storage' | 'key' | 'tenantKeys' | 'clock'> {
  readonly dataDirectory: string;
  /** Whether nothing of a tenant whose work is held is being sent or worked on any more. */
  readonly endWork: (tenantId: string) => boolean;
  readonly sealFile: SealFile;
  readonly followFile: FollowFile;
  /** Its managed host stays behind; the new host takes mail for it all the same. */
  readonly keepManagedHost: (db: TenantDb, now: number) => void;
  /** The tenant works elsewhere: what is remembered of its work here holds no more. */
  readonly forget: (tenantId: string) => void;
}

export interface Frozen {
  /** Names this freeze: only who knows it can say that the tenant has moved. */
  readonly freeze: string;
  /** Since when requests are refused, ms since the epoch. */
  readonly at: number;
  /** Everything in the copy is sealed under it; in base64. */
  readonly key: string;
}

const beingMoved = (): AppError =>
  new AppError('unavailable', say`The practice is being moved to another host.`, {
    extra: { retry_after: 2 },
  });

const givenUp = (): AppError =>
  new AppError('conflict', say`The practice has been given up to another host.`, {
    hint: say`Run the command again: it lets the other host begin.`,
  });

interface Freeze {
  readonly freeze: string;
  /** `unsure`: giving it up failed, and the registry was not read since. */
  step: 'freezing' | 'frozen' | 'giving up' | 'unsure';
  /** False: it was released while its file was being copied. */
  isWanted: boolean;
  /** Resolves once it is frozen, or is not. */
  made: Promise<unknown>;
  lease: NodeJS.Timeout | undefined;
}

const tookTooLong = (): AppError =>
  new AppError('conflict', say`The practice works here again: moving it took too long.`, {
    hint: say`Run the command again; most of the data is there already.`,
  });

export const createLeave = ({
  storage,
  key,
  tenantKeys,
  clock,
  dataDirectory,
  endWork,
  sealFile,
  followFile,
  keepManagedHost,
  forget,
}: LeaveDeps) => {
  const { platform, tenants } = storage;
  /** The freezes by the ids of their tenants. */
  const freezes = new Map<string, Freeze>();
  const directoryOf = (id: string): string => dirname(leavingFile(dataDirectory, id));
  const stateOf = (id: string) => platform.read((db) => registryStore(db).stateOf(id));

  const requireWanted = ({ isWanted }: Freeze): void => {
    if (!isWanted) throw new AppError('conflict', say`The practice was released before it was frozen.`);
  };

  const worksAgain = async (id: string, held: Freeze): Promise<void> => {
    clearTimeout(held.lease);
    freezes.delete(id);
    tenants.release(id);
    await rm(directoryOf(id), { recursive: true, force: true });
  };

  const hasMoved = async (id: string, newHost: NewHost): Promise<void> => {
    await tenants.withhold(id, new TenantMoved(newHost));
    freezes.delete(id);
    forget(id);
    await keepAside(dataDirectory, id);
    await rm(directoryOf(id), { recursive: true, force: true });
  };

  /** Giving it up failed: whether the registry has it is what the registry says now. Rejects where it cannot be read. */
  const settle = async (id: string, held: Freeze): Promise<void> => {
    held.step = 'giving up';
    clearTimeout(held.lease);
    try {
      const moved = (await platform.read((db) => registryStore(db).moved())).find((row) => row.id === id);
      await (moved === undefined ? worksAgain(id, held) : hasMoved(id, moved.newHost));
    } catch (error) {
      // Not before it is known.
      if (freezes.get(id) === held) {
        held.step = 'unsure';
        lease(id, held);
      }
      throw error;
    }
  };

  /** The tenant works here then, unless something else keeps it. Rejects with `conflict` where it is being given up, or was. */
  const release = async (id: string): Promise<void> => {
    const held = freezes.get(id);
    switch (held?.step) {
      case undefined:
        return;
      case 'freezing':
        held.isWanted = false;
        await held.made.catch(() => undefined);
        return;
      case 'frozen':
        return worksAgain(id, held);
      case 'giving up':
        throw new AppError('conflict', say`The practice is being given up to another host.`, {
          hint: say`Run the command again: it lets the other host begin.`,
        });
      case 'unsure':
        await settle(id, held);
        if ((await stateOf(id)) === 'moved') throw givenUp();
    }
  };

  const lease = (id: string, held: Freeze): void => {
    clearTimeout(held.lease);
    // Where the registry cannot be read, the lease begins again.
    held.lease = setTimeout(() => void release(id).catch(() => undefined), LEASE_MS);
  };

  /** The file is closed: where a reader has kept its WAL from being brought in, SQLite copies both. */
  const copy = async (id: string, from: string): Promise<string> => {
    const to = leavingFile(dataDirectory, id);
    await mkdir(directoryOf(id), { recursive: true, mode: 0o700 });
    await rm(to, { force: true });
    const wal = await stat(`${from}-wal`).catch(() => null);
    if (wal === null || wal.size === 0) await copyFile(from, to, constants.COPYFILE_FICLONE);
    else await copyDatabase(from, to);
    return to;
  };

  /** `from`: the file that it is a copy of. */
  const sealForTheWay = async (id: string, file: string, from: string): Promise<Buffer> => {
    const wayKey = randomBytes(KEY_BYTES);
    const db = openSqlite(file, { create: false, busyTimeoutMs: 0 }) as TenantDb;
    try {
      await sealFile(db, id, (purpose) => ({
        present: sealingKeyOf(purpose, wayKey, null).present,
        former: key(purpose).present,
      }));
      followFile(db, disk.identifyForGood(from), ON_THE_WAY);
      keepManagedHost(db, clock.now());
    } finally {
      // The last connection brings the WAL into the file.
      db.close();
    }
    return wayKey;
  };

  const make = async (id: string, held: Freeze, patience: number): Promise<Frozen> => {
    try {
      const hasEnded = (tenantId: string): boolean => {
        requireWanted(held);
        return endWork(tenantId);
      };
      await endOfWork(hasEnded, id, patience);
      const at = clock.now();
      await tenants.withhold(id, beingMoved());
      requireWanted(held);
      const from = join(dataDirectory, 'tenants', id, 'tenant.db');
      const file = await copy(id, from);
      requireWanted(held);
      const wayKey = await sealForTheWay(id, file, from);
      requireWanted(held);
      held.step = 'frozen';
      lease(id, held);
      return { freeze: held.freeze, at, key: wayKey.toString('base64') };
    } catch (error) {
      await worksAgain(id, held);
      throw error;
    }
  };

  const requireOneMasterKey = async (): Promise<void> => {
    const change = await platform.read((db) => masterKeyStore(db).check());
    if (change?.former)
      throw new AppError('conflict', say`A change of the master key has not ended.`, {
        hint: say`Wait until \`sendwerk secrets rotate\` says that it has.`,
      });
  };

  return {
    /**
     * Rejects with `conflict` where its mail does not end within `patience`, ms, or something else is done with it. The lease
     * begins when it resolves.
     */
    freeze: async (id: string, patience: number): Promise<Frozen> => {
      await requireOneMasterKey();
      await release(id);
      if (!tenants.mayBegin(id))
        throw new AppError('conflict', say`The practice is being moved or erased.`, {
          hint: say`Nothing has changed.`,
        });
      tenants.hold(id);
      const held: Freeze = {
        freeze: randomUUID(),
        step: 'freezing',
        isWanted: true,
        made: Promise.resolve(),
        lease: undefined,
      };
      freezes.set(id, held);
      const made = make(id, held, patience);
      held.made = made;
      return made;
    },
    release,
    /**
     * Resolves with the proof that this freeze is over and the practice works here (release-proof.ts). Rejects with `conflict`
     * where it does not.
     */
    released: async (id: string, freeze: string): Promise<string> => {
      await release(id);
      const row = await platform.read((db) => registryStore(db).get(id));
      if (row === undefined) throw givenUp();
      if (freezes.get(id)?.freeze === freeze)
        throw new AppError('conflict', say`The practice is being moved or erased.`);
      return releaseProof(tenantKeys.ofTenant(id, row.number), freeze);
    },
    /**
     * The new host has lost what it took before it began: this host's former file is all that there is. Copies it as `freeze` does;
     * the tenant stays moved. Resolves with the key. Rejects with `not_found` where there is no such file.
     */
    copyMoved: async (id: string): Promise<string> => {
      await requireOneMasterKey();
      const kept = join(movedDirectory(dataDirectory, id), 'tenant.db');
      if ((await stateOf(id)) !== 'moved' || !existsSync(kept))
        throw new AppError('not_found', say`No practice with that id has moved away from here.`);
      const wayKey = await sealForTheWay(id, await copy(id, kept), kept);
      return wayKey.toString('base64');
    },
    /** Somebody goes on with that freeze. Rejects with `conflict` where it is over. */
    renew: (id: string, freeze: string): void => {
      const held = freezes.get(id);
      if (held?.freeze !== freeze || held.step !== 'frozen') throw tookTooLong();
      lease(id, held);
    },
    /** Resolves with until when it is handed on. Rejects with `conflict` where it is not frozen by that freeze any more. */
    moved: async (id: string, freeze: string, newHost: NewHost): Promise<number> => {
      const until = clock.now() + MOVED_FOR_MS;
      const held = freezes.get(id);
      if (held?.freeze !== freeze || held.step !== 'frozen') throw tookTooLong();
      held.step = 'giving up';
      clearTimeout(held.lease);
      try {
        if (!(await platform.write((db) => registryStore(db).move(id, newHost, until)))) {
          await worksAgain(id, held);
          throw new AppError('conflict', say`The practice is being moved or erased.`, {
            hint: say`Nothing has changed.`,
          });
        }
      } catch (error) {
        if (freezes.get(id) === held) {
          held.step = 'unsure';
          lease(id, held);
        }
        throw error;
      }
      await hasMoved(id, newHost);
      return until;
    },
    stop: (): void => {
      for (const { lease } of freezes.values()) clearTimeout(lease);
    },
  };
};

export type Leave = ReturnType<typeof createLeave>;
