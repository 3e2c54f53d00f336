// Whether files are in the replica, by their positions in it as Litestream says them at each look. It runs on a thread of its own.
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import { eachOf, writtenPath } from './metrics.ts';

/** Two looks: at one of them Litestream may be starting anew, because a practice came, or be in the middle of a copy. */
export const LATE_MS = 2 * MINUTE;
/** A file system's times are a little older than the clock. */
const COARSE_MS = SECOND;
/** A position is the number of the log and the place in it, which has 32 bits. */
const LOG = 2 ** 32;

export interface Commit {
  readonly at: number;
  /** The same as a file system says it. */
  readonly onDisk: number;
}

/** The oldest commit that the replica may lack, by the ids of tenants and `platform`. */
export type Commits = ReadonlyMap<string, Commit>;

interface Seen {
  /** In the replica, at the last look and at the one before. */
  position: number | null;
  before: number | null;
  /** The number of the log that Litestream is reading, at these two. */
  log: number;
  logBefore: number;
  look: number;
}

export const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The database file of a tenant, or of the registry. */
export const fileOf = (dataDirectory: string, id: string): string =>
  resolve(join(dataDirectory, id === PLATFORM_FILE ? PLATFORM_NAME : tenantFile(id)));

export const createPositions = (dataDirectory: string) => {
  /** Those of which something was really written: a transaction may change nothing. */
  const written = new Set<string>();
  const seen = new Map<string, Seen>();
  let look = 0;
  /** When Litestream was started. */
  let startedAt = 0;
  let lookedAt: Commit = { at: Number.NEGATIVE_INFINITY, onDisk: 0 };

  const [before, after] = writtenPath(fileOf(dataDirectory, '*')).split('*') as [string, string];
  const registryPath = writtenPath(fileOf(dataDirectory, PLATFORM_FILE));
  const idOf = (path: string): string | null => {
    if (path === registryPath) return PLATFORM_FILE;
    return path.startsWith(before) && path.endsWith(after) ? path.slice(before.length, -after.length) : null;
  };
  /** A part of a text would keep all of it in memory. */
  const copyOf = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');

  const readPositions = (text: string): void => {
    look += 1;
    startedAt = Number(/^process_start_time_seconds (.*)$/m.exec(text)?.[1] ?? 0) * SECOND;
    eachOf(text, 'litestream_shadow_wal_index', (path, index) => {
      const id = idOf(path);
      const file = seen.get(id ?? '');
      if (file !== undefined) {
        file.before = file.look === look - 1 ? file.position : null;
        file.position = null;
        file.logBefore = file.log;
        file.log = index;
        file.look = look;
      } else if (id !== null)
        seen.set(copyOf(id), { position: null, before: null, log: index, logBefore: index, look });
    });
    /** Litestream has these once it has copied something since it was started. */
    const add = (of: number) => (path: string, value: number) => {
      const file = seen.get(idOf(path) ?? '');
      if (file?.look === look) file.position = (file.position ?? 0) + value * of;
    };
    eachOf(text, 'litestream_replica_wal_index', add(LOG));
    eachOf(text, 'litestream_replica_wal_offset', add(1));
    for (const [id, file] of seen) if (file.look !== look) seen.delete(id);
  };

  /** Since when the replica may lack something of the file, null: it lacks nothing. */
  const stillMissing = (id: string, since: Commit): Commit | null => {
    const file = seen.get(id);
    if (file === undefined) return since;
    // When it starts it copies what came before, so where it has copied nothing since, that was there.
    if (file.position === null) return since.onDisk < startedAt ? null : since;
    if (file.position === file.before) return since;
    const copied = Math.floor(file.position / LOG);
    if (copied >= file.log) return null;
    // It has all that was there at the look before.
    return copied >= file.logBefore && lookedAt.at > since.at ? lookedAt : since;
  };

  /** False where the file was not written since, or is gone. */
  const wasWritten = (id: string, since: Commit): boolean => {
    if (written.has(id)) return true;
    const path = fileOf(dataDirectory, id);
    const at = changedAt(`${path}-wal`);
    if (at === 0 ? !existsSync(path) : at + COARSE_MS < since.onDisk) return false;
    written.add(id);
    return true;
  };

  /** Returns those of `commits` that the replica may still lack. `text`: what Litestream says; null: it does not answer. */
  return (commits: Commits, text: string | null, now: Commit): Commits => {
    if (text !== null) readPositions(text);
    const left = new Map<string, Commit>();
    for (const [id, commit] of commits) {
      const since = text === null ? commit : stillMissing(id, commit);
      if (since === null || (now.at - since.at >= LATE_MS && !wasWritten(id, since))) written.delete(id);
      else left.set(id, since);
    }
    lookedAt = now;
    return left;
  };
};
