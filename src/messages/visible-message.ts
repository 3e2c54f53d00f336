// The message that a caller names, where it is theirs to know of.

import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type MessageRow, messageStore } from './store.ts';

/** Throws `not_found`. */
export const visibleMessage = (db: TenantDb, id: string, caller: Caller): MessageRow => {
  const row = messageStore(db).byId(id);
  if (!row || !mayUseProject(caller, row.project_id)) {
    throw new AppError('not_found', 'There is no such message.');
  }
  return row;
};
