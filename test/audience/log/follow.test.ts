// What follows from the event log for campaigns and subscriptions, each event once.
import { beforeEach, expect, test } from 'vitest';
import { campaignStore } from '#src/audience/campaigns/store.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { logTask } from '#src/audience/log/follow.ts';
import { activate } from '#src/audience/subscribers/change.ts';
import { subscriberStore } from '#src/audience/subscribers/store.ts';
import { agreeToTracking } from '#src/audience/subscribers/tracking.ts';
import type { EventType } from '#src/events/catalogue.ts';
import { followStore } from '#src/events/follow-store.ts';
import { type EventData, eventStore } from '#src/events/store.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { newId } from '#src/kernel/id.ts';
import { parseAddress } from '#src/mail/address.ts';
import { messageStore } from '#src/messages/store.ts';
import { insertList, audienceKeys as keys } from '#test/support/audience.ts';
import { messageRow, textBody } from '#test/support/message-row.ts';
import { createTestClock, openTenantDb, type SampleTenant } from '#test/support/storage.ts';

const ERIKA = 'erika@example.org';
const OTTO = 'otto@example.org';

let tenant: SampleTenant;
let news: ListRow;
let offers: ListRow;
let campaignSeq: number;
const clock = createTestClock(1_000);

beforeEach(async () => {
  tenant = await openTenantDb();
  news = insertList(tenant.db);
  offers = insertList(tenant.db, { name: 'Angebote', channel: 'other' });
  campaignSeq = campaignStore(tenant.db).insert({
    id: newId(),
    name: 'November',
    project_id: tenant.projectId,
    route_id: tenant.routeId,
    message_kind: 'newsletter',
    list_ids_json: JSON.stringify([news.id]),
    filter_json: '[]',
    schedule_at: null,
    time_zone: null,
    max_per_hour: null,
    status: 'sending',
    reason: null,
    due_at: null,
    after_hash: null,
    shared_id: null,
    file_identity: null,
    progress_at: null,
    looked_at: null,
    alarmed_at: null,
    notice_json: null,
    resumed_json: null,
    created_at: 0,
    updated_at: 0,
    started_at: 0,
    finished_at: null,
  });
});

const subscribe = (list: ListRow, address: string, now = 1): void => {
  activate(
    tenant.db,
    keys,
    { list, address: parseAddress(address).address, entry: { action: 'confirm', way: 'link' } },
    now,
  );
};
const statuses = (address: string) =>
  Object.fromEntries(
    tenant.db
      .prepare<[string], { name: string; status: string }>(
        'SELECT lists.name, status FROM subscribers JOIN lists ON lists.seq = list_seq WHERE address = ?',
      )
      .all(address)
      .map(({ name, status }) => [name, status]),
  );

/** A message to one recipient. */
const sent = (address: string, campaign: number | null = campaignSeq) => {
  const { projectId: project_id, routeId: route_id } = tenant;
  const row = messageRow({ project_id, route_id, to: [{ address }], at: 1, campaign_seq: campaign });
  const seq = messageStore(tenant.db).insert({ ...row, channel: 'newsletter' }, textBody('Hallo'));
  return { seq, recipientId: messageStore(tenant.db).insertRecipient(seq, address, 'to', 'queued', 1).id };
};
const happened = (
  { seq, recipientId }: ReturnType<typeof sent>,
  type: EventType,
  data: EventData = {},
  at = 100,
): void => eventStore(tenant.db).append({ type, messageSeq: seq, recipientId, at, data });

const taskOfLog = () => {
  const files = { write: async (_: string, work: (db: unknown) => unknown) => work(tenant.db) };
  return logTask({ files: files as unknown as TenantFiles, clock, ...keys }, () => undefined);
};
/** A turn of the work queue; whether there was something to do. */
const turn = async (task: ReturnType<typeof taskOfLog>): Promise<boolean> => {
  if (task.due(tenant.db, tenant.tenantId, 1_000).items.length === 0) return false;
  await task.run(tenant.tenantId, 0, new AbortController().signal);
  return true;
};
/** With a cursor that a crash would leave. */
const follow = () => turn(taskOfLog());
const counters = () => Object.fromEntries(campaignStore(tenant.db).counters(campaignSeq));
const links = () =>
  tenant.db.prepare('SELECT url, clicks, recipients FROM campaign_links ORDER BY url').all();

