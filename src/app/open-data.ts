// The files of the data directory, as the daemon opens and reports them.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { type Disk, disk as realDisk } from '#src/kernel/db/disk.ts';
import { DISK, PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import type { Maintenance } from '#src/kernel/db/maintenance.ts';
import { openStorage, refusePlatform, type Storage } from '#src/kernel/db/storage.ts';
import type { Log } from '#src/kernel/log.ts';
import { toIso } from '#src/kernel/time.ts';
import { loadSchema } from './schema.ts';

export interface DataOverrides {
  readonly disk?: Disk;
  /** These threads are shared by all apps of the process; each has its own where absent. */
  readonly maintenance?: Maintenance;
  /** See DurableFileOptions. */
  readonly runsTwice?: boolean;
}

const PAGE_BYTES = 4_096;
const HELD_LOG =
  'another process has held a transaction on a database file at least since then, so that its write-ahead log cannot be emptied and grows; nothing is damaged, and it ends with that transaction';
const MIB = 1_024 * 1_024;

export const openData = async (config: Config, log: Log, overrides: DataOverrides): Promise<Storage> => {
  const storage = await openStorage({
    dataDirectory: config.data_dir,
    schema: loadSchema(),
    maxOpenTenants: config.storage.max_open_tenants,
    checkpointBytes: config.storage.checkpoint_pages * PAGE_BYTES,
    disk: overrides.disk ?? realDisk,
    keepsWal: config.replica !== undefined,
    ...(overrides.maintenance ? { maintenance: overrides.maintenance } : {}),
    isWhole: (db) => tenantStore(db).hasPractice(),
    leastFree: { percent: config.storage.min_free_percent, bytes: config.storage.min_free_mib * MIB },
    onFault: (error, what) => log.error({ err: error }, `storage: ${what}`),
    onHeld: (file, held) => {
      if (held === undefined) log.info({ file }, 'the write-ahead log of a database file is empty again');
      else log.warn({ file, bytes: held.bytes, since: toIso(held.since) }, HELD_LOG);
    },
    runsTwice: overrides.runsTwice,
  });
  storage.states.watch((id, fault, former) => {
    const what = id === DISK ? 'the disk' : 'a database file';
    if (fault) log.warn({ file: id, ...fault, since: toIso(fault.since) }, `${what} is not in order`);
    else log.warn({ file: id, state: 'ok', was: former?.state }, `${what} is in order again`);
  });
  return storage;
};

/** The error that ends a start, once everything is closed again: a fault of the registry says what to do about it. */
export const closeData = async (
  { data_dir }: Config,
  { states }: Storage,
  close: () => Promise<void>,
  error: unknown,
): Promise<unknown> => {
  const fault = states.of(PLATFORM_FILE);
  await close();
  return fault === undefined ? error : refusePlatform(data_dir, fault, error);
};
