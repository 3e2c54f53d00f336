// Deliveries of `inbound.received`: real files, no network.
import { beforeEach, expect, test } from 'vitest';
import { deliverableEvent } from '#src/followers/webhooks/present.ts';
import { canBePutBack, replayOne } from '#src/followers/webhooks/replay.ts';
import { errorWords } from '#src/followers/webhooks/rules.ts';
import { type WebhookRow, webhookStore } from '#src/followers/webhooks/store.ts';
import { inboundStore } from '#src/inbound/store.ts';
import { DAY } from '#src/kernel/time.ts';
import { WHOLE_MAIL_CONTENT_BYTES } from '#src/messages/published-mail.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { answered, openScene, type Scene } from './deliveries-scene.ts';

let scene: Scene;
let webhook: WebhookRow;
beforeEach(async () => {
  scene = await openScene();
  webhook = scene.webhook(['inbound.received']);
});
const wantsWhole = (): void =>
  webhookStore(scene.db).update({ ...scene.row(webhook), inbound_mail: 'whole' });
const claimed = () => {
  const [one, ...others] = scene.turns();
  if (!one || others.length > 0) throw new Error('one is expected');
  return one;
};

test('a mail is delivered with links, and whole only where the webhook wants it so', () => {
  const first = receiveMail(scene.db);
  const small = claimed();
  expect(small).toMatchObject({ event: 'inbound.received', mail: null, bytes: small.body.length });
  expect(JSON.parse(small.body)).toMatchObject({ data: { inbound_id: first.id, mail: null } });
  wantsWhole();
  const second = receiveMail(scene.db, { size_bytes: 100_000 });
  const whole = claimed();
  expect(whole).toMatchObject({ mail: second.seq, bytes: whole.body.length + 200_000 });
});

test('a large mail is counted with no more than can be sent of it', () => {
  wantsWhole();
  receiveMail(scene.db, { size_bytes: 3 * WHOLE_MAIL_CONTENT_BYTES });
  const { bytes, body } = claimed();
  expect(bytes - body.length).toBe(2 * WHOLE_MAIL_CONTENT_BYTES);
});

test('a claim ends where whole mails have filled the room, and goes on where there is some', () => {
  wantsWhole();
  for (let count = 0; count < 3; count += 1) receiveMail(scene.db);
  scene.fullAfter = 2;
  expect(scene.turns()).toHaveLength(2);
  expect(scene.turns()).toHaveLength(1);
});

test('a mail that is not wanted (403) is sent once, and says nothing about the webhook; a replay sends it again', () => {
  receiveMail(scene.db);
  const delivery = claimed();
  webhookStore(scene.db).setFailing(webhook.number, scene.now - 9 * DAY, 'answered 500');
  expect(scene.settle(delivery, answered(403))).toEqual({ disabled: false });
  expect(scene.deliveries()).toMatchObject([
    { status: 'failed', response_status: 403, error: 'answered 403', next_attempt_at: null },
  ]);
  expect(scene.row(webhook)).toMatchObject({ status: 'active', last_error: 'answered 500' });
  scene.now += DAY;
  expect(scene.turns()).toEqual([]);
  replayOne(scene.db, webhook.id, delivery.id, scene.now);
  expect(claimed()).toMatchObject({ id: delivery.id, attempt: 2, body: delivery.body });
});

test('a mail that has been removed is not delivered any more, nor replayed', () => {
  const { seq } = receiveMail(scene.db);
  const delivery = claimed();
  scene.settle(delivery, answered(500));
  inboundStore(scene.db).remove([seq]);
  scene.now += DAY;
  expect(scene.turns()).toEqual([]);
  const [row] = scene.deliveries();
  if (!row) throw new Error('no delivery');
  expect(row).toMatchObject({ status: 'failed', error: errorWords.eventRemoved });
  expect([canBePutBack(scene.db, row), deliverableEvent(scene.db, row)]).toEqual([false, undefined]);
  expect(() => replayOne(scene.db, webhook.id, row.id, scene.now)).toThrow(
    'The event, or its mail, is no longer kept.',
  );
});

test('a reply is delivered in order with what else became of its message', () => {
  const seq = scene.message();
  const both = scene.webhook(['inbound.received', 'message.sent']);
  scene.event('message.sent', seq);
  receiveMail(scene.db, {}, { messageSeq: seq });
  receiveMail(scene.db);
  const events = scene.turns().filter(({ target }) => target === both.id);
  expect(events.map(({ event }) => event)).toEqual(['message.sent', 'inbound.received']);
  expect(events.map(({ body }) => JSON.parse(body).data.reply_to_message_id)).toEqual([undefined, null]);
});
