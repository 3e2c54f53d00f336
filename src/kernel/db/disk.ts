// What durability needs of the disk. It is an interface so that tests can hold a sync back, make it fail, or forget what was not
// synced.
import { close, fdatasync, fstat, fsync, open } from 'node:fs';
import { promisify } from 'node:util';

export interface Disk {
  open(path: string): Promise<number>;
  close(descriptor: number): Promise<void>;
  /** Data of a file, and its size where that changed (fdatasync). */
  syncData(descriptor: number): Promise<void>;
  /** The entries of a directory: files that were created or removed in it. */
  syncDirectory(path: string): Promise<void>;
  size(descriptor: number): Promise<number>;
}

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fsync);
const syncFileData = promisify(fdatasync);
const statFile = promisify(fstat);

export const disk: Disk = {
  open: (path) => openFile(path, 'r+'),
  close: (descriptor) => closeFile(descriptor),
  syncData: (descriptor) => syncFileData(descriptor),
  syncDirectory: async (path) => {
    const descriptor = await openFile(path, 'r');
    try {
      await syncFile(descriptor);
    } finally {
      await closeFile(descriptor);
    }
  },
  size: async (descriptor) => (await statFile(descriptor)).size,
};
