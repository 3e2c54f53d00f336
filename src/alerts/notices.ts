// Which of a practice's alerts have been disabled without its owners having been told.
import type { TenantDb } from '#src/db/sqlite.ts';
import {
  createFollowerNotices,
  type FollowerNotices,
  type UntoldDisabling,
} from '#src/notices/follower-notices.ts';
import type { OwnerNoticesDeps } from '#src/notices/tell-owners.ts';
import { tenantStore } from '#src/tenants/store.ts';
import { type AlertRow, alertStore } from './store.ts';

export const isUntold = ({ disabled_told, disabled_at }: AlertRow): boolean =>
  disabled_told === 0 && disabled_at !== null;

const untold = (db: TenantDb): UntoldDisabling[] => {
  const rows = alertStore(db).all().filter(isUntold);
  if (rows.length === 0) return [];
  const practice = tenantStore(db).practice().name;
  return rows.map(({ id, name, disabled_at, disabled_reason, failing_since, last_error, created_at }) => ({
    id,
    practice,
    follower: 'alert',
    name,
    at: disabled_at ?? created_at,
    reason: disabled_reason === 'gone' ? 'gone' : 'failing',
    since: failing_since ?? disabled_at ?? created_at,
    error: last_error,
  }));
};

/** Unless something else has become of it meanwhile. */
const markTold = (db: TenantDb, { id, at }: UntoldDisabling): void => {
  const row = alertStore(db).byId(id);
  if (row?.disabled_at === at) alertStore(db).update({ ...row, disabled_told: 1 });
};

export const createAlertNotices = (deps: OwnerNoticesDeps): FollowerNotices =>
  createFollowerNotices({ ...deps, untold, markTold });
