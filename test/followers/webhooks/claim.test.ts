// What a turn makes of events and deliveries: real files, no network.
import { beforeEach, describe, expect, test } from 'vitest';
import { followStore } from '#src/events/follow-store.ts';
import type { ClaimedDelivery } from '#src/followers/webhooks/claim.ts';
import { claimTest } from '#src/followers/webhooks/claim.ts';
import { deliveryStore } from '#src/followers/webhooks/delivery-store.ts';
import { catchUp } from '#src/followers/webhooks/fan-out.ts';
import { presentWebhook } from '#src/followers/webhooks/present.ts';
import { putBackFailed } from '#src/followers/webhooks/replay.ts';
import { errorWords } from '#src/followers/webhooks/rules.ts';
import { sealFor } from '#src/followers/webhooks/sign.ts';
import { type WebhookRow, webhookStore } from '#src/followers/webhooks/store.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { answered, KEY, openScene, type Scene, START, WAITS } from './deliveries-scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});

const [FIRST_WAIT = 0, , LAST_WAIT = 0] = WAITS;
const told = (claimed: readonly ClaimedDelivery[]) => claimed.map(({ event, target }) => [event, target]);
const only = (claimed: readonly ClaimedDelivery[]): ClaimedDelivery => {
  const [one, ...others] = claimed;
  if (!one || others.length > 0) throw new Error(`${claimed.length} were claimed`);
  return one;
};
const claimOne = () => only(scene.turns());

describe('events become deliveries', () => {
  test('of each webhook that subscribed, and of no other', () => {
    const both = scene.webhook(['message.sent', 'message.created']);
    const sent = scene.webhook(['message.sent']);
    scene.webhook(['message.opened']);
    const seq = scene.message();
    scene.event('message.created', seq);
    scene.event('message.sent', scene.message());
    expect(told(scene.turns())).toEqual([
      ['message.created', both.id],
      ['message.sent', both.id],
      ['message.sent', sent.id],
    ]);
    expect(scene.turns()).toEqual([]);
    expect(scene.deliveries()).toHaveLength(3);
  });

  test('from the making of a webhook on, also where the log has not been read up to there', () => {
    const first = scene.webhook();
    scene.event('message.sent', scene.message());
    const second = scene.webhook();
    scene.event('message.sent', scene.message());
    const claimed = scene.turns();
    expect(claimed.map(({ target }) => target)).toEqual([first.id, first.id, second.id]);
  });

  test('what was before the first webhook is delivered to none', () => {
    scene.event('message.sent', scene.message());
    scene.webhook();
    expect(scene.turns()).toEqual([]);
  });

  test('what was published before is passed over, as are delays of untracked messages', () => {
    scene.webhook(['message.delivery_delayed', 'message.sent']);
    const untracked = scene.message();
    const tracked = scene.message();
    scene.db
      .prepare('UPDATE messages SET settings_json = ? WHERE seq = ?')
      .run(JSON.stringify({ track_opens: true }), tracked);
    scene.event('message.delivery_delayed', untracked);
    scene.event('message.delivery_delayed', tracked);
    scene.event('message.sent', tracked, { repeated: true });
    const claimed = claimOne();
    expect(JSON.parse(claimed.body).event).toBe('message.delivery_delayed');
    expect(scene.deliveries()).toHaveLength(1);
  });

  test('each has an id of its own, and a body with that id', () => {
    scene.webhook();
    scene.webhook();
    scene.event('message.sent', scene.message());
    const claimed = scene.turns();
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(2);
    for (const { id, body } of claimed) expect(JSON.parse(body)).toMatchObject({ id, event: 'message.sent' });
  });

  test('some at a time; nothing is left out and nothing comes twice', () => {
    scene.webhook();
    scene.webhook();
    const seq = scene.message();
    for (let count = 0; count < 1_001; count++) scene.event('message.sent', seq);
    const turn = scene.turn();
    expect(turn.more).toBe(true);
    expect(scene.deliveries().length).toBeLessThanOrEqual(200);
    scene.turns();
    expect(scene.deliveries()).toHaveLength(2_002);
    expect(new Set(scene.deliveries().map((row) => `${row.webhook} ${row.event_seq}`)).size).toBe(2_002);
  });

  test('a turn that is undone has read nothing', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    const undone = scene.db.transaction(() => {
      scene.turn();
      throw new Error('the disk is full');
    });
    expect(undone).toThrow('the disk is full');
    scene.inFlight.clear();
    expect(scene.turns()).toHaveLength(1);
  });

  test('a look ahead writes nothing, and says whether a turn would', () => {
    scene.webhook(['message.opened']);
    const seq = scene.message();
    for (let count = 0; count < 50; count++) scene.event('message.sent', seq);
    const before = scene.db.prepare('SELECT total_changes()').pluck().get();
    expect(scene.look()).toEqual({ work: false, next: null, more: false, unfollowed: false, seen: 50 });
    expect(scene.db.prepare('SELECT total_changes()').pluck().get()).toBe(before);
    scene.event('message.opened', seq);
    expect(scene.look()).toMatchObject({ work: true, seen: 50 });
  });

  test('what is wanted changes for events to come, whatever has not been read yet', () => {
    const webhook = scene.webhook(['message.sent']);
    const seq = scene.message();
    scene.event('message.sent', seq);
    scene.event('message.opened', seq);
    catchUp(scene.db, scene.now);
    scene.update(webhook, { events_json: JSON.stringify(['message.opened']) });
    scene.turns();
    expect(scene.deliveries().map(({ event }) => event)).toEqual(['message.sent']);
  });

  test('before a change it is read a batch at a time, however much is left', () => {
    scene.webhook(['message.sent']);
    const seq = scene.message();
    for (let count = 0; count < 450; count++) scene.event('message.sent', seq);
    const portions = [1, 2, 3].map(() => [catchUp(scene.db, scene.now), scene.deliveries().length]);
    expect(portions).toEqual([
      [true, 200],
      [true, 400],
      [false, 450],
    ]);
  });

  test('the cursor passes what no webhook wants now and then, and it is not read again', () => {
    scene.webhook(['message.opened']);
    const seq = scene.message();
    scene.db.transaction(() => {
      for (let count = 0; count < 10_000; count++) scene.event('message.sent', seq);
    })();
    expect(scene.look()).toMatchObject({ work: false, more: true, seen: 1_000 });
    expect(scene.look(8_900)).toMatchObject({ work: false, more: true, seen: 9_900 });
    expect(scene.look(9_900)).toMatchObject({ work: true, more: false, seen: 10_000 });
    scene.turns();
    expect(followStore(scene.db).cursor('webhooks')).toBe(10_000);
    expect(scene.look()).toMatchObject({ work: false, more: false, seen: 10_000 });
  });
});

