// Looks after the files that no one uses: whether there is space, whether those with a fault can be written again, and whether
// those that are not open are there. No file that is in order is opened for that. A directory that the registry does not know,
// such as one copied from another installation, is used for nothing, and is named.
import { isDeepStrictEqual } from 'node:util';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Log } from '#src/kernel/log.ts';
import { registryStore } from './registry-store.ts';

const TENANTS_PER_PAGE = 500;
/** Files that are not open are looked at in turns: at each run so many, some 0.2 s. */
const INSPECTED_AT_ONCE = 1_000;
/** So many directories are named in the log and in health. */
const MAX_NAMED = 20;

export const FILE_JOB = 'look after the files';

export const STRAY =
  'directories below data_dir/tenants belong to no practice of this installation and are not used: a practice is in its platform.db as well. Stop the service and restore the two together, or move the directories away';

export const createFileJob = ({ platform, tenants, space, retry }: Storage, log: Log) => {
  let strays: readonly string[] = [];
  /** The number of the practice that was looked at last. */
  let inspected = 0;

  const inspectSome = async (signal: AbortSignal): Promise<void> => {
    const some = await platform.read((db) => registryStore(db).listAll(inspected, INSPECTED_AT_ONCE));
    for (const { id, number } of some) {
      if (signal.aborted) return;
      await tenants.inspect(id);
      inspected = number;
    }
    if (some.length < INSPECTED_AT_ONCE) inspected = 0;
  };

  /** What is created or removed meanwhile is in the registry before its directory is there, and until it is gone. */
  const findStrays = async (listed: readonly string[], active: ReadonlySet<string>): Promise<string[]> => {
    const candidates = listed.filter((name) => !active.has(name));
    if (candidates.length === 0) return [];
    const unknown = await platform.read((db) =>
      candidates.filter((name) => !registryStore(db).isKnown(name)),
    );
    const left = new Set(unknown.length === 0 ? [] : await tenants.directories());
    return unknown.filter((name) => left.has(name)).sort();
  };

  const job: Job = {
    name: FILE_JOB,
    schedule: '* * * * *',
    run: async (signal) => {
      space();
      await retry(signal);
      await inspectSome(signal);
      if (signal.aborted) return;
      // A directory that cannot be read is a fault of the files in it.
      const listed = await tenants.directories().catch(() => []);
      const active = new Set<string>();
      for (let after = 0; ; ) {
        const page = await platform.read((db) => registryStore(db).listAll(after, TENANTS_PER_PAGE));
        for (const { id } of page) active.add(id);
        const last = page.at(-1);
        if (!last) break;
        after = last.number;
      }
      const found = await findStrays(listed, active);
      if (found.length > 0 && !isDeepStrictEqual(found, strays))
        log.warn({ count: found.length, directories: found.slice(0, MAX_NAMED) }, STRAY);
      strays = found;
    },
  };

  return { job, strays: () => ({ count: strays.length, named: strays.slice(0, MAX_NAMED) }) };
};
