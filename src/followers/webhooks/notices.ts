// Which of a practice's webhooks have been disabled without its owners having been told.
import {
  createFollowerNotices,
  type FollowerNotices,
  untoldAmong,
} from '#src/accounts/mails/follower-notices.ts';
import type { OwnerNoticesDeps } from '#src/accounts/mails/tell-owners.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { webhookStore } from './store.ts';

export const createWebhookNotices = (deps: OwnerNoticesDeps): FollowerNotices =>
  createFollowerNotices({
    ...deps,
    untold: (db) => untoldAmong('webhook', webhookStore(db).list(), tenantStore(db).practice().name),
    markTold: (db, { id, at }) => webhookStore(db).markTold(id, at),
  });