describe('claiming', () => {
  test('writes the attempt and the time of the next one before anything is sent', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    const { attempt } = claimOne();
    expect(attempt).toBe(1);
    expect(scene.deliveries()).toMatchObject([
      { status: 'pending', attempts: 1, next_attempt_at: START + FIRST_WAIT },
    ]);
  });

  test('takes what is due in the order it became due, within the room, and leaves the rest to an end', () => {
    scene.webhook();
    scene.room = 2;
    for (let count = 0; count < 3; count++) scene.event('message.sent', scene.message());
    const { claimed, next } = scene.turn();
    expect(claimed.map(({ key }) => key)).toEqual([1, 2]);
    expect(next).toBeNull();
    expect(scene.turn()).toMatchObject({ claimed: [], next: null, more: false });
    scene.room = 3;
    expect(only(scene.turn().claimed).key).toBe(3);
  });

  test('gives nothing out twice, however long it is in flight', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    claimOne();
    scene.now += 10 * HOUR;
    expect(scene.turn()).toMatchObject({ claimed: [], next: null, more: false });
    expect(scene.look()).toMatchObject({ work: false, next: null });
  });

  test('says when it is to look again', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    scene.settle(claimOne(), answered(500));
    expect(scene.turn()).toMatchObject({ claimed: [], next: START + FIRST_WAIT });
    expect(scene.look()).toMatchObject({ work: false, next: START + FIRST_WAIT });
    scene.now += FIRST_WAIT;
    expect(scene.look().work).toBe(true);
    expect(claimOne().attempt).toBe(2);
  });

  test('after a crash it is tried at the time that was written, as the next attempt', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    const { body } = claimOne();
    scene.inFlight.clear();
    expect(scene.turn()).toMatchObject({ claimed: [], next: START + FIRST_WAIT });
    scene.now += FIRST_WAIT;
    expect(claimOne()).toMatchObject({ attempt: 2, body });
  });

  test('takes what got its time from a clock that has been set back since, within the room', () => {
    scene.webhook();
    for (let count = 0; count < 3; count++) scene.event('message.sent', scene.message());
    scene.now += 365 * DAY;
    scene.turns();
    scene.inFlight.clear();
    scene.now = START;
    scene.room = 2;
    expect(scene.look().work).toBe(true);
    expect(scene.turns()).toHaveLength(2);
    expect(scene.look().work).toBe(false);
    scene.room = 3;
    expect(scene.turns()).toHaveLength(1);
    expect(scene.look().work).toBe(false);
    scene.inFlight.clear();
    expect(scene.look()).toMatchObject({ work: false, next: START + 5 * MINUTE });
  });

  test('leaves a delivery alone whose receiver asked for a day', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    for (const claimed of scene.turns()) scene.settle(claimed, answered(503, DAY));
    expect(scene.look()).toMatchObject({ work: false, next: START + DAY });
  });

  test('a last attempt whose end is unknown is made again, and after a second crash no more', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    for (const attempt of [1, 2, 3, 4, 5]) {
      expect(claimOne().attempt).toBe(attempt);
      scene.inFlight.clear();
      scene.now += LAST_WAIT;
    }
    expect(scene.turns()).toEqual([]);
    expect(scene.deliveries()).toMatchObject([
      { status: 'failed', attempts: 5, next_attempt_at: null, error: errorWords.unknownEnd },
    ]);
  });

  test('what has had more attempts than a shortened schedule has fails with what came of the last one', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    scene.settle(claimOne(), answered(500));
    scene.db.exec('UPDATE webhook_deliveries SET attempts = 9');
    scene.now += FIRST_WAIT;
    expect(scene.turns()).toEqual([]);
    expect(scene.deliveries()).toMatchObject([{ status: 'failed', error: 'answered 500' }]);
  });

  test('one whose event is no longer kept fails, and what waits behind it goes', () => {
    scene.webhook();
    const seq = scene.message();
    scene.event('message.sent', seq);
    scene.event('message.sent', seq);
    scene.settle(claimOne(), answered(500));
    scene.db.exec('DELETE FROM events WHERE seq = 1');
    scene.now += FIRST_WAIT;
    expect(claimOne().key).toBe(2);
    expect(scene.deliveries()).toMatchObject([
      { status: 'failed', attempts: 1, error: errorWords.eventRemoved, response_status: 500 },
      { status: 'pending' },
    ]);
  });

  test('opens where it goes and what signs it', () => {
    const webhook = scene.webhook();
    webhookStore(scene.db).setSecret({
      ...webhook,
      sealed_secret: sealFor(KEY, 'secret', webhook.id, 'whsec_new'),
      sealed_former: sealFor(KEY, 'secret', webhook.id, 'whsec_old'),
      former_until: START + MINUTE,
    });
    scene.event('message.sent', scene.message());
    const claimed = claimOne();
    expect(claimed).toMatchObject({
      url: 'https://hooks.example.org/a?key=1',
      secrets: { current: 'whsec_new', former: 'whsec_old' },
    });
    scene.now += MINUTE;
    scene.settle(claimed, answered(500));
    scene.now += MINUTE;
    expect(claimOne().secrets).toEqual({ current: 'whsec_new', former: null });
  });

  test('a former secret that was to sign until a day after a clock that was set back signs no more', () => {
    const webhook = scene.webhook();
    webhookStore(scene.db).setSecret({
      ...webhook,
      sealed_former: webhook.sealed_secret,
      former_until: START + DAY + 1,
    });
    scene.event('message.sent', scene.message());
    expect(claimOne().secrets.former).toBeNull();
    expect(presentWebhook(scene.row(webhook), KEY, START).previous_secret_until).toBeNull();
  });
});

