// A disk for tests: the real one, with syncs that can be held back or made to fail, and that remembers what a power
// cut would leave: the database file and the WAL as they were at the last completed sync.
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, disk } from '#src/kernel/db/disk.ts';

export interface TestDisk extends Disk {
  /** Syncs begun from now on wait until `release()`. */
  hold(): void;
  release(): void;
  failNextSync(error: Error): void;
  syncs(): number;
  /** From now on copies `directory/file{,-wal}` to `safe` whenever a sync completes. */
  remember(directory: string, file: string, safe: string): Promise<void>;
}

export const createTestDisk = (): TestDisk => {
  let gate: Promise<void> = Promise.resolve();
  let open = () => {};
  let failure: Error | null = null;
  let syncs = 0;
  let snapshot: () => Promise<() => Promise<void>> = async () => async () => {};
  return {
    ...disk,
    syncData: async (descriptor) => {
      syncs += 1;
      // Taken before the sync: what is written while it runs need not be on the disk when it ends.
      const keep = await snapshot();
      await gate;
      if (failure) {
        const error = failure;
        failure = null;
        throw error;
      }
      await disk.syncData(descriptor);
      await keep();
    },
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release: () => open(),
    failNextSync: (error) => {
      failure = error;
    },
    syncs: () => syncs,
    remember: async (directory, file, safe) => {
      await mkdir(safe, { recursive: true });
      let number = 0;
      snapshot = async () => {
        const stage = join(safe, `stage-${++number}`);
        await mkdir(stage);
        for (const name of [file, `${file}-wal`]) await copyFile(join(directory, name), join(stage, name));
        return async () => {
          for (const name of [file, `${file}-wal`]) await copyFile(join(stage, name), join(safe, name));
        };
      };
    },
  };
};
