// Writes a file whole or not at all, with its owner and mode from the first moment: a temporary file beside it, its sync, the
// exchange of names, the sync of the directory. A file that a run left half takes the next run as its own.
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Rights {
  readonly mode: number;
  /** Null where only root could give it away: the file stays with who makes it. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

export const syncDirectory = (directory: string): void => {
  const descriptor = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** With all above it, which everyone may read. The process may have another mask. */
export const makeDirectory = (path: string, { mode, owner }: Rights = { mode: 0o755, owner: null }): void => {
  const above = dirname(path);
  if (!existsSync(above)) makeDirectory(above);
  if (!existsSync(path)) mkdirSync(path, 0o700);
  if (owner !== null) chownSync(path, owner.uid, owner.gid);
  chmodSync(path, mode);
  syncDirectory(above);
};

export const writeWhole = (path: string, text: string, { mode, owner }: Rights): void => {
  const directory = dirname(path);
  if (!existsSync(directory)) makeDirectory(directory);
  const half = join(directory, `.${basename(path)}.setup`);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const descriptor = openSync(half, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, text);
    if (owner !== null) fchownSync(descriptor, owner.uid, owner.gid);
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(half, path);
  syncDirectory(directory);
};
