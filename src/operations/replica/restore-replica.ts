// Brings the files of a replica back into a directory, from which `sendwerk restore` puts them in place: the registry first, which
// says which tenants there are.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DataError } from '#src/kernel/db/data-error.ts';
import { openReadOnly, type PlatformDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import type { Tables } from '#src/operations/backup.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import { litestreamConfig, type ReplicaConfig, replicatedFiles } from './litestream-config.ts';
import { writeWhole } from './run-litestream.ts';

const run = promisify(execFile);
/** Each unpacks and writes a whole file. */
const AT_A_TIME = 4;

export interface RestoreOptions {
  readonly program: string;
  readonly replica: ReplicaConfig;
  /** The directory under which the files were replicated. */
  readonly dataDirectory: string;
  /** The directory is made; it must not hold a registry. */
  readonly directory: string;
  /** The time of the state to restore (ISO 8601); undefined: the newest. */
  readonly at: string | undefined;
  readonly tables: Pick<Tables, 'tenants'>;
}

/** What was restored, and the slugs of tenants that the registry names and the replica does not have. Throws DataError where the registry is not in it. */
export const restoreReplica = async (
  options: RestoreOptions,
): Promise<{ restored: number; missing: readonly string[] }> => {
  const { program, replica, dataDirectory, directory, at, tables } = options;
  const registry = join(directory, PLATFORM_NAME);
  if (existsSync(registry)) throw new DataError(`${registry} is there already: name another directory`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const config = join(directory, 'litestream.yml');

  /** False where the replica does not have it. */
  const fetch = async (name: string, ids: readonly string[]): Promise<boolean> => {
    const path = replicatedFiles(dataDirectory, ids).get(name) ?? '';
    const target = join(directory, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const time = at === undefined ? [] : ['-timestamp', at];
    const args = ['restore', '-config', config, '-if-replica-exists', ...time, '-o', target, path];
    await run(program, args).catch((error: NodeJS.ErrnoException & { stderr?: string }) => {
      if (error.code === 'ENOENT')
        throw new DataError(
          `${program} does not exist: name Litestream by --litestream; docs/operate/replica.md says how to get it`,
          { cause: error },
        );
      throw new DataError(`${name} cannot be restored: ${error.stderr?.trim() || error.message}`, {
        cause: error,
      });
    });
    return existsSync(target);
  };

  try {
    await writeWhole(config, litestreamConfig(dataDirectory, [], replica));
    if (!(await fetch(PLATFORM_NAME, [])))
      throw new DataError(`${replica.to} holds no replica of ${PLATFORM_NAME}`);
    const db = openReadOnly<PlatformDb>(registry);
    const tenants = [...tables.tenants(db)];
    db.close();
    // What reading it has left, with nothing in it.
    for (const suffix of ['-wal', '-shm']) await rm(`${registry}${suffix}`, { force: true });
    const ids = tenants.map(({ id }) => id);
    await writeWhole(config, litestreamConfig(dataDirectory, ids, replica));
    const missing: string[] = [];
    const waiting = [...tenants];
    const fetchAll = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (!(await fetch(tenantFile(next.id), ids))) missing.push(next.slug);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, fetchAll));
    return { restored: tenants.length - missing.length, missing };
  } finally {
    await rm(config, { force: true });
  }
};
