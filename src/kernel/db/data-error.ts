/** The data cannot be used as they are. The message names the file and what to do, and is all that the operator reads. */
export class DataError extends Error {
  override readonly name = 'DataError';
}
