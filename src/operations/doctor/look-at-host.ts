// Gathers what is told of the machine: modes and owners of files, the disk, the limits of a process. Nothing is changed but one small file
// in the data directory, which is synced and removed again.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile, readlink, rm, stat, statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import type { DescriptorFacts, DirectoryFacts, DiskFacts, SecretFacts } from './host-rules.ts';

const ROOT = 0;
/** Looked at for their owners: all that a start opens, and of the practices the first. */
const MOST_OWNERS = 1_000;
/** The quickest of so many counts: what else the machine does is not the disk's fault. */
const SYNCS = 3;

export interface NamedFile {
  readonly key: string;
  readonly path: string;
}

/** Those that are there; the configuration's own check names the others. */
export const lookAtSecrets = async (files: readonly NamedFile[]): Promise<SecretFacts[]> => {
  const found = await Promise.all(
    files.map(async ({ key, path }) => {
      const status = await stat(path).catch(() => null);
      return status === null ? [] : [{ key, path, mode: status.mode, uid: status.uid }];
    }),
  );
  return found.flat();
};

/** Root, this user, and who owns the data: the service runs as one of them. */
export const ownersOf = async (dataDirectory: string): Promise<number[]> => {
  const data = await stat(dataDirectory).catch(() => null);
  return [ROOT, userInfo().uid, ...(data === null ? [] : [data.uid])];
};

/** Null: the directory belongs to another user, who may write there. */
const syncOnce = async (directory: string, owner: number): Promise<DirectoryFacts['sync']> => {
  const path = join(directory, `.doctor-${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(path, 'wx', 0o600);
    const took: number[] = [];
    try {
      while (took.length < SYNCS) {
        const began = performance.now();
        await file.write('a write of sendwerk doctor\n');
        await file.sync();
        took.push(performance.now() - began);
      }
    } finally {
      await file.close();
    }
    return Math.min(...took);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isAnothers = (code === 'EACCES' || code === 'EPERM') && owner !== userInfo().uid;
    return isAnothers ? null : { error: message };
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
};

/** Null: it does not exist yet. */
export const lookAtDirectory = async (path: string): Promise<DirectoryFacts | null> => {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (status === null) return null;
  const tenants = await readdir(join(path, 'tenants')).catch(() => []);
  const files = [
    PLATFORM_NAME,
    'tenants',
    ...tenants.slice(0, MOST_OWNERS).map((id) => `tenants/${id}/tenant.db`),
  ];
  const owners = await Promise.all(
    files.map(async (file) => [file, (await stat(join(path, file)).catch(() => null))?.uid] as const),
  );
  return {
    path,
    mode: status.mode,
    uid: status.uid,
    strange: owners.filter(([, uid]) => uid !== undefined && uid !== status.uid).map(([file]) => file),
    sync: await syncOnce(path, status.uid),
  };
};

export const lookAtDisk = async (path: string): Promise<DiskFacts> => {
  const { bavail, blocks, bsize, ffree, files } = await statfs(path);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeInodes: ffree, totalInodes: files };
};

/** The process that holds the lock of the data directory; null where none does, or it belongs to another user. */
export const processOn = async (dataDirectory: string): Promise<string | null> => {
  const lock = resolve(join(dataDirectory, 'lock'));
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const id of processes) {
    const descriptors = await readdir(`/proc/${id}/fd`).catch(() => []);
    for (const descriptor of descriptors)
      if ((await readlink(`/proc/${id}/fd/${descriptor}`).catch(() => '')) === lock) return id;
  }
  return null;
};

/** `id`: of a process, or `self`. Null where it cannot be looked at. */
export const lookAtDescriptors = async (id: string): Promise<Omit<DescriptorFacts, 'needed'> | null> => {
  try {
    const limits = await readFile(`/proc/${id}/limits`, 'utf8');
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    if (limit === undefined) return null;
    const used = (await readdir(`/proc/${id}/fd`)).length;
    return { limit: limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit), used };
  } catch {
    return null;
  }
};

export const isStarted = (dataDirectory: string): boolean => existsSync(join(dataDirectory, PLATFORM_NAME));
