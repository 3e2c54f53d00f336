// Which of a practice's webhooks and alerts have been disabled, and its owners not notified.
import {
  createFollowerNotices,
  type FollowerNotices,
  untoldAmong,
} from '#src/accounts/mails/follower-notices.ts';
import type { OwnerNoticesDeps } from '#src/accounts/mails/tell-owners.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { alertStore } from './alerts/store.ts';
import { webhookStore } from './webhooks/store.ts';

export const createDisablingNotices = (deps: OwnerNoticesDeps): FollowerNotices =>
  createFollowerNotices({
    ...deps,
    untold: (db) => {
      const { name } = tenantStore(db).practice();
      return [
        ...untoldAmong('webhook', webhookStore(db).list(), name),
        ...untoldAmong('alert', alertStore(db).all(), name),
      ];
    },
    markTold: (db, { follower, id, at }) =>
      (follower === 'webhook' ? webhookStore : alertStore)(db).markTold(id, at),
  });
