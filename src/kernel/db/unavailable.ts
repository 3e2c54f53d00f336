// The error that callers get where a file cannot be read or written.
import Database from 'better-sqlite3';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { faultOf } from './file-states.ts';

const extra = { retry_after: 5 };

export const unavailable = (message: Text, cause: unknown): AppError<'unavailable'> =>
  new AppError('unavailable', message, { extra, cause });

/** For what has been committed, and is perhaps not on the disk, or in a file that no path leads to. */
export const perhapsStored = (isReplaced: boolean, cause: unknown): AppError<'unavailable'> => {
  const what = isReplaced
    ? say`The data were replaced while saving: whether it was stored is unknown.`
    : say`The disk failed while saving: whether it was stored is unknown.`;
  const hint = say`Send the same request again with the same Idempotency-Key: then it is stored once.`;
  return new AppError('unavailable', what, { hint, extra, cause });
};

/** SQLite's own failures (disk full, I/O, lock, damage) mean that nothing was stored; anything else is the caller's error. */
export const isOfTheFile = (error: unknown): boolean =>
  error instanceof Database.SqliteError && faultOf(error) !== undefined;
