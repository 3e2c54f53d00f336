// Disks that fail for real, under a daemon in a process of its own: a small file system that fills up, and calls of the C library
// that a preloaded library lets fail.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('./failing-disk.c', import.meta.url));

export interface FailingDisk {
  /** Of the daemon. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on these calls fail on files whose path has the text. */
  fail(calls: string, error: 'EIO' | 'ENOSPC', text: string): Promise<void>;
  /** Also done where nothing fails. */
  mend(): Promise<void>;
}

/** Needs Debian's `gcc` and `libc6-dev`. */
export async function makeFailingDisk(started: AsyncDisposableStack): Promise<FailingDisk> {
  const directory = await mkdtemp(path.join(tmpdir(), 'failing-disk-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const library = path.join(directory, 'failing-disk.so');
  execFileSync('/usr/bin/gcc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl']);
  const rule = path.join(directory, 'rule');
  return {
    env: { LD_PRELOAD: library, FAILING_DISK: rule },
    fail: async (calls, error, text) => {
      await writeFile(`${rule}.new`, `${calls} ${constants.errno[error]} ${text}`);
      await rename(`${rule}.new`, rule);
    },
    mend: () => rm(rule, { force: true }),
  };
}

/** A file system of that size at `directory`, which is made; false where this machine allows no mount. */
export async function mountSmall(
  started: AsyncDisposableStack,
  directory: string,
  mebibytes: number,
): Promise<boolean> {
  await mkdir(directory, { recursive: true });
  const { status } = spawnSync('/usr/bin/mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${mebibytes}m`,
    'tmpfs',
    directory,
  ]);
  if (status !== 0) return false;
  started.defer(async () => {
    spawnSync('/usr/bin/umount', ['--lazy', directory]);
  });
  return true;
}
