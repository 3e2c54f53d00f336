// What the daemon and the command that moves a tenant agree on: where the copy of its file lies, and how it is divided.
import { join } from 'node:path';

/** In the data directory. */
export const LEAVING = 'leaving';

export const leavingFile = (dataDirectory: string, id: string): string =>
  join(dataDirectory, LEAVING, id, 'tenant.db');

/** Where its file is kept once it has moved: among the tenants', a lost registry would be made again with it. */
export const movedDirectory = (dataDirectory: string, id: string): string => join(dataDirectory, 'moved', id);

/** 16 pages of a database: fewer cost hashes, more send what has not changed. */
export const BLOCK_BYTES = 64 * 1_024;