describe('the order', () => {
  test('those of one message go one after the other, those of others beside them', () => {
    scene.webhook();
    const [one, other] = [scene.message(), scene.message()];
    for (const seq of [one, one, other, one]) scene.event('message.sent', seq);
    const claimed = scene.turns();
    expect(claimed.map(({ key }) => key)).toEqual([1, 3]);
    scene.settle(claimed[0] as ClaimedDelivery);
    const second = claimOne();
    expect(second.key).toBe(2);
    scene.settle(second, answered(500));
    expect(scene.turns()).toEqual([]);
    scene.now += FIRST_WAIT;
    scene.settle(claimOne());
    expect(claimOne().key).toBe(4);
  });

  test('a slow receiver keeps no other webhook’s deliveries waiting', () => {
    const slow = scene.webhook();
    const quick = scene.webhook();
    const seq = scene.message();
    scene.event('message.sent', seq);
    scene.event('message.sent', seq);
    const quickOnes = scene.turns().filter(({ target }) => target === quick.id);
    scene.settle(only(quickOnes));
    expect(claimOne()).toMatchObject({ target: quick.id });
    expect(scene.deliveries(slow).map(({ attempts }) => attempts)).toEqual([1, 0]);
  });

  test('an address is added and removed in order, two addresses beside each other', () => {
    scene.webhook(['suppression.added', 'suppression.removed']);
    const about = (address: string) => ({
      suppression: {
        id: address,
        address,
        scope: 'team',
        project_id: null,
        route_id: null,
        project_slug: null,
        route_slug: null,
        reason: 'manual',
      },
    });
    scene.event('suppression.added', 0, about('a@example.org'));
    scene.event('suppression.removed', 0, about('a@example.org'));
    scene.event('suppression.added', 0, about('b@example.org'));
    expect(scene.turns().map(({ key }) => key)).toEqual([1, 3]);
  });
});

