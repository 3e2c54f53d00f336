import { beforeEach, describe, expect, test } from 'vitest';
import { utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import type { Submission } from '#src/intake/evaluate.ts';
import { anonymous } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import { parseAddress } from '#src/mail/address.ts';
import { presentMessage } from '#src/messages/present.ts';
import { openContent } from '#src/messages/sealed-content.ts';
import { type BodyRow, messageStore } from '#src/messages/store.ts';
import { createTestDisk, type TestDisk } from '#test/kernel/db/test-disk.ts';
import {
  ACCEPTED,
  acceptWhole,
  createRelay,
  type PlayedUpstream,
  playUpstream,
  type Relay,
  untilSeen,
} from '#test/relay/fixture.ts';
import { MESSAGE } from '#test/support/draft.ts';

let disk: TestDisk;
let upstream: PlayedUpstream;
let relay: Relay;
let practice: string;

beforeEach(async () => {
  disk = createTestDisk();
  upstream = playUpstream(() => ACCEPTED);
  relay = await createRelay([upstream], { disk });
  practice = await relay.createPractice('Nord');
  // From now on the registry knows the practice, and the next sync is one of its own file.
  (await relay.dueRegistry.hold(practice, relay.clock.now()))();
});

const messages = () =>
  relay.storage.tenants.read(practice, (db) =>
    db.prepare<[], number>('SELECT count(*) FROM messages').pluck().get(),
  );

describe('where the sync fails', () => {
  const UNKNOWN = { code: 'unavailable', message: expect.stringContaining('unknown') };

  test('the sender does not know whether the message was stored; a stored one is sent', async () => {
    relay.dispatcher.start();
    disk.failNextSync(new Error('EIO'));
    await expect(relay.send(practice)).rejects.toMatchObject(UNKNOWN);
    await untilSeen(upstream, 1);
    await relay.untilSent(practice);
  });

  test('the registry keeps the practice, so that a restart looks for due mail', async () => {
    disk.failNextSync(new Error('EIO'));
    await expect(relay.send(practice)).rejects.toMatchObject(UNKNOWN);
    expect(await relay.registered()).toEqual([practice]);
  });

  test('the repeated request answers with the stored message, and that message is sent', async () => {
    const submission: Submission = {
      tenantId: practice,
      projects: null,
      projectId: null,
      source: 'api',
      draft: MESSAGE,
      idempotency: { key: 'key', request: 1 },
    };
    disk.failNextSync(new Error('EIO'));
    const inAnEarlierProcess = { ...relay.intake, wake: () => undefined };
    await expect(acceptWhole(inAnEarlierProcess, submission)).rejects.toMatchObject(UNKNOWN);
    const again = await acceptWhole(relay.intake, submission);
    expect(again).toMatchObject({ kind: 'accepted', replayed: true });
    expect(await messages()).toBe(1);
    relay.dispatcher.start();
    await untilSeen(upstream, 1);
    expect(upstream.seen.map(({ messageId }) => messageId)).toEqual([again.answer.id]);
  });
});

const read = <T>(work: (db: TenantDb) => T): Promise<T> => relay.storage.tenants.read(practice, work);

test('octets of a file for which the relay has no room are freed once the practice has them', async () => {
  const size = 9 * 1_024 * 1_024;
  const pdf = (letter: string) => Buffer.alloc(size, letter).fill('%PDF-1.4\n', 0, 9);
  const [own, shared] = [pdf('A'), pdf('B')];
  const file = { filename: 'a.pdf', contentType: 'application/pdf', contentId: null };
  const attachments = [
    { ...file, content: own, isOwn: true },
    { ...file, content: shared },
  ];
  await relay.send(practice, { attachments });
  expect([own.length, shared.length]).toEqual([0, size]);
  const kept = await read((db) =>
    db.prepare<[], Buffer>('SELECT content FROM attachments ORDER BY position').pluck().all(),
  );
  expect(kept.map((content) => content.equals(pdf('A')))).toEqual([true, false]);
});

describe('accepted mail is counted', () => {
  const counted = (fromDay = utcDay(relay.clock.now()), days = 1) =>
    read((db) =>
      counterStore(db)
        .perRoute(fromDay, fromDay + days)
        .reduce((sum, { accepted }) => sum + accepted, 0),
    );
  const to = (...addresses: string[]) => addresses.map((address) => parseAddress(address));

  test('one mail for each recipient, on its UTC day', async () => {
    const day = utcDay(relay.clock.now());
    await relay.send(practice, { to: to('a@example.org', 'b@example.org'), bcc: to('c@example.org') });
    relay.clock.set((day + 1) * DAY - 1);
    await relay.send(practice);
    relay.clock.set((day + 1) * DAY);
    await relay.send(practice);
    expect([await counted(day), await counted(day + 1), await counted(day, 2)]).toEqual([4, 1, 5]);
  });

  test('by the route it goes over', async () => {
    await relay.send(practice);
    await relay.send(practice, { route: 'broadcast', kind: 'newsletter' });
    await relay.send(practice, { route: 'broadcast', kind: 'newsletter' });
    const rows = await read((db) =>
      db.prepare('SELECT slug, accepted FROM counters JOIN routes ON id = route_id ORDER BY slug').all(),
    );
    expect(rows).toEqual([
      { slug: 'broadcast', accepted: 2 },
      { slug: 'outgoing', accepted: 1 },
    ]);
  });

  test('but not mail to the simulator', async () => {
    await relay.send(practice, { to: to('bounce@simulator.mail.example.com') });
    expect(await counted()).toBe(0);
    await relay.send(practice, { to: to('bounce@simulator.mail.example.com', 'a@example.org') });
    expect(await counted()).toBe(1);
  });

  test('once, however often the request is repeated', async () => {
    const submission: Submission = {
      tenantId: practice,
      projects: null,
      projectId: null,
      source: 'api',
      draft: MESSAGE,
      idempotency: { key: 'key', request: 1 },
    };
    for (let time = 0; time < 3; time++) await acceptWhole(relay.intake, submission);
    expect(await counted()).toBe(1);
  });

  test('and not mail that a gate refuses', async () => {
    await expect(relay.send(practice, { headers: [['Sender', 'x']] })).rejects.toThrow();
    expect(await counted()).toBe(0);
  });
});

describe('the service’s own mail', () => {
  const CODE = '123456';
  const submission = (fields: Partial<Submission> = {}): Submission => ({
    tenantId: practice,
    projects: null,
    projectId: null,
    source: 'system',
    ownHeaders: [['Auto-Submitted', 'auto-generated']],
    draft: { ...MESSAGE, text: `Ihr Code: ${CODE}`, html: `<b>${CODE}</b>` },
    idempotency: { key: 'notice', request: 'notice' },
    ...(fields as object),
  });
  const bodyOf = (id: string): Promise<BodyRow | undefined> =>
    read((db) => messageStore(db).body(messageStore(db).byId(id)?.seq ?? 0));

  test('has its text and HTML stored only sealed', async () => {
    const { answer } = await acceptWhole(relay.intake, submission());
    const body = await bodyOf(answer.id);
    expect(body).toMatchObject({ text: null, html: null });
    expect(body?.sealed?.includes(CODE)).toBe(false);
    const opened = body && openContent(relay.intake.contentKey, answer.id, body);
    expect(opened).toMatchObject({ text: `Ihr Code: ${CODE}`, html: `<b>${CODE}</b>` });
  });

  test('shows no content, not even to those who may see content', async () => {
    const { answer } = await acceptWhole(relay.intake, submission());
    const shown = await read((db) => {
      const row = messageStore(db).byId(answer.id);
      return (
        row && presentMessage(db, row, { ...anonymous, permissions: new Set(['messages.view_content']) })
      );
    });
    expect(shown).toMatchObject({ source: 'system', text: null, html: null, subject: 'Termin' });
    expect(JSON.stringify(shown)).not.toContain(CODE);
  });

  test('has header fields of its own, which no sender may set', async () => {
    const { answer } = await acceptWhole(relay.intake, submission());
    expect((await bodyOf(answer.id))?.headers_json).toBe('[["Auto-Submitted","auto-generated"]]');
    const headers = [['Auto-Submitted', 'auto-generated']] as const;
    await expect(relay.send(practice, { headers })).rejects.toMatchObject({ code: 'header_not_allowed' });
  });

  test('passes the same gates apart from that', async () => {
    const draft = { ...MESSAGE, headers: [['Sender', 'x']] as const };
    await expect(acceptWhole(relay.intake, submission({ draft }))).rejects.toMatchObject({
      code: 'header_not_allowed',
    });
  });

  test('is identified by its key alone: other content under the key gets the first answer', async () => {
    const first = await acceptWhole(relay.intake, submission());
    const again = await acceptWhole(relay.intake, submission({ draft: { ...MESSAGE, text: 'other' } }));
    expect(again).toEqual({ ...first, replayed: true });
  });

  test('does not change how other messages are stored', async () => {
    const { answer } = await relay.send(practice);
    expect(await bodyOf(answer.id)).toMatchObject({
      text: 'Guten Tag',
      calendar_json: null,
      parts_json: null,
      html: null,
      sealed: null,
      headers_json: '[]',
    });
  });
});