test('the numbers of a campaign: each recipient once a name, no machines, a click implies an open', async () => {
  const [a, b, c, d] = [sent(ERIKA), sent(OTTO), sent('c@example.org'), sent('d@example.org', null)];
  for (const one of [a, b, d]) happened(one, 'message.sent', { attempt: 1 });
  happened(a, 'message.delivered');
  happened(a, 'message.delivered', { repeated: true });
  await follow();
  for (let count = 0; count < 3; count++) happened(a, 'message.opened');
  happened(b, 'message.opened', { bot: true });
  for (const url of ['https://a.example/', 'https://a.example/', 'https://b.example/'])
    happened(b, 'message.clicked', { url });
  happened(a, 'message.clicked', { url: 'https://a.example/' });
  happened(a, 'message.clicked', { url: 'https://a.example/', bot: true });
  happened(c, 'message.hard_bounced', { attempt: 1 });
  await follow();
  happened(b, 'message.unsubscribed');
  happened(b, 'message.spam_complaint');
  await follow();
  await follow();
  expect(counters()).toEqual({
    sent: 2,
    delivered: 1,
    opened: 2,
    clicked: 2,
    refused: 1,
    hard_bounced: 1,
    unsubscribed: 1,
    complained: 1,
  });
  expect(links()).toEqual([
    { url: 'https://a.example/', clicks: 3, recipients: 2 },
    { url: 'https://b.example/', clicks: 1, recipients: 1 },
  ]);
});

test('more events than one transaction takes are all counted', async () => {
  for (let count = 0; count < 1_500; count++) happened(sent(`p${count}@example.org`), 'message.sent');
  await follow();
  expect(counters()).toEqual({ sent: 1_500 });
});

test('events that mean nothing, far beyond the cursor as after a restore, are work once', async () => {
  tenant.db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 2000000000)").run();
  happened(sent(ERIKA), 'message.created');
  const task = taskOfLog();
  expect([await turn(task), await turn(task)]).toEqual([true, false]);
  expect(followStore(tenant.db).cursor('audience')).toBe(2_000_000_001);
});

test.each<[string, EventType, EventData, object, object]>([
  [
    'unsubscribing from a campaign ends the lists of the campaign',
    'message.unsubscribed',
    {},
    { Newsletter: 'unsubscribed', Angebote: 'active' },
    { Newsletter: 'active' },
  ],
  [
    'unsubscribing from all mail of the sender ends all lists',
    'message.unsubscribed',
    {
      suppression: {
        id: 's',
        address: ERIKA,
        scope: 'team',
        project_id: null,
        route_id: null,
        project_slug: null,
        route_slug: null,
        reason: 'unsubscribe_all',
      },
    },
    { Newsletter: 'unsubscribed', Angebote: 'unsubscribed' },
    { Newsletter: 'active' },
  ],
  [
    'a hard bounce ends all lists',
    'message.hard_bounced',
    {},
    { Newsletter: 'bounced', Angebote: 'bounced' },
    { Newsletter: 'active' },
  ],
  [
    'a complaint ends all lists',
    'message.spam_complaint',
    {},
    { Newsletter: 'complained', Angebote: 'complained' },
    { Newsletter: 'active' },
  ],
  [
    'what a machine did ends nothing',
    'message.unsubscribed',
    { bot: true },
    { Newsletter: 'active', Angebote: 'active' },
    { Newsletter: 'active' },
  ],
])('%s', async (_, type, data, hers, his) => {
  subscribe(news, ERIKA);
  subscribe(offers, ERIKA);
  subscribe(news, OTTO);
  happened(sent(ERIKA), type, data);
  await follow();
  expect([statuses(ERIKA), statuses(OTTO)]).toEqual([hers, his]);
});