describe('a webhook that is disabled', () => {
  test('keeps what happens as failed, with the reason', () => {
    const webhook = scene.webhook();
    scene.update(webhook, { status: 'disabled' });
    scene.event('message.sent', scene.message());
    expect(scene.turns()).toEqual([]);
    expect(scene.deliveries()).toMatchObject([
      { status: 'failed', attempts: 0, next_attempt_at: null, error: errorWords.disabled },
    ]);
  });

  test('fails what was pending, some at a time, but for what is in flight', () => {
    const webhook = scene.webhook();
    scene.room = 1;
    const seq = scene.message();
    for (let count = 0; count < 200; count++) scene.event('message.sent', count % 2 ? seq : scene.message());
    scene.turns();
    scene.update(webhook, { status: 'disabled' });
    expect(scene.look().work).toBe(true);
    const failed = () => scene.deliveries().filter(({ status }) => status === 'failed').length;
    expect(scene.turn().more).toBe(true);
    expect(failed()).toBe(80);
    scene.turns();
    expect(failed()).toBe(199);
    expect(scene.look()).toMatchObject({ work: false, more: false });
  });

  test('that is enabled before all of it has failed goes on with the rest', () => {
    const webhook = scene.webhook();
    scene.room = 0;
    const seq = scene.message();
    for (let count = 0; count < 90; count++) scene.event('message.sent', seq);
    scene.turns();
    scene.update(webhook, { status: 'disabled' });
    scene.turn();
    scene.update(webhook, { status: 'active' });
    scene.room = 1;
    const arrived: number[] = [];
    for (let claimed = scene.turns(); claimed.length > 0; claimed = scene.turns()) {
      arrived.push(...claimed.map((one) => one.key));
      for (const one of claimed) scene.settle(one);
    }
    expect(arrived).toEqual(Array.from({ length: 10 }, (_, index) => 81 + index));
  });
});

test('what is put back behind one that is in flight waits on as well', () => {
  const webhook = scene.webhook();
  const seq = scene.message();
  scene.update(webhook, { status: 'disabled' });
  for (let count = 0; count < 90; count++) scene.event('message.sent', seq);
  scene.turns();
  scene.update(webhook, { status: 'active' });
  scene.event('message.sent', seq);
  expect(claimOne().key).toBe(91);
  const options = { since: 0, before: scene.now, after: 0 };
  expect(putBackFailed(scene.db, webhook.number, options, scene.now, 600).count).toBe(90);
  scene.update(webhook, { status: 'disabled' });
  scene.turn();
  scene.update(webhook, { status: 'active' });
  expect(scene.turns()).toEqual([]);
});

