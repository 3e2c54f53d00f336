// Which of a practice's alerts have been disabled without its owners having been told.
import {
  createFollowerNotices,
  type FollowerNotices,
  untoldAmong,
} from '#src/accounts/mails/follower-notices.ts';
import type { OwnerNoticesDeps } from '#src/accounts/mails/tell-owners.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { alertStore } from './store.ts';

export const createAlertNotices = (deps: OwnerNoticesDeps): FollowerNotices =>
  createFollowerNotices({
    ...deps,
    untold: (db) => untoldAmong('alert', alertStore(db).all(), tenantStore(db).practice().name),
    markTold: (db, { id, at }) => alertStore(db).markTold(id, at),
  });
