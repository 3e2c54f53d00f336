// Filters of mail follow every link that a mail has, in its text, its HTML and its header, before or after a person reads it.
// Whatever they ask with GET and HEAD changes nothing: it leaves events that say that a machine was there.
import { simpleParser } from 'mailparser';
import { afterEach, expect, test } from 'vitest';
import { HOUR, SECOND } from '#src/kernel/time.ts';
import { letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

/** Which say what they are. */
const NAMED: readonly Record<string, string>[] = [
  { 'User-Agent': 'Barracuda Sentinel (EE)' },
  { 'User-Agent': 'Mozilla/5.0 (compatible; proofpoint)' },
  { 'User-Agent': 'Microsoft Office SafeLinks Protection' },
  { 'User-Agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
  { 'User-Agent': 'python-requests/2.32.3' },
  { 'User-Agent': '' },
  { 'User-Agent': BROWSER, 'Sec-Purpose': 'prefetch;prerender' },
  { 'User-Agent': BROWSER, 'X-Moz': 'prefetch' },
];

const NEWSLETTER = `<p>Liebe Patientinnen,</p>
${['termin', 'impfung', 'urlaub', 'team'].map((page) => `<p><a href="https://praxis.example/${page}">${page}</a></p>`).join('\n')}`;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** When a token was used last, how far numbers have gone, and how far the log was read; beside the search index. */
const NOT_OF_MAIL = new Set(['api_tokens', 'sqlite_sequence', 'event_cursors']);

/** All rows of the practice's file but its events, by table. */
const rowsOf = (app: TestApp, { practice: { id } }: Sender): Record<string, unknown[]> =>
  Object.fromEntries(
    Object.keys(app.rowCounts(id))
      .filter((table) => table !== 'events' && !NOT_OF_MAIL.has(table) && !table.startsWith('search'))
      .map((table) => [table, app.sql(id, `SELECT * FROM "${table}"`)]),
  );

const eventsOf = (app: TestApp, { practice: { id } }: Sender): { type: string; bot: boolean }[] =>
  app
    .sql<{ type: string; data_json: string | null }>(id, 'SELECT type, data_json FROM events ORDER BY seq')
    .map(({ type, data_json }) => ({ type, bot: JSON.parse(data_json ?? '{}').bot ?? false }));

/** Paths of all links to the service: in the text of a mail, its HTML and List-Unsubscribe. */
const linksOf = async (source: Buffer): Promise<string[]> => {
  const { text = '', html, headers } = await simpleParser(source);
  const all = [text, html || '', JSON.stringify(headers.get('list'))].join('\n').replaceAll('&amp;', '&');
  const found = all.matchAll(/https:\/\/mail\.example\.com([^\s<>"\\]*)/g);
  return [...new Set([...found].map(([, link = '']) => link))];
};

/** A campaign to one subscriber, once it is over; resolves with the id of its message. */
const campaignTo = async (
  app: TestApp,
  clock: TestClock,
  { base, token, practice }: Sender,
  address: string,
) => {
  const ask = async (target: string, body = {}): Promise<string> => {
    const answer = await app.request<{ id: string }>('POST', `${base}${target}`, body, token);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body.id;
  };
  const list = await ask('/lists', { name: 'Praxisbrief' });
  const consent = { evidence: 'Aufnahmebogen vom 4. Mai 2026' };
  await ask(`/lists/${list}/subscribers`, { address, status: 'active', consent });
  const content = { subject: 'Praxisbrief', html: NEWSLETTER };
  const campaign = await ask('/campaigns', { list_id: list, ...content });
  await ask(`/campaigns/${campaign}/send`);
  await until('the campaign is over, counted and reported', () => {
    clock.set(clock.now() + SECOND);
    const over = app.sql(
      practice.id,
      `SELECT 1 FROM campaigns JOIN campaign_counters AS counted ON campaign_seq = seq
       WHERE status = 'sent' AND notice_json IS NULL AND counted.name = 'sent' AND count = 1`,
    );
    return over.length > 0;
  });
  const [message] = app.sql<{ id: string; sent: number }>(
    practice.id,
    `SELECT messages.id, at AS sent FROM messages JOIN events ON message_seq = messages.seq
     WHERE campaign_seq = 1 AND type = 'message.sent'`,
  );
  // As if all that had taken no time since the message left.
  clock.set(message?.sent ?? 0);
  return message?.id ?? '';
};

test('scanners that follow every link of a campaign mail leave nothing but events of machines', async () => {
  const receiver = await createSmtpReceiver();
  endings.push(() => receiver.stop());
  const clock = createTestClock(Date.UTC(2026, 10, 21, 12));
  const options = { receiver, clock, config: { service: { public_origin: 'https://mail.example.com' } } };
  const app = await startApp(options);
  endings.push(() => app.remove());
  const sender = await app.createSender();
  await app.completeLegal(sender.practice.id);
  const id = await campaignTo(app, clock, sender, letter.to);
  await app.untilStatus(sender, id, 'processed');

  const links = await linksOf(receiver.messages[0]?.content ?? Buffer.alloc(0));
  const clicks = links.filter((link) => link.startsWith('/t/c/'));
  const other = links.filter((link) => link.includes('?t='));
  const [unsubscribe = ''] = other.filter((link) => link.startsWith('/api/public/unsub?'));
  expect([clicks.length, other.length, links.filter((link) => link.startsWith('/t/o/')).length]).toEqual([
    4, 2, 1,
  ]);
  expect(other).toContain(unsubscribe.replace('unsub', 'preferences'));
  const rows = rowsOf(app, sender);
  const events = eventsOf(app, sender);
  const visit = async (at: TestApp, link: string, method: string, headers: Record<string, string>) => {
    const response = await fetch(at.origin + link, { method, headers, redirect: 'manual' });
    await response.arrayBuffer();
    expect(response.status, `${method} ${link}`).toBeLessThan(400);
  };
  // Most scanners call themselves a browser, and come when the mail has just been handed over.
  for (const method of ['GET', 'HEAD'])
    for (const headers of [...NAMED, { 'User-Agent': BROWSER }])
      for (const link of links) await visit(app, link, method, headers);
  // What is held in memory is written.
  await app.stop();
  expect(rowsOf(app, sender)).toEqual(rows);
  const added = eventsOf(app, sender).slice(events.length);
  const hits = 2 * (NAMED.length + 1);
  expect(Object.groupBy(added, ({ type }) => type)).toEqual({
    'message.opened': Array(hits).fill({ type: 'message.opened', bot: true }),
    'message.clicked': Array(4 * hits).fill({ type: 'message.clicked', bot: true }),
  });

  // The same links, followed by the person.
  clock.set(clock.now() + HOUR);
  const again = await startApp({ ...options, home: app.home });
  endings.push(() => again.stop());
  await visit(again, clicks[0] ?? '', 'GET', { 'User-Agent': BROWSER });
  await again.untilStatus(sender, id, 'clicked');
  await visit(again, unsubscribe, 'POST', { 'User-Agent': BROWSER });
  await again.untilStatus(sender, id, 'unsubscribed');
  const counted = () =>
    Object.fromEntries(
      again
        .sql<{ name: string; count: number }>(sender.practice.id, 'SELECT name, count FROM campaign_counters')
        .map(({ name, count }) => [name, count]),
    );
  await until('the campaign has counted it', () => counted().unsubscribed === 1);
  expect(counted()).toMatchObject({ opened: 1, clicked: 1 });
  expect(again.sql(sender.practice.id, 'SELECT url, clicks FROM campaign_links')).toEqual([
    { url: 'https://praxis.example/termin', clicks: 1 },
  ]);
});
