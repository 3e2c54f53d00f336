// A person is erased from everything that a practice holds: afterwards the address is nowhere in the data directory, and what
// keeps mail from the address goes on working.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import type { erasureSchema } from '#src/audience/people/schema.ts';
import { activate } from '#src/audience/subscribers/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { KeyFor } from '#src/kernel/keys.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { createTrackingLinks, encodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { type List, letter, type Message, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { insertList } from '#test/support/audience.ts';
import { importEnded } from '#test/support/imports.ts';
import { keysIn } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import { putMail } from '#test/support/received-mail.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';
import { inPractice } from '#test/support/subscribers.ts';

type Erasure = z.infer<typeof erasureSchema>;

const MAX = 'Max.Muster_1@example.org';
/** Others, whose addresses contain that of the person. */
const OTHERS = ['klaus.max.muster_1@example.org', 'max.muster_1@example.org.test'];
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';

const clock = createTestClock(Date.now());
const config = { service: { public_origin: 'https://mail.example.com' } };
let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
let keyFor: KeyFor;
let erasure: Erasure;
const ids: Record<string, string> = {};
let readLink = '';
let unsubscribeLink = '';

const call = <Body = unknown>(method: string, target: string, body?: unknown, headers = {}) =>
  app.request<Body>(method, sender.base + target, body, app.adminToken, headers);

const withFile = <T>(work: (db: TenantDb) => T): T => inPractice(app.home, sender.practice.id, work);

/**
 * Files of the data directory in which the address is, in any case, and as links write it. By a process of its own: who closes a
 * file of SQLite's gives up the locks that the daemon of this process has on it.
 */
const filesWithAddress = (): readonly string[] => {
  const data = path.join(app.home, 'data');
  const pattern = String.raw`(?<![\w.])${RegExp.escape(MAX).replace('@', '(@|%40)')}(?!\.test)`;
  const { status, stdout } = spawnSync('grep', ['-rlaiP', pattern, data], {
    env: { LC_ALL: 'C' },
    encoding: 'utf8',
  });
  if (status === 2) throw new Error('grep failed');
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((file) => path.relative(data, file));
};

const linksOf = (messageId: string) => {
  const [row] = app.sql<{ id: number; number: number }>(
    sender.practice.id,
    `SELECT recipients.id, number FROM practice, recipients JOIN messages ON messages.seq = message_seq WHERE messages.id = ?`,
    messageId,
  );
  const target = { tenantNumber: row?.number ?? 0, recipientId: row?.id ?? 0 };
  return {
    open: createTrackingLinks('', keyFor('tracking links')).open(target),
    unsubscribe: `/api/public/unsub?t=${encodeUnsubscribeToken(keyFor('unsubscribe links'), target)}`,
  };
};

const subscribe = (address: string, name: string): void =>
  withFile((db) => {
    const list = insertList(db, { name: `Newsletter for ${name}` });
    activate(
      db,
      {
        suppressionKey: keyFor('suppressions'),
        ledger: {
          key: keyFor('consent ledger'),
          kept: () => ({ consent_ip: 90 * DAY, consent_user_agent: 90 * DAY }),
        },
      },
      {
        list,
        address: address as Address,
        name,
        data: { partner: MAX },
        entry: { action: 'import', way: 'import', personal: { ip: '192.0.2.7' } },
      },
      Date.now(),
    );
  });

