// One row of a file of suppressions.

import { addSuppression } from '#src/feedback/suppressions/change.ts';
import { type NamedPlace, namedPlace } from '#src/feedback/suppressions/place.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { AskedOfSuppressions } from './job.ts';
import type { Reason } from './reasons.ts';
import type { Outcome } from './store.ts';
import type { SuppressionLine } from './suppression-line.ts';

const namesNothing = ({ scope, project_id, route_id }: NamedPlace): boolean =>
  scope === undefined && project_id === undefined && route_id === undefined;

/** Called in a transaction. A row with a place that the importer could not change when they asked fails alone. */
export const importSuppression = (
  db: TenantDb,
  key: TenantKey,
  asked: AskedOfSuppressions,
  { address, place, reason, note }: SuppressionLine,
  now: number,
): { readonly outcome: Outcome; readonly reason?: Reason } => {
  const projects = asked.projects && new Set(asked.projects);
  try {
    const named = namedPlace(db, namesNothing(place) ? asked.place : place, { projects }, 'line');
    const added = { address, place: named, reason, sourceMessageId: null, note };
    return { outcome: addSuppression(db, key, added, now).isNew ? 'added' : 'already' };
  } catch (error) {
    if (error instanceof AppError) return { outcome: 'failed', reason: ['refused', error.message] };
    throw error;
  }
};
