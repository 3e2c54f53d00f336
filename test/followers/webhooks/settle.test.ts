// What follows from the outcome of an attempt: real files, no network.
import { beforeEach, describe, expect, test } from 'vitest';
import type { ClaimedDelivery } from '#src/followers/webhooks/claim.ts';
import { type DeliveryRow, deliveryStore } from '#src/followers/webhooks/delivery-store.ts';
import { errorWords } from '#src/followers/webhooks/rules.ts';
import { sealFor } from '#src/followers/webhooks/sign.ts';
import { webhookStore } from '#src/followers/webhooks/store.ts';
import type { OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import { HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { answered, KEY, ok, openScene, policy, type Scene, START, WAITS } from './deliveries-scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});

const [FIRST_WAIT = 0] = WAITS;
const refused: OutboundOutcome = { kind: 'failed', error: 'connection refused', timedOut: false };

const claimOne = (): ClaimedDelivery => {
  const [one, ...others] = scene.turns();
  if (!one || others.length > 0) throw new Error('not one delivery was claimed');
  return one;
};
const eventFor = (messageSeq = scene.message()): ClaimedDelivery => {
  scene.event('message.sent', messageSeq);
  return claimOne();
};

describe('the delivery', () => {
  test.each<[string, OutboundOutcome, Partial<DeliveryRow>]>([
    [
      'is delivered',
      ok,
      {
        status: 'delivered',
        next_attempt_at: null,
        response_status: 200,
        response_excerpt: 'words of 200',
        error: null,
      },
    ],
    [
      'is tried again at its time, with what was answered',
      answered(500),
      {
        status: 'pending',
        next_attempt_at: START + FIRST_WAIT,
        response_status: 500,
        response_excerpt: 'words of 500',
        error: 'answered 500',
      },
    ],
    [
      'is tried again where nothing was answered',
      refused,
      { status: 'pending', response_status: null, response_excerpt: null, error: 'connection refused' },
    ],
    [
      'is tried as late as the receiver asks',
      answered(429, HOUR),
      { status: 'pending', next_attempt_at: START + HOUR, error: 'answered 429' },
    ],
    ['fails where nobody is there any more', answered(410), { status: 'failed', next_attempt_at: null }],
  ])('%s', (_, outcome, expected) => {
    scene.webhook();
    scene.settle(eventFor(), outcome);
    expect(scene.deliveries()).toMatchObject([{ attempts: 1, ...expected }]);
  });

  test('has an attempt for each time of the schedule and one before, each with the same body, then it has failed', () => {
    scene.webhook();
    scene.event('message.sent', scene.message());
    const bodies = new Set<string>();
    for (const wait of [...WAITS, 0]) {
      const claimed = claimOne();
      bodies.add(claimed.body);
      scene.settle(claimed, answered(500));
      scene.now += wait - 1;
      expect(scene.turns()).toEqual([]);
      scene.now += 1;
    }
    scene.now += 100 * HOUR;
    expect(scene.turns()).toEqual([]);
    expect(scene.deliveries()).toMatchObject([{ status: 'failed', attempts: 4, error: 'answered 500' }]);
    expect(bodies.size).toBe(1);
  });

  test('that has failed lets the next of its message go', () => {
    scene.webhook();
    const seq = scene.message();
    scene.event('message.sent', seq);
    scene.event('message.sent', seq);
    for (const wait of [...WAITS, 0]) {
      scene.settle(claimOne(), answered(500));
      scene.now += wait;
    }
    expect(claimOne().key).toBe(2);
  });

  test('of a webhook that is gone is nothing any more', () => {
    const webhook = scene.webhook();
    const claimed = eventFor();
    webhookStore(scene.db).markRemoved(webhook.number, scene.now);
    scene.turns();
    expect(scene.settle(claimed, answered(410))).toEqual({ disabled: false });
    expect(scene.deliveries()).toEqual([]);
  });

  test('that was replayed while it was in flight starts the schedule again', () => {
    scene.webhook();
    const claimed = eventFor();
    const store = deliveryStore(scene.db);
    store.putBack(claimed.key, scene.now, scene.now);
    expect(scene.turns()).toEqual([]);
    scene.settle(claimed, answered(500));
    expect(claimOne().attempt).toBe(2);
  });

  test('that was ended meanwhile is delivered all the same where it was', () => {
    scene.webhook();
    const claimed = eventFor();
    const row = scene.deliveries()[0];
    if (row) deliveryStore(scene.db).fail(row, errorWords.disabled, START);
    scene.settle(claimed, answered(500));
    expect(scene.deliveries()).toMatchObject([{ status: 'failed', error: errorWords.disabled }]);
    scene.settle(claimed);
    expect(scene.deliveries()).toMatchObject([{ status: 'delivered', error: null, response_status: 200 }]);
  });
});

describe('what was claimed and not sent', () => {
  test('is due at once, with an attempt less', () => {
    scene.webhook();
    const seq = scene.message();
    scene.event('message.sent', seq);
    scene.event('message.sent', seq);
    scene.giveBack([claimOne()]);
    expect(scene.deliveries()).toMatchObject([{ attempts: 0, next_attempt_at: START }, {}]);
    expect(claimOne()).toMatchObject({ key: 1, attempt: 1 });
  });

  test('is left alone where something else has become of it', () => {
    const webhook = scene.webhook();
    const claimed = eventFor();
    scene.settle(claimed);
    scene.giveBack([claimed]);
    expect(scene.deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    webhookStore(scene.db).markRemoved(webhook.number, scene.now);
    scene.turns();
    scene.giveBack([claimed]);
  });
});

describe('the webhook', () => {
  const failAt = (at: number) => {
    scene.now = at;
    return scene.settle(eventFor(), answered(500));
  };
  const audit = () =>
    scene.db.prepare('SELECT action, actor_kind, target_id, before_json, after_json FROM audit').all() as {
      after_json: string;
    }[];

  test('fails from the first failure on, and no more after a success', () => {
    const webhook = scene.webhook();
    failAt(START);
    failAt(START + SECOND);
    expect(scene.row(webhook)).toMatchObject({ failing_since: START, last_error: 'answered 500' });
    scene.settle(eventFor());
    expect(scene.row(webhook)).toMatchObject({ failing_since: null, last_error: null });
  });

  test('is disabled by a failure that comes so long after the first one, once', () => {
    const webhook = scene.webhook();
    failAt(START);
    scene.db.exec('DELETE FROM webhook_deliveries');
    expect(failAt(START + policy.disableAfter - 1)).toEqual({ disabled: false });
    scene.db.exec('DELETE FROM webhook_deliveries');
    const seq = scene.message();
    const [one, other] = [seq, scene.message()];
    scene.event('message.sent', one);
    scene.event('message.sent', other);
    const claimed = scene.turns();
    scene.now += 1;
    expect(claimed.map((delivery) => scene.settle(delivery, refused).disabled)).toEqual([true, false]);
    expect(scene.row(webhook)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
      disabled_at: scene.now,
      disabled_told: 0,
      failing_since: START,
      last_error: 'connection refused',
    });
    expect(audit()).toMatchObject([
      { action: 'webhook.disable', actor_kind: 'system', target_id: webhook.id },
    ]);
    scene.turns();
    expect(scene.deliveries().map(({ status, error }) => [status, error])).toEqual([
      ['failed', errorWords.disabled],
      ['failed', errorWords.disabled],
    ]);
  });

  test('has failed since now at the latest, where the clock has been set back', () => {
    const webhook = scene.webhook();
    failAt(START + 365 * policy.disableAfter);
    scene.db.exec('DELETE FROM webhook_deliveries');
    failAt(START);
    expect(scene.row(webhook).failing_since).toBe(START);
    scene.db.exec('DELETE FROM webhook_deliveries');
    expect(failAt(START + policy.disableAfter)).toEqual({ disabled: true });
  });

  test('is not disabled where a success came in between', () => {
    const webhook = scene.webhook();
    failAt(START);
    scene.now += SECOND;
    scene.settle(eventFor());
    scene.db.exec('DELETE FROM webhook_deliveries');
    expect(failAt(START + policy.disableAfter + MINUTE)).toEqual({ disabled: false });
    expect(scene.row(webhook).status).toBe('active');
  });

  test('is disabled at once by 410, and the audit keeps neither its secret nor its query', () => {
    const webhook = scene.webhook();
    expect(scene.settle(eventFor(), answered(410))).toEqual({ disabled: true });
    expect(scene.row(webhook)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    const [entry] = audit();
    expect(JSON.parse(entry?.after_json ?? '')).toMatchObject({
      status: 'disabled',
      disabled_reason: 'gone',
    });
    expect(entry?.after_json).not.toMatch(/key=1|whsec_/);
  });

  test('is not judged by what its former address says', () => {
    const webhook = scene.webhook();
    const claimed = eventFor();
    scene.update(webhook, { sealed_url: sealFor(KEY, 'url', webhook.id, 'https://new.example.org/') });
    expect(scene.settle(claimed, answered(410))).toEqual({ disabled: false });
    expect(scene.row(webhook)).toMatchObject({ status: 'active', failing_since: null });
    expect(scene.deliveries()).toMatchObject([{ status: 'failed', response_status: 410 }]);
  });

  test('that a member disabled meanwhile keeps their reason', () => {
    const webhook = scene.webhook();
    const claimed = eventFor();
    scene.update(webhook, { status: 'disabled', disabled_reason: 'manual', disabled_at: START });
    expect(scene.settle(claimed, answered(410))).toEqual({ disabled: false });
    expect(scene.row(webhook)).toMatchObject({ disabled_reason: 'manual', disabled_told: 1 });
  });
});
