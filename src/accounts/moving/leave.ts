// A tenant leaves for another host. What may happen at any moment, and why exactly one of the two hosts sends:
//
// frozen    its work has ended, its file is closed and copied, everything is refused; in memory, for half a minute at most: where
//           nobody goes on, it is released and works on here, and the copy that the other host has is worth nothing
// moved     durable, and only from frozen: nothing is ever sent from here again. The other host begins after that alone
//
// A crash before `moved` starts this host with the tenant at work; a crash after it starts it with the tenant moved.
import { randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Base } from '#src/kernel/base.ts';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { sealingKeyOf } from '#src/kernel/keys.ts';
import { type NewHost, TenantMoved } from '#src/kernel/moved.ts';
import { say } from '#src/kernel/say.ts';
import { DAY, SECOND } from '#src/kernel/time.ts';
import type { SealFile } from './arrive.ts';
import { endOfWork } from './end-of-work.ts';
import { keepAside } from './keep-aside.ts';
import { leavingFile } from './leaving-file.ts';

/** The old host hands on what comes for the tenant for this time. */
const MOVED_FOR_MS = 90 * DAY;
/** A command that is killed leaves the tenant frozen for no longer. */
const LEASE_MS = 30 * SECOND;
const KEY_BYTES = 32;

export interface LeaveDeps extends Pick<Base, 'storage' | 'key' | 'clock'> {
  readonly dataDirectory: string;
  /** Whether nothing of a tenant whose work is held is being sent or worked on any more. */
  readonly endWork: (tenantId: string) => boolean;
  readonly sealFile: SealFile;
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

export const createLeave = ({ storage, key, clock, dataDirectory, endWork, sealFile }: LeaveDeps) => {
  const { platform, tenants } = storage;
  /** The frozen tenants by their ids. */
  const frozen = new Map<string, { readonly freeze: string; readonly lease: NodeJS.Timeout }>();
  const directoryOf = (id: string): string => dirname(leavingFile(dataDirectory, id));

  const release = async (id: string): Promise<void> => {
    clearTimeout(frozen.get(id)?.lease);
    frozen.delete(id);
    tenants.release(id);
    await rm(directoryOf(id), { recursive: true, force: true });
  };

  /** The file is closed: where a reader has kept its WAL from being brought in, SQLite copies both. */
  const copy = async (id: string): Promise<string> => {
    const from = join(dataDirectory, 'tenants', id, 'tenant.db');
    const to = leavingFile(dataDirectory, id);
    await mkdir(directoryOf(id), { recursive: true, mode: 0o700 });
    await rm(to, { force: true });
    const wal = await stat(`${from}-wal`).catch(() => null);
    if (wal === null || wal.size === 0) await copyFile(from, to, constants.COPYFILE_FICLONE);
    else await copyDatabase(from, to);
    return to;
  };

  const sealForTheWay = async (id: string, file: string): Promise<Buffer> => {
    const wayKey = randomBytes(KEY_BYTES);
    const db = openSqlite(file, { create: false, busyTimeoutMs: 0 }) as TenantDb;
    try {
      await sealFile(db, id, (purpose) => ({
        present: sealingKeyOf(purpose, wayKey, null).present,
        former: key(purpose).present,
      }));
    } finally {
      // The last connection brings the WAL into the file.
      db.close();
    }
    return wayKey;
  };

  return {
    /** Rejects with `conflict` where its mail does not end within `patience`, ms. */
    freeze: async (id: string, patience: number): Promise<Frozen> => {
      if (key('lasting keys').former !== null)
        throw new AppError('conflict', say`A change of the master key has not ended.`, {
          hint: say`Wait until \`sendwerk secrets rotate\` says that it has.`,
        });
      await release(id);
      tenants.hold(id);
      try {
        await endOfWork(endWork, id, patience);
        const freeze = randomUUID();
        frozen.set(id, { freeze, lease: setTimeout(() => void release(id), LEASE_MS) });
        const at = clock.now();
        await tenants.withhold(id, beingMoved());
        const file = await copy(id);
        const wayKey = await sealForTheWay(id, file);
        return { freeze, at, key: wayKey.toString('base64') };
      } catch (error) {
        await release(id);
        throw error;
      }
    },
    release,
    /** Resolves with until when it is handed on. Rejects with `conflict` where it is not frozen by that freeze any more. */
    moved: async (id: string, freeze: string, newHost: NewHost): Promise<number> => {
      const until = clock.now() + MOVED_FOR_MS;
      const held = frozen.get(id);
      if (held?.freeze !== freeze)
        throw new AppError('conflict', say`The practice works here again: moving it took too long.`, {
          hint: say`Run the command again; most of the data is there already.`,
        });
      // Nothing may release it while it is unknown whether the registry has it.
      clearTimeout(held.lease);
      await platform.write((db) => registryStore(db).move(id, newHost, until));
      await tenants.withhold(id, new TenantMoved(newHost));
      frozen.delete(id);
      await keepAside(dataDirectory, id);
      await rm(directoryOf(id), { recursive: true, force: true });
      return until;
    },
    stop: (): void => {
      for (const { lease } of frozen.values()) clearTimeout(lease);
    },
  };
};

export type Leave = ReturnType<typeof createLeave>;
