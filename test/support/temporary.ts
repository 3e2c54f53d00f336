// Where tests keep their files: in memory where there is room, because SQLite syncs each commit, and a disk takes milliseconds for
// that. The full length of the long tests keeps to the disk.
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';

const IN_MEMORY = '/dev/shm';
/** Of free memory: installations of several hundred megabytes may lie there at the same time. */
const ROOM_BYTES = 4 * 1_024 ** 3;

/** A program can run from there, as from the temporary directory of the machine. */
const runsPrograms = (directory: string): boolean =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .some((line) => {
      const [, mount, , options = ''] = line.split(' ');
      return mount === directory && !options.split(',').includes('noexec');
    });

const hasRoom = (directory: string): boolean => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize >= ROOM_BYTES;
};

export const directoryForTests = (): string =>
  process.env.SOAK !== 'full' && existsSync(IN_MEMORY) && runsPrograms(IN_MEMORY) && hasRoom(IN_MEMORY)
    ? IN_MEMORY
    : tmpdir();
