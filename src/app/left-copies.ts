// Copies of a practice below the data directory, beside its own file: of an export (`exporting/`) or an arrival (`arriving/`) that was
// killed, and what a restore has put aside (`replaced-…/`). The first two are removed by the daemon once no one can still be at them,
// and when the practice is erased; the last is the operator's, who may still need it.
import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readWaiting } from '#src/accounts/moving/waiting.ts';
import { DAY } from '#src/kernel/time.ts';

export const EXPORTING = 'exporting';
const ARRIVING = 'arriving';
const REPLACED = /^replaced-/;
/** A move that was cut off goes on where it was, if that is soon. */
const LEFT_MS = DAY;
const ID_LENGTH = 36;

const namesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);

/** Directories in both that are named by the id of a practice, with what `mkdtemp` adds to it. */
const directoriesIn = async (
  dataDirectory: string,
): Promise<{ readonly id: string; readonly path: string }[]> => {
  const found: { id: string; path: string }[] = [];
  // A note of one that waits ends in `.json`.
  for (const place of [EXPORTING, ARRIVING])
    for (const name of await namesIn(join(dataDirectory, place)))
      if (!name.includes('.'))
        found.push({ id: name.slice(0, ID_LENGTH), path: join(dataDirectory, place, name) });
  return found;
};

const changedAt = async (directory: string): Promise<number> => {
  const times = [directory, ...(await namesIn(directory)).map((name) => join(directory, name))].map((path) =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
};

/** What was not touched for a day; not what waits for its former host to give it up. */
export const removeLeftCopies = async (dataDirectory: string, now: number): Promise<void> => {
  for (const { id, path } of await directoriesIn(dataDirectory))
    if (readWaiting(dataDirectory, id) === null && now - (await changedAt(path)) > LEFT_MS)
      await rm(path, { recursive: true, force: true });
};

/** Called when the practice is erased. */
export const removeCopiesOf = async (dataDirectory: string, id: string): Promise<void> => {
  for (const copy of await directoriesIn(dataDirectory))
    if (copy.id === id) await rm(copy.path, { recursive: true, force: true });
};

/** Below the data directory: the directories of the practice that restores have put aside. */
export const replacedCopiesOf = async (dataDirectory: string, id: string): Promise<string[]> =>
  (await namesIn(dataDirectory))
    .filter((name) => REPLACED.test(name))
    .map((name) => join(name, 'tenants', id))
    .filter((path) => existsSync(join(dataDirectory, path)))
    .sort();
