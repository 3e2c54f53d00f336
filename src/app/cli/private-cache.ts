// Where compiled sources are kept from one start to the next. Node runs what it finds there, so the place must be one that
// no one else can write to: where that is not sure, there is none, and each start compiles again.
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from '#src/kernel/config/secrets.ts';

const PRIVATE_MODE = 0o700;
const OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** What may be replaced by another user at any height of the path may be replaced as a whole. */
const isSafeParent = (path: string, uid: number): boolean => {
  const { uid: owner, mode } = statSync(path);
  const isOpen = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0;
  if ((owner !== uid && owner !== 0) || isOpen) return false;
  return path === dirname(path) || isSafeParent(dirname(path), uid);
};

/** systemd names the first (CacheDirectory=), the desktop's rules the second. */
const directoryOf = ({ CACHE_DIRECTORY, XDG_CACHE_HOME }: Environment): string =>
  CACHE_DIRECTORY || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'sendwerk');

/** The directory, made where it does not exist yet; null where it cannot be made or is not private to `uid`. */
export const privateCache = (environment: Environment, uid: number | undefined): string | null => {
  if (uid === undefined) return null;
  try {
    const named = directoryOf(environment);
    mkdirSync(named, { recursive: true, mode: PRIVATE_MODE });
    const path = realpathSync(named);
    const { uid: owner, mode } = statSync(path);
    return owner === uid && (mode & OTHERS) === 0 && isSafeParent(dirname(path), uid) ? path : null;
  } catch {
    return null;
  }
};
