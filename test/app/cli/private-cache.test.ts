import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { privateCache } from '#src/app/cli/private-cache.ts';
import { startDaemon } from '#test/support/daemon.ts';

const ENTRY = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const uid = process.getuid?.() ?? 0;
let home: string;
let cache: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'private-cache-'));
  cache = join(home, 'cache');
});
afterEach(() => rm(home, { recursive: true }));

/** Its mode whatever the umask. */
const directory = async (path: string, mode: number): Promise<string> => {
  const before = process.umask(0);
  await mkdir(path, { mode }).finally(() => process.umask(before));
  return path;
};
/** All below `cache`: one of node's version, in it an entry or two for each module. */
const entries = async (): Promise<number> =>
  (await readdir(cache, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;
const environment = (more: Record<string, string> = {}) => ({
  ...process.env,
  NODE_COMPILE_CACHE: undefined,
  CACHE_DIRECTORY: cache,
  ...more,
});
const version = () => promisify(execFile)(execPath, [ENTRY, 'version'], { env: environment() });

describe('where it is', () => {
  test('in the directory of systemd, which only its owner may enter', async () => {
    expect(privateCache({ CACHE_DIRECTORY: cache, XDG_CACHE_HOME: home }, uid)).toBe(cache);
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
  });

  test('else below the cache directory of the user', () => {
    expect(privateCache({ XDG_CACHE_HOME: home }, uid)).toBe(join(home, 'sendwerk'));
    expect(privateCache({ XDG_CACHE_HOME: home, CACHE_DIRECTORY: '' }, uid)).toBe(join(home, 'sendwerk'));
  });

  test('where a link leads, named without the link', async () => {
    await directory(join(home, 'real'), 0o700);
    await symlink(join(home, 'real'), cache);
    expect(privateCache({ CACHE_DIRECTORY: cache }, uid)).toBe(join(home, 'real'));
  });
});

describe('there is none', () => {
  test.each([
    ['others may write to', 0o702],
    ['its group may write to', 0o720],
    ['others may read', 0o744],
    ['all may write to, but remove only what is theirs', 0o1777],
  ])('in a directory that %s', async (_, mode) => {
    await directory(cache, mode);
    expect(privateCache({ CACHE_DIRECTORY: cache }, uid)).toBeNull();
  });

  test('below a directory where others may put another in its place', async () => {
    const open = await directory(join(home, 'open'), 0o777);
    expect(privateCache({ CACHE_DIRECTORY: join(open, 'private') }, uid)).toBeNull();
  });

  test('where it would be behind a link to such a place', async () => {
    const open = await directory(join(home, 'open'), 0o777);
    await directory(join(open, 'private'), 0o700);
    await symlink(join(open, 'private'), cache);
    expect(privateCache({ CACHE_DIRECTORY: cache }, uid)).toBeNull();
  });

  test('in the directory of another user, and where users are not known', async () => {
    await directory(cache, 0o700);
    expect(privateCache({ CACHE_DIRECTORY: cache }, uid + 1)).toBeNull();
    expect(privateCache({ CACHE_DIRECTORY: cache }, undefined)).toBeNull();
  });

  test('where it cannot be made', async () => {
    await writeFile(cache, '');
    expect(privateCache({ CACHE_DIRECTORY: join(cache, 'below') }, uid)).toBeNull();
  });
});

test('a command keeps what it compiled, which is little', async () => {
  await version();
  const few = 28;
  expect(await entries()).toBeGreaterThan(0);
  expect(await entries()).toBeLessThan(few);
});

test('a command runs without it where others could write to it', async () => {
  await directory(cache, 0o777);
  expect((await version()).stdout).toMatch(/^\d/);
  expect(await entries()).toBe(0);
});

test('a start of the daemon compiles what it needs, not what a single message needs', {
  tags: ['slow'],
}, async () => {
  const daemon = await startDaemon({ env: environment() });
  try {
    expect(await daemon.stop()).toBe(0);
    // Two of each file of src/, one of each file of a library; the parser of received mail alone would be 50 more. Who adds
    // many files raises it.
    expect(await entries()).toBeLessThan(2_340);
  } finally {
    await daemon.remove();
  }
});
