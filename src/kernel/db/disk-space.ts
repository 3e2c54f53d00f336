// How much space is left on the disk of the data, as the kernel says at this moment: a disk that fills up is seen before the first
// write fails, and without one.
import { statfsSync } from 'node:fs';
import { DISK, type FileStates } from './file-states.ts';

export interface LeastFree {
  readonly percent: number;
  readonly bytes: number;
}

export interface FreeSpace {
  readonly free_bytes: number;
  readonly total_bytes: number;
  readonly state: 'ok' | 'low' | 'full';
}

/** Less is left than one transaction with its pages may take. */
const FULL_BYTES = 256 * 1_024;
const MIB = 1_024 * 1_024;

export const createDiskSpace =
  (directory: string, { percent, bytes }: LeastFree, states: FileStates) =>
  (): FreeSpace => {
    const { bavail, blocks, bsize } = statfsSync(directory);
    const [free_bytes, total_bytes] = [bavail * bsize, blocks * bsize];
    const isFull = free_bytes < FULL_BYTES;
    const isLow = isFull || free_bytes < bytes || free_bytes < (total_bytes * percent) / 100;
    if (isLow) {
      const left = `${Math.floor(free_bytes / MIB)} MiB of ${Math.floor(total_bytes / MIB)} MiB are left`;
      states.fail(DISK, 'full', left);
    } else states.end(DISK);
    return { free_bytes, total_bytes, state: isFull ? 'full' : isLow ? 'low' : 'ok' };
  };
