// How much space is left on the disk of the data, as the kernel says at this moment: a disk that fills up is seen before the first
// write fails, and without one.
import { type StatsFs, statfsSync } from 'node:fs';
import { DISK, type FileStates } from './file-states.ts';

export interface LeastFree {
  readonly percent: number;
  readonly bytes: number;
}

export interface FreeSpace {
  readonly free_bytes: number;
  readonly total_bytes: number;
  /** failing: it cannot be asked, because the directory is gone or the disk fails. */
  readonly state: 'ok' | 'low' | 'full' | 'failing';
}

/** Less is left than one transaction with its pages may take. */
const FULL_BYTES = 256 * 1_024;
const MIB = 1_024 * 1_024;

const statOf = (directory: string): StatsFs | Error => {
  try {
    return statfsSync(directory);
  } catch (error) {
    return error as Error;
  }
};

export const createDiskSpace =
  (directory: string, { percent, bytes }: LeastFree, states: FileStates) =>
  (): FreeSpace => {
    const found = statOf(directory);
    if (found instanceof Error) {
      states.fail(DISK, 'failing', found);
      return { free_bytes: 0, total_bytes: 0, state: 'failing' };
    }
    const { bavail, blocks, bsize } = found;
    const [free_bytes, total_bytes] = [bavail * bsize, blocks * bsize];
    const isFull = free_bytes < FULL_BYTES;
    const isLow = isFull || free_bytes < bytes || free_bytes < (total_bytes * percent) / 100;
    if (isLow) {
      const left = `${Math.floor(free_bytes / MIB)} MiB of ${Math.floor(total_bytes / MIB)} MiB are left`;
      states.fail(DISK, 'full', left);
    } else states.end(DISK);
    return { free_bytes, total_bytes, state: isFull ? 'full' : isLow ? 'low' : 'ok' };
  };
