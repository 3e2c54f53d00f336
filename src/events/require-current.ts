// Two people may save one record: who began with a version that another has changed meanwhile writes nothing over it. Asked
// in the transaction that writes, of the record as it is there.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { auditSearchStore } from './audit-store.ts';

export interface SavedBy {
  /** The record’s id in the audit. */
  readonly targetId: string;
  /** The actions by which people save it. */
  readonly actions: readonly string[];
}

/**
 * `current`: the record as the route answers it. Throws `version_conflict`, with that record, where If-Match names another
 * version.
 */
export const requireCurrent = (
  db: TenantDb,
  { otherVersion }: Pick<RequestContext, 'otherVersion'>,
  current: object,
  { targetId, actions }: SavedBy,
): void => {
  const etag = otherVersion(current);
  if (etag === null) return;
  const saved = auditSearchStore(db).last(targetId, actions);
  throw new AppError('version_conflict', say`The record has been changed since it was read.`, {
    extra: {
      current: { ...current },
      etag,
      saved_by: saved === undefined ? null : saved.actor_name || saved.actor_kind,
      saved_at: saved === undefined ? null : toIso(saved.at),
    },
  });
};
