import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, toIso } from '#src/kernel/time.ts';
import { letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const NIGHTLY = 'remove what is old';
const attachments = [
  {
    filename: 'plan.pdf',
    content_type: 'application/pdf',
    content: Buffer.from('%PDF-1.7\n%%EOF\n').toString('base64'),
  },
];

let receiver: SmtpReceiver;
let clock: TestClock;
let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  clock = createTestClock(NOON);
  app = await startApp({ receiver, clock, config: { retention: { bodies: '30d', attachments: '20d' } } });
  sender = await app.createSender();
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const night = async (now: number): Promise<void> => {
  clock.set(now);
  await app.runJob(NIGHTLY);
};

const retention = (method: string, body?: unknown, of = sender) =>
  app.request<Record<string, unknown>>(method, `${of.base}/retention`, body, app.adminToken);

describe('a message that grows old', () => {
  let id: string;
  const removed = async (message = id) => {
    const { text, attachments, content_removed, attachments_removed } = await app.message(sender, message);
    return {
      text,
      files: attachments?.map(({ filename }) => filename),
      content_removed,
      attachments_removed,
    };
  };

  test('has all of it at first, and a day before its attachments go', async () => {
    id = await app.send(sender, { ...letter, attachments });
    await app.untilStatus(sender, id, 'processed');
    await night(NOON + 19 * DAY);
    expect(await removed()).toEqual({
      text: letter.text,
      files: ['plan.pdf'],
      content_removed: false,
      attachments_removed: false,
    });
  });

  test('says that its attachments have gone, then that all has', async () => {
    await night(NOON + 21 * DAY);
    expect(await removed()).toEqual({
      text: letter.text,
      files: [],
      content_removed: false,
      attachments_removed: true,
    });
    await night(NOON + 31 * DAY);
    expect(await removed()).toEqual({
      text: null,
      files: [],
      content_removed: true,
      attachments_removed: true,
    });
  });

  test('is still found, with what became of it, until its events are too old', async () => {
    const events = async () =>
      (
        await app.request<{ data: unknown[] }>(
          'GET',
          `${sender.base}/messages/${id}/events`,
          undefined,
          sender.token,
        )
      ).body.data.length;
    await night(NOON + 399 * DAY);
    expect(await events()).toBeGreaterThan(1);
    await night(NOON + 401 * DAY);
    expect(await events()).toBe(0);
    expect(await app.message(sender, id)).toMatchObject({ status: 'processed', personal_data_removed: true });
  });
});

test('what a paused practice has accepted keeps its content, and goes out whole when it resumes', async () => {
  const waiting = await app.createSender();
  const call = (path: string, body?: object) =>
    app.request('POST', waiting.base + path, body, app.adminToken);
  const start = clock.now();
  const fields = { ...letter, subject: 'Nach der Pause', attachments };
  const id = await app.send(waiting, { ...fields, scheduled_at: toIso(start + 2 * DAY) });
  expect(await call('/pause', { reason: 'Umzug' })).toMatchObject({ status: 200 });
  await retention('PATCH', { bodies: 0, attachments: 0, events: 7 }, waiting);
  await night(start + 100 * DAY);
  expect(await app.message(waiting, id)).toMatchObject({ text: letter.text, status: 'pending' });

  expect(await call('/resume')).toMatchObject({ status: 200 });
  await app.untilStatus(waiting, id, 'processed');
  const arrived = receiver.messages.map(({ content }) => content.toString());
  expect(arrived.filter((content) => content.includes('Nach der Pause'))).toEqual([
    expect.stringContaining('plan.pdf'),
  ]);
  await night(start + 101 * DAY);
  expect(await app.message(waiting, id)).toMatchObject({
    text: null,
    content_removed: true,
    attachments_removed: true,
  });
});

test('captured mails and deliveries that are old leave in the same night', async () => {
  const old = await app.createSender();
  const { id } = old.practice;
  const at = clock.now();
  app.sql(
    id,
    `INSERT INTO captures (id, message_id, recipient, return_path, captured_at, size_bytes, source)
     VALUES ('c', 'of no message', 'a@example.org', '', ?, 1, x'00')`,
    at,
  );
  app.sql(
    id,
    `INSERT INTO webhooks (number, id, name, sealed_url, events_json, sealed_secret, status, after_seq, created_at)
     VALUES (1, 'w', 'w', x'00', '[]', x'00', 'disabled', 0, ?)`,
    at,
  );
  app.sql(
    id,
    `INSERT INTO webhook_deliveries (id, webhook, event, event_seq, order_key, status, created_at, updated_at)
     VALUES ('d', 1, 'message.sent', 1, 1, 'failed', ?, ?)`,
    at,
    at,
  );
  const left = () => {
    const { captures, webhook_deliveries } = app.rowCounts(id);
    return { captures, webhook_deliveries };
  };
  await night(at + 29 * DAY);
  expect(left()).toEqual({ captures: 1, webhook_deliveries: 1 });
  await night(at + 31 * DAY);
  expect(left()).toEqual({ captures: 1, webhook_deliveries: 0 });
  await night(at + 91 * DAY);
  expect(left()).toEqual({ captures: 0, webhook_deliveries: 0 });
});

describe('what a practice chooses', () => {
  test('is nothing at first: the installation decides', async () => {
    const period = (days: number) => ({ days, practice_days: null, installation_days: days });
    expect(await retention('GET')).toMatchObject({
      status: 200,
      body: { bodies: period(30), attachments: period(20), events: period(400) },
    });
  });

  test('is in force, told to the audit, and taken back with null', async () => {
    const chosen = { days: 7, practice_days: 7, installation_days: 30 };
    expect((await retention('PATCH', { bodies: 7 })).body).toMatchObject({ bodies: chosen });
    expect((await retention('PATCH', { attachments: 3 })).body).toMatchObject({ bodies: chosen });
    const { body } = await app.request<{ data: { action: string; after: object }[] }>(
      'GET',
      `${sender.base}/audit`,
      undefined,
      app.adminToken,
    );
    expect(body.data[0]).toMatchObject({
      action: 'practice.retention',
      before: { attachments: { practice_days: null } },
      after: { bodies: chosen, attachments: { days: 3 } },
    });
    const none = { bodies: null, attachments: null };
    expect((await retention('PATCH', none)).body).toMatchObject({
      bodies: { days: 30, practice_days: null },
    });
  });

  test.each([
    ['more than the installation keeps', { bodies: 31 }, 'body.bodies', 'at most 30'],
    ['events shorter than a report may come in twice', { events: 6 }, 'body.events', '7'],
    ['less than nothing', { attachments: -1 }, 'body.attachments', '0'],
    ['part of a day', { bodies: 1.5 }, 'body.bodies', 'whole number'],
    ['nothing at all', {}, 'body', 'at least one'],
  ])('is refused where it is %s', async (_, body, path, message) => {
    expect(await retention('PATCH', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', fields: [{ path, message: expect.stringContaining(message) }] },
    });
  });

  test('gives way where the operator keeps it for a shorter time by then', async () => {
    await retention('PATCH', { bodies: 25 });
    await app.stop();
    app = await startApp({ home: app.home, receiver, clock, config: { retention: { bodies: '36h' } } });
    expect((await retention('GET')).body).toMatchObject({
      bodies: { days: 1.5, practice_days: 25, installation_days: 1.5 },
    });
  });
});
