// Notifies the owners that a campaign has ended, stopped by itself, or does not go on. The row keeps which notice is due: it is
// written with the state that it is about and cleared once the mails are in the outbox. After a crash in between they are
// enqueued again, and their ids let them go out once.
import { notifyOwners, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import type { NoticeContent } from '#src/accounts/mails/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { countsOf } from './counts.ts';
import { type CampaignRow, campaignStore, EXCLUDED, HANDED_OVER } from './store.ts';

type CampaignNotice = Extract<NoticeContent, { kind: 'campaign' }>;

interface DueNotice extends Pick<CampaignNotice, 'what' | 'at'> {}

/** The notice as `notice_json` keeps it. */
export const noticeOf = (what: CampaignNotice['what'], at: number): string =>
  JSON.stringify({ what, at } satisfies DueNotice);

const contentOf = (
  db: TenantDb,
  { id, seq, name, reason, notice_json }: CampaignRow,
  origin: string,
): CampaignNotice | null => {
  if (notice_json === null) return null;
  const practice = tenantStore(db).practice();
  const counters = campaignStore(db).counters(seq);
  const countOf = (counter: string): number => counters.get(counter) ?? 0;
  return {
    kind: 'campaign',
    practice: practice.name,
    name,
    ...(JSON.parse(notice_json) as DueNotice),
    reason,
    counts: {
      handedOver: countOf(HANDED_OVER),
      sent: countOf('sent'),
      queued: countsOf(db, seq).queued,
      delivered: countOf('delivered'),
      hardBounced: countOf('hard_bounced'),
      softBounced: countOf('soft_bounced'),
      failed: countOf('failed'),
      complained: countOf('complained'),
      leftOut: [...counters]
        .filter(([counter]) => counter.startsWith(EXCLUDED))
        .map(([counter, count]) => ({ reason: counter.slice(EXCLUDED.length), count })),
    },
    link: dashboardLink(origin, { practice: practice.id, page: `campaigns/${id}` }),
  };
};

/** Sends the notice that is due. Rejects where it could not be sent: it is due still. */
export const sendNotice = async (
  { files, platform, notices, ownersOf, clock, origin }: OwnerNoticesDeps,
  tenantId: string,
  row: CampaignRow,
): Promise<void> => {
  const content = await files.read(tenantId, (db) => contentOf(db, row, origin));
  if (content !== null) {
    const owners = await ownersOf(tenantId);
    const occasion = [row.id, content.what, content.at];
    await platform.write((db) =>
      notifyOwners(notices, db, { tenantId, owners, content, occasion }, clock.now()),
    );
    notices.wake();
  }
  await files.write(tenantId, (db) => {
    const known = campaignStore(db).bySeq(row.seq);
    if (known?.notice_json !== row.notice_json) return;
    const goesOn = ['scheduled', 'sending', 'cancelled'].includes(known.status);
    campaignStore(db).update({ ...known, notice_json: null, due_at: goesOn ? known.due_at : null });
  });
};