test('the ledger has when, by which mail and from where someone unsubscribed', async () => {
  subscribe(news, ERIKA);
  const mail = sent(ERIKA);
  happened(mail, 'message.unsubscribed', { ip: '192.0.2.0', user_agent: 'Thunderbird' });
  await follow();
  const row = consentStore(tenant.db).newest(9, 1)[0];
  const { action, at, details } = JSON.parse(row?.facts_json ?? '');
  expect({ action, at, details }).toEqual({
    action: 'withdraw',
    at: '1970-01-01T00:00:01.000Z',
    details: {
      happened_at: '1970-01-01T00:00:00.100Z',
      message_id: messageStore(tenant.db).bySeq(mail.seq)?.id,
      campaign_id: campaignStore(tenant.db).bySeq(campaignSeq)?.id,
    },
  });
  expect(JSON.parse(row?.openings_json ?? '')).toMatchObject({
    ip: { value: '192.0.2.0' },
    user_agent: { value: 'Thunderbird' },
  });
});

test('unsubscribing from other mail ends the lists of its channel', async () => {
  subscribe(news, ERIKA);
  subscribe(offers, ERIKA);
  happened(sent(ERIKA, null), 'message.unsubscribed');
  await follow();
  expect(statuses(ERIKA)).toEqual({ Newsletter: 'unsubscribed', Angebote: 'active' });
});

test('who has confirmed since then stays', async () => {
  subscribe(news, ERIKA, 200);
  happened(sent(ERIKA), 'message.unsubscribed', {}, 100);
  await follow();
  expect(statuses(ERIKA)).toEqual({ Newsletter: 'active' });
  expect(subscriberStore(tenant.db).bySeq(1)?.confirmed_at).toBe(200);
});

test('a confirmation mail is due for the ledger once a relay took it', async () => {
  const { projectId: project_id, routeId: route_id } = tenant;
  const row = messageRow({ project_id, route_id, to: [{ address: ERIKA }], at: 1, message_kind: 'doi' });
  const seq = messageStore(tenant.db).insert(row, textBody('Bitte bestätigen'));
  const { id } = messageStore(tenant.db).insertRecipient(seq, ERIKA, 'to', 'queued', 1);
  tenant.db
    .prepare('INSERT INTO confirmation_mails (message_seq, subscriber_seq, request_seq) VALUES (?, 1, 1)')
    .run(seq);
  const sentAt = () => tenant.db.prepare('SELECT sent_at FROM confirmation_mails').pluck().get();
  happened({ seq, recipientId: id }, 'message.delivery_delayed');
  await follow();
  expect(sentAt()).toBeNull();
  happened({ seq, recipientId: id }, 'message.sent', {}, 123);
  await follow();
  expect(sentAt()).toBe(123);
});

test('what people read is noted of tracked copies alone, at the lists of the campaign, and from their consent on', async () => {
  const agreedAt = 50;
  for (const list of [news, offers]) subscribe(list, ERIKA);
  const [row] = tenant.db.prepare<[], { address_hash: Buffer }>('SELECT address_hash FROM subscribers').all();
  const who = { person: row?.address_hash ?? Buffer.alloc(0), address: ERIKA };
  agreeToTracking(tenant.db, keys, who, { way: 'preferences' }, agreedAt);
  const times = () =>
    tenant.db.prepare('SELECT tracked_at, opened_at, clicked_at FROM subscribers ORDER BY seq').all();
  const nothing = { tracked_at: null, opened_at: null, clicked_at: null };
  const track = ({ seq }: ReturnType<typeof sent>) =>
    tenant.db.prepare(`UPDATE messages SET settings_json = '{"track_opens":true}' WHERE seq = ?`).run(seq);

  const untracked = sent(ERIKA);
  happened(untracked, 'message.sent', { attempt: 1 });
  const objected = sent(ERIKA);
  track(objected);
  tenant.db.prepare('UPDATE recipients SET is_untracked = 1 WHERE id = ?').run(objected.recipientId);
  happened(objected, 'message.sent', { attempt: 1 });
  const tracked = sent(ERIKA);
  track(tracked);
  happened(tracked, 'message.opened', {}, agreedAt - 1);
  happened(tracked, 'message.opened', { bot: true });
  const letter = sent(ERIKA, null);
  track(letter);
  happened(letter, 'message.opened');
  await follow();
  expect(times()).toEqual([nothing, nothing]);

  happened(tracked, 'message.sent', { attempt: 1 }, 100);
  happened(tracked, 'message.clicked', { url: 'https://a.example/' }, 300);
  happened(tracked, 'message.opened', {}, 200);
  await follow();
  expect(times()).toEqual([{ tracked_at: 100, opened_at: 300, clicked_at: 300 }, nothing]);
});