beforeAll(async () => {
  receiver = await createSmtpReceiver({});
  app = await startApp({ receiver, clock, config });
  sender = await app.createSender({ plan: 'praxis' });
  keyFor = keysIn(app.home);
  const data = Buffer.from('%PDF-1.4\n').toString('base64');

  ids.alone = await app.send(sender, {
    ...letter,
    to: `Max Muster <${MAX}>`,
    subject: 'Befund für Max',
    text: `An ${MAX}`,
    html: `<p>An <a href="https://praxis.example/?u=${encodeURIComponent(MAX)}">Max</a></p>`,
    tags: ['Kardiologie'],
    metadata: { patient: 'Muster-4711' },
    TrackOpens: true,
    attachments: [{ filename: `${MAX}.pdf`, content: data, content_type: 'application/pdf' }],
  });
  ids.shared = await app.send(sender, {
    ...letter,
    to: ['Erika Muster <erika@example.org>', `Max Muster <${MAX}>`],
    cc: OTHERS[0],
    subject: 'Einladung',
  });
  ids.about = await app.send(sender, {
    ...letter,
    to: 'praxis@example.org',
    reply_to: `Max Muster <${MAX}>`,
    subject: `Anfrage von ${MAX.toUpperCase()}`,
    text: `Schreiben Sie\n${MAX}, nicht ${OTHERS[1]}.`,
    metadata: { page: `https://praxis.example/?mail=${encodeURIComponent(MAX)}` },
  });
  await until('all copies have left', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
  const scheduled_at = new Date(Date.now() + DAY).toISOString();
  ids.waiting = await app.send(sender, { ...letter, to: MAX, scheduled_at });
  ids.waitingShared = await app.send(sender, { ...letter, to: [MAX, 'erika@example.org'], scheduled_at });
  const links = linksOf(ids.alone);
  // Who opens a mail at once is a machine.
  clock.set(Date.now() + HOUR);
  await fetch(app.origin + links.open, { headers: { 'User-Agent': FIREFOX } });
  unsubscribeLink = links.unsubscribe;
  readLink = links.open;

  receiver.setBehaviour({ rcpt: ({ address }) => `550 5.1.1 <${address}>: User unknown, ask ${MAX}` });
  ids.bounced = await app.send(sender, { ...letter, to: MAX });
  await app.untilStatus(sender, ids.bounced, 'hard_bounced');
  receiver.setBehaviour({});

  ids.fromMax = putMail(
    app,
    sender.practice.id,
    {
      mail_from: MAX,
      from_json: JSON.stringify({ address: MAX, name: 'Max Muster' }),
      cc_json: JSON.stringify([{ address: 'kollege@example.org' }]),
      search_text: MAX.toLowerCase(),
    },
    {},
    Buffer.from(`From: Max Muster <${MAX}>\r\nSubject: Frage\r\n\r\nGuten Tag\r\n`),
  );
  ids.fromErika = putMail(app, sender.practice.id, {
    subject: `Wegen ${MAX}`,
    search_text: `wegen ${MAX.toLowerCase()}`,
  });
  subscribe(MAX, 'Max Muster');
  subscribe('erika@example.org', 'Erika Muster');
  expect(
    (
      await call('POST', '/suppression', {
        address: MAX,
        scope: 'project',
        project_id: 'default',
        note: `Anruf von ${MAX}`,
      })
    ).status,
  ).toBe(201);
  await app.request('POST', `${sender.base}/send`, { ...letter, to: 'erika@example.org' }, sender.token, {
    'Idempotency-Key': `to-erika-and-${MAX}`,
  });
  app.sql(
    sender.practice.id,
    "INSERT INTO import_faults (import_seq, line, address, outcome, reason) VALUES (1, 2, ?, 'x', 'y')",
    MAX,
  );
  app.sql(
    sender.practice.id,
    `INSERT INTO alerts (number, id, name, kind, sealed_url, events_json, language, status, after_seq, created_at)
     VALUES (1, 'a', 'Chat', 'slack', x'00', '[]', 'de', 'disabled', 0, 0)`,
  );
  app.sql(
    sender.practice.id,
    "INSERT INTO alert_counts VALUES (1, 0, 'message.bounced', 1, 0, 0, ?)",
    JSON.stringify([`Unzustellbar: ${MAX}`]),
  );
  await until(
    'the open is stored',
    async () => (await app.message(sender, ids.alone ?? '')).status === 'opened',
  );
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const get = async <Body>(target: string): Promise<Body> => (await call<Body>('GET', target)).body;

interface Held {
  readonly not_shown: readonly string[];
  readonly messages: List<Message>;
  readonly received: List<{ id: string }>;
  readonly [part: string]: unknown;
}

describe('what is held of a person', () => {
  const query = `?address=${encodeURIComponent(MAX.toUpperCase())}`;
  /** From all pages: a page ends when its time is over, on a busy machine earlier, and may be empty. */
  const everyId = async (part: 'messages' | 'received', parameter: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { [part]: page }: Held = await get(
        `/people${query}&limit=2${cursor && `&${parameter}=${cursor}`}`,
      );
      found.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    return found;
  };

  test('is in one answer, without what is of people with a similar address', async () => {
    const held = await get<Held>(`/people${query}`);
    expect(held).toMatchObject({
      not_shown: [],
      subscriptions: [{ list_name: 'Newsletter for Max Muster', status: 'active', data: { partner: MAX } }],
      consent: [{ action: 'import', ip: '192.0.2.7' }],
      suppressions: [{ scope: 'project' }, { scope: 'team', reason: 'hard_bounce' }],
      forwarding: [],
    });
    const messages = await everyId('messages', 'cursor');
    expect(messages).toEqual([ids.bounced, ids.waitingShared, ids.waiting, ids.shared, ids.alone]);
    const received = await everyId('received', 'received_cursor');
    expect(received).toEqual([ids.fromMax]);
    const first = ({ data }: List<{ id: string }>) => data.map(({ id }) => id);
    expect(first(held.messages)).toEqual(messages.slice(0, held.messages.data.length));
    expect(first(held.received)).toEqual(received.slice(0, held.received.data.length));
  });

  test('is exported whole, with content, opens and the text of their mail, and no other recipient', async () => {
    const answer = await call<
      Record<string, { id: string; events: { type: string; user_agent: string }[]; text: string }[]>
    >('GET', `/people/export${query}`);
    const { messages = [], received = [], consent, suppressions } = answer.body;
    expect([messages.length, received.length, consent?.length, suppressions?.length]).toEqual([5, 1, 1, 2]);
    const alone = messages.find(({ id }) => id === ids.alone);
    expect(alone?.text).toBe(`An ${MAX}`);
    expect(alone?.events.find(({ type }) => type === 'message.opened')?.user_agent).toBe(FIREFOX);
    expect(received[0]?.text).toBe('Guten Tag\n');
    expect(answer.text).not.toContain('erika@');
    // Also the recipients of mail that others wrote, and parts of which nothing is held.
    expect(answer.text).not.toContain('kollege@');
    expect(answer.body.forwarding).toEqual([]);
    const { data } = await get<List<{ action: string; after: object }>>('/audit?limit=200');
    expect(data.find(({ action }) => action === 'person.export')?.after).toMatchObject({
      person: expect.stringMatching(/^#/),
    });
    expect(answer.headers.get('content-disposition')).toContain('attachment');
  });

  test('is exported as a page, in the language of the person, without scripts or anything from outside', async () => {
    const page = await call<string>('GET', `/people/export${query}&format=html`, undefined, {
      'Accept-Language': 'de',
    });
    expect(page.text).toContain('<h2>Nachrichten an Sie</h2>');
    expect(page.text).toContain('&lt;a href=');
    expect(page.text).toContain('<dt>partner</dt>');
    expect(page.text).toContain('Nicht in dieser Auskunft');
    expect(page.text).not.toMatch(/message_kind|personal_data_removed|bodies|false/);
    expect(page.text).not.toMatch(/<(?:script|img|link|a|iframe)\b/i);
    expect(page.text.trimEnd()).toMatch(/<\/html>$/);
  });

  test('is the whole practice’s: who is limited to projects gets none of it', async () => {
    const { project_id } = await app.message(sender, ids.alone ?? '');
    const token = await app.createToken(sender.practice.id, { scope: 'project', project_id });
    const answers = ['/people', '/people/export'].map((target) =>
      app.request('GET', sender.base + target + query, undefined, token),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 403]);
  });
});

describe('a rectification', () => {
  const [former, present] = ['anna@example.org', 'anna.neu@example.org'];

  test('changes name and values on all lists, and keeps other values', async () => {
    subscribe(former, 'Anna');
    const answer = await call('PATCH', '/people', {
      address: former,
      name: 'Anna Muster',
      data: { anrede: 'Frau' },
    });
    expect(answer.body).toMatchObject({ subscriptions: [{ outcome: 'changed' }] });
    const held = await get<Held>(`/people?address=${former}`);
    expect(held.subscriptions).toMatchObject([
      { name: 'Anna Muster', data: { partner: MAX, anrede: 'Frau' } },
    ]);
  });

  test('asks a new address to confirm, and ends the subscriptions of the old one', async () => {
    const answer = await call('PATCH', '/people', { address: former, new_address: present });
    expect(answer.body).toMatchObject({ subscriptions: [{ outcome: 'asked' }] });
    const [before, after] = [
      await get<Held>(`/people?address=${former}`),
      await get<Held>(`/people?address=${present}`),
    ];
    expect(before).toMatchObject({ subscriptions: [{ status: 'unsubscribed' }] });
    expect((before.consent as { way: string }[]).at(-1)).toMatchObject({
      action: 'withdraw',
      way: 'rectified',
    });
    expect(after).toMatchObject({
      subscriptions: [{ status: 'pending', name: 'Anna Muster' }],
      messages: { data: [{}] },
    });
  });

  test('of the spelling alone keeps the subscription, and a wrong one can be undone', async () => {
    subscribe('Berta@Example.org', 'Berta');
    const spelled = await call('PATCH', '/people', {
      address: 'Berta@Example.org',
      new_address: 'berta@example.org',
    });
    expect(spelled.body).toMatchObject({ subscriptions: [{ outcome: 'changed' }] });
    const held = await get<Held>('/people?address=berta@example.org');
    expect(held.subscriptions).toMatchObject([{ address: 'berta@example.org', status: 'active' }]);
    const wrong = 'berta.neu@example.org';
    await call('PATCH', '/people', { address: 'berta@example.org', new_address: wrong });
    const undone = await call('PATCH', '/people', { address: wrong, new_address: 'berta@example.org' });
    expect(undone.body).toMatchObject({ subscriptions: [{ outcome: 'asked' }] });
    const again = await call('PATCH', '/people', { address: 'berta@example.org', new_address: wrong });
    expect(again.body).toMatchObject({ subscriptions: [{ outcome: 'ended' }] });
  });

  test('of who is on no list is refused', async () => {
    expect((await call('PATCH', '/people', { address: 'niemand@example.org', name: 'N' })).status).toBe(404);
  });
});

describe('an erasure', () => {
  test('finds the address in the data directory before', async () => {
    expect(filesWithAddress()).not.toEqual([]);
  });

  test('finds texts of the practice that name the person, in entries of others', async () => {
    const { body: list } = await call<{ id: string }>('POST', '/lists', { name: 'Aufnahmebögen' });
    const named = { name: `Bögen von ${MAX}`, permissions: ['messages.view'] };
    const { body: role } = await call<{ id: string }>('POST', '/roles', named);
    await call('PATCH', `/roles/${role.id}`, { name: 'Empfang' });
    const form = new FormData();
    form.append('file', new File(['email\nfrida@example.org\n'], `Liste von ${MAX}.csv`));
    form.append('status', 'active');
    form.append('evidence', `Brief von ${MAX}`);
    const imported = await fetch(`${app.origin}${sender.base}/lists/${list.id}/subscribers/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${sender.token}` },
      body: form,
    });
    expect(imported.status).toBe(202);
    await importEnded(app, sender, ((await imported.json()) as { id: string }).id);
    const added = await call('POST', `/lists/${list.id}/subscribers`, {
      address: 'gerd@example.org',
      status: 'active',
      consent: { evidence: `Anruf von ${MAX}` },
    });
    expect(added.status).toBe(201);
    const other = { address: 'helga@example.org', reason: `Wunsch von ${MAX}` };
    const { body: erased } = await call<Erasure>('POST', '/people/erase', other);
    await until('it is done', async () => {
      const { status } = await get<Erasure>(`/people/erasures/${erased.id}`);
      return status === 'done';
    });
  });

  test('is answered at once, and the same one for the same person', async () => {
    const answer = await call<Erasure>('POST', '/people/erase', { address: MAX, reason: `Brief von ${MAX}` });
    expect(answer.status).toBe(202);
    const again = await call<Erasure>('POST', '/people/erase', { address: MAX.toLowerCase() });
    expect(again.body.id).toBe(answer.body.id);
    await until('it is done', async () => {
      erasure = await get<Erasure>(`/people/erasures/${answer.body.id}`);
      return erasure.status === 'done';
    });
    expect(erasure.reason).not.toContain('@');
    const [newest, other] = (await get<List<Erasure>>('/people/erasures')).data;
    expect([newest?.id, other?.reason]).toEqual([erasure.id, `Wunsch von ${erasure.person}`]);
  });

  test('leaves the address nowhere in the data directory, also while the daemon runs', async () => {
    expect(filesWithAddress().filter((name) => !name.endsWith('-wal'))).toEqual([]);
  });

  test('leaves it nowhere after a clean stop', async () => {
    await app.stop();
    expect(filesWithAddress()).toEqual([]);
    app = await startApp({ home: app.home, receiver, clock, config });
  });

  test('takes a message to the person alone as retention does, and of others the copy only', async () => {
    const alone = await app.message(sender, ids.alone ?? '');
    expect(alone).toMatchObject({
      personal_data_removed: true,
      status: 'opened',
      to: [{ address: erasure.person, name: null }],
    });
    expect(JSON.stringify(alone)).not.toMatch(/Befund|Kardiologie|4711|Muster/);
    const shared = await app.message(sender, ids.shared ?? '');
    expect(shared).toMatchObject({
      subject: 'Einladung',
      personal_data_removed: false,
      to: [
        { address: 'erika@example.org', name: 'Erika Muster' },
        { address: erasure.person, name: null },
      ],
      cc: [{ address: OTHERS[0] }],
    });
    const about = await call<Message & { text: string }>('GET', `/messages/${ids.about}`);
    expect(about.body.text).toBe(`Schreiben Sie\n${erasure.person}, nicht ${OTHERS[1]}.`);
    expect(about.body.reply_to).toEqual([{ address: erasure.person, name: null }]);
  });

  test('leaves the consent ledger whole', () => {
    const check = withFile((db) => verifyLedger(db, keyFor('consent ledger')(sender.practice.id)));
    expect(check).toMatchObject({ fault: null });
    expect(check.entries).toBeGreaterThan(0);
  });

  test('keeps what waited from being sent, and names the person no longer in copies for others', async () => {
    expect((await app.message(sender, ids.waiting ?? '')).status).toBe('suppressed');
    const shared = await app.message(sender, ids.waitingShared ?? '');
    expect(shared.to).toEqual([{ address: 'erika@example.org', name: null }]);
    expect(shared.recipients.map(({ status }) => status).toSorted()).toEqual(['pending', 'suppressed']);
  });

  test('keeps when a mail was opened, not where and by what', async () => {
    const events = await get<List<{ type: string; ip: null; user_agent: null }>>(
      `/messages/${ids.alone}/events`,
    );
    expect(events.data.find(({ type }) => type === 'message.opened')).toMatchObject({
      ip: null,
      user_agent: null,
    });
  });

  test('removes mail from the person, and keeps that of others', async () => {
    expect((await call('GET', `/inbound/messages/${ids.fromMax}`)).status).toBe(404);
    const kept = await get<{ subject: string }>(`/inbound/messages/${ids.fromErika}`);
    expect(kept.subject).toBe(`Wegen ${erasure.person}`);
  });

  test('leaves the ledger whole, without what entries of others said of the person', async () => {
    expect(withFile((db) => verifyLedger(db, keyFor('consent ledger')(sender.practice.id)).fault)).toBeNull();
    for (const address of ['frida@example.org', 'gerd@example.org']) {
      const { data } = await get<List<object>>(`/consent?address=${address}`);
      expect(data).toMatchObject([{ address, action: 'import', evidence: null }]);
    }
  });

  test('leaves the search index whole', async () => {
    withFile((db) =>
      db.prepare("INSERT INTO search_trigrams (search_trigrams, rank) VALUES ('integrity-check', 1)").run(),
    );
    const found = await get<List<Message>>(`/messages/search?q=${encodeURIComponent(MAX)}`);
    // A part of another person's address.
    expect(found.data.map(({ id }) => id)).toEqual([ids.shared]);
  });

  test('shows in the audit what was reduced, and that it was asked for', async () => {
    const { data } =
      await get<List<{ action: string; personal_data_removed: boolean; after: { address?: string } }>>(
        '/audit?limit=200',
      );
    const changed = data.find(({ action }) => action === 'role.update');
    expect(changed).toMatchObject({ personal_data_removed: true });
    expect(data.filter(({ action }) => action === 'person.erase')).toHaveLength(3);
    expect(() => app.sql(sender.practice.id, 'UPDATE audit SET is_reduced = 1')).toThrow('append-only');
    expect(() => app.sql(sender.practice.id, "UPDATE events SET data_json = '{}'")).toThrow('append-only');
  });

  test('has a certificate: what was erased, what is kept and why, and what it does not reach', async () => {
    const { certificate } = erasure;
    const erased = Object.fromEntries(certificate?.erased.map(({ kind, number }) => [kind, number]) ?? []);
    expect(erased).toMatchObject({
      copies: 5,
      mails_received: 2,
      subscriptions: 1,
      consent_entries_reduced: 2,
      mentions_in_consent: 2,
      mentions_in_erasures: 1,
      suppressions: 2,
    });
    expect(certificate?.kept.map(({ kind, number }) => [kind, number])).toEqual([
      ['counts', null],
      ['suppressions', 2],
      ['consent_entries', 2],
    ]);
    expect(certificate?.beyond.join()).toMatch(/Backups.*write-ahead log/);
    const page = await call<string>('GET', `/people/erasures/${erasure.id}`, undefined, {
      Accept: 'text/html',
      'Accept-Language': 'de',
    });
    expect(page.text).toContain('Bescheinigung über eine Löschung');
    expect(page.text).not.toMatch(/<script|src=|@example/i);
  });

  test('still keeps mail from the address, also where it is imported again', async () => {
    const csv = `address\n${MAX}\n`;
    const imported = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/suppression/import`,
      Buffer.from(csv),
      app.adminToken,
      {
        'Content-Type': 'text/csv',
      },
    );
    await until('it is imported', async () => {
      const { status } = await get<{ status: string }>(`/imports/${imported.body.id}`);
      return status === 'done';
    });
    expect(await get(`/imports/${imported.body.id}`)).toMatchObject({ counts: { added: 0, already: 1 } });
    const sent = await app.request<{ code: string }>(
      'POST',
      `${sender.base}/send`,
      { ...letter, to: MAX },
      sender.token,
    );
    expect(sent.body).toMatchObject({ status: 'suppressed', code: 'recipient_suppressed' });
  });

  test('leaves the links of old mail working', async () => {
    expect((await fetch(app.origin + readLink)).status).toBe(200);
    const answer = await fetch(app.origin + unsubscribeLink, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(answer.status).toBe(200);
  });
});
