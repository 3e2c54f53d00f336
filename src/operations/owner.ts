// Who reads a database writes beside it: SQLite makes a -shm file, which belongs to the reader. One that belongs to root would keep
// the daemon from its data.
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { DataError } from '#src/kernel/db/data-error.ts';

const OPEN_AND_STICKY = 0o1002;

/** Throws DataError where this process runs as another user than the one that `directory` belongs to. */
export const requireOwner = (directory: string, own = userInfo().uid): void => {
  let owner: number;
  try {
    owner = statSync(directory).uid;
  } catch (error) {
    throw new DataError(`${directory} cannot be read (${(error as Error).message})`, { cause: error });
  }
  if (owner !== own)
    throw new DataError(
      `${directory} belongs to another user than the one that runs this: run it as that one, by \`sendwerk\` or \`runuser -u "$(stat -c %U ${directory})" -- ...\``,
    );
};

/**
 * Like `requireOwner`, for the directory in which a new one is made. In one such as /tmp everyone makes directories, which only their own
 * users may remove: the new one belongs to the user that runs this.
 */
export const requireOwnerAbove = (parent: string, own = userInfo().uid): void => {
  const mode = statSync(parent, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OPEN_AND_STICKY) !== OPEN_AND_STICKY) requireOwner(parent, own);
};