test('what waits behind one that is in flight waits on, also where some of it has failed in a disabled webhook', () => {
  const webhook = scene.webhook();
  const seq = scene.message();
  for (let count = 0; count < 90; count++) scene.event('message.sent', seq);
  const [first] = scene.turns();
  if (!first) throw new Error('nothing was claimed');
  scene.update(webhook, { status: 'disabled' });
  scene.turn();
  scene.update(webhook, { status: 'active' });
  expect(scene.turns()).toEqual([]);
  scene.settle(first);
  expect(claimOne().key).toBe(82);
});

describe('a webhook that is removed', () => {
  test('goes after its deliveries, some at a time, and after the last webhook the tenant is not followed any more', () => {
    const webhook = scene.webhook();
    const seq = scene.message();
    for (let count = 0; count < 170; count++) scene.event('message.sent', seq);
    const claimed = claimOne();
    webhookStore(scene.db).markRemoved(webhook.number, scene.now);
    expect(webhookStore(scene.db).byId(webhook.id)).toBeUndefined();
    expect(scene.turn()).toMatchObject({ more: true, unfollowed: false });
    expect(deliveryStore(scene.db).pendingBut(webhook.number, 2_000, () => false)).toHaveLength(90);
    scene.turn();
    expect(scene.turn()).toMatchObject({ claimed: [], more: false, unfollowed: true });
    expect(webhookStore(scene.db).all()).toEqual([]);
    expect(scene.settle(claimed)).toEqual({ disabled: false });
    expect(followStore(scene.db).cursor('webhooks')).toBeUndefined();
    expect(scene.look()).toMatchObject({ work: false, unfollowed: true });
  });

  test('gets nothing, and leaves others theirs', () => {
    const removed = scene.webhook();
    const other = scene.webhook();
    webhookStore(scene.db).markRemoved(removed.number, scene.now);
    scene.event('message.sent', scene.message());
    expect(claimOne().target).toBe(other.id);
    expect(
      webhookStore(scene.db)
        .all()
        .map(({ id }) => id),
    ).toEqual([other.id]);
  });
});

describe('a test', () => {
  const claim = (webhook: WebhookRow) =>
    scene.db.transaction(() => claimTest(scene.db, webhook, { now: scene.now, key: KEY }))();

  test('has one attempt, whatever events the webhook wants, and is claimed by no turn', () => {
    const webhook = scene.webhook(['message.opened']);
    const claimed = claim(webhook);
    expect(claimed).toMatchObject({ event: 'webhook.test', attempt: 1 });
    expect(JSON.parse(claimed.body)).toMatchObject({
      id: claimed.id,
      data: { webhook_id: webhook.id },
    });
    expect(scene.turns()).toEqual([]);
  });

  test('waits for nothing and keeps nothing waiting', () => {
    const webhook = scene.webhook();
    claim(webhook);
    scene.event('message.sent', scene.message());
    expect(claimOne().event).toBe('message.sent');
    expect(claim(webhook)).toBeDefined();
  });

  test('that a crash has cut short fails', () => {
    claim(scene.webhook());
    scene.now += HOUR;
    expect(scene.turns()).toEqual([]);
    expect(scene.deliveries()).toMatchObject([{ status: 'failed', error: errorWords.unknownEnd }]);
  });

  test.each([
    [200, { status: 'delivered', response_status: 200, error: null }],
    [500, { status: 'failed', response_status: 500, error: 'answered 500' }],
  ])('tells how it ended also where the webhook was disabled meanwhile: %i', (status, expected) => {
    const webhook = scene.webhook();
    scene.update(webhook, { status: 'disabled' });
    const claimed = claim(webhook);
    scene.turns();
    scene.settle(claimed, answered(status));
    expect(scene.deliveries()).toMatchObject([expected]);
  });

  test('that fails says nothing of the webhook', () => {
    const webhook = scene.webhook();
    const claimed = claim(webhook);
    scene.now += SECOND;
    expect(scene.settle(claimed, answered(410))).toEqual({ disabled: false });
    expect(scene.row(webhook)).toMatchObject({ status: 'active', failing_since: null });
    expect(scene.deliveries()).toMatchObject([{ status: 'failed', attempts: 1, response_status: 410 }]);
  });
});
