// What the daemon and the command that moves a tenant agree on: where the copy of its file lies, and how it is divided.
import { join } from 'node:path';

/** The directory's name in the data directory. */
export const LEAVING = 'leaving';

export const leavingFile = (dataDirectory: string, id: string): string =>
  join(dataDirectory, LEAVING, id, 'tenant.db');

/** The directory in the data directory with a lock for each practice that a command moves. */
export const MOVING = 'moving';
export const lockName = (id: string): string => `${id}.lock`;

/**
 * The place of its file once it has moved. It is not below `tenants/`: a rebuilt registry would take it for a practice that
 * works here.
 */
export const movedDirectory = (dataDirectory: string, id: string): string => join(dataDirectory, 'moved', id);

/** What the rows that name their file have for it while it is on the way between two hosts: see `FollowFile`. */
export const ON_THE_WAY = 'on the way';

/** 16 pages of a database. Smaller blocks need more hashes, larger ones send more that has not changed. */
export const BLOCK_BYTES = 64 * 1_024;
