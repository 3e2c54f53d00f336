// The version of this program, and the commit it was made from.
import { execFileSync, type StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Reads the version in package.json. */
export const readVersion = (): string => JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')).version;

/**
 * The commit: of a release and of what `sendwerk update` has installed from the file that they have, of a checkout from git. null
 * where neither knows. `-dirty` behind it: with changes.
 */
export const readCommit = (): string | null => {
  try {
    return readFileSync(`${ROOT}commit`, 'utf8').trim();
  } catch {
    // A checkout has no such file.
  }
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', ['describe', '--always', '--abbrev=40', '--exclude=*', '--dirty'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio,
    }).trim();
  } catch {
    return null;
  }
};
