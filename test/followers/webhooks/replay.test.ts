// Replays, and the log of deliveries: real files.
import { beforeEach, describe, expect, test } from 'vitest';
import type { ClaimedDelivery } from '#src/followers/webhooks/claim.ts';
import { type DeliveryFilter, deliveryStore } from '#src/followers/webhooks/delivery-store.ts';
import { canBePutBack, putBack, putBackFailed } from '#src/followers/webhooks/replay.ts';
import type { WebhookRow } from '#src/followers/webhooks/store.ts';
import { SECOND } from '#src/kernel/time.ts';
import { answered, openScene, type Scene, START, WAITS } from './deliveries-scene.ts';

let scene: Scene;
let webhook: WebhookRow;
beforeEach(async () => {
  scene = await openScene();
  webhook = scene.webhook();
});

const row = (seq: number) => {
  const found = deliveryStore(scene.db).bySeq(seq);
  if (!found) throw new Error(`there is no delivery ${seq}`);
  return found;
};
const seqs = (claimed: readonly ClaimedDelivery[]) => claimed.map(({ key }) => key);
/** All attempts of what is there. */
const exhaust = () => {
  for (const wait of [...WAITS, 0]) {
    for (const claimed of scene.turns()) scene.settle(claimed, answered(500));
    scene.now += wait;
  }
};
const replay = (seq: number) => putBack(scene.db, row(seq), scene.now);

describe('a replay', () => {
  test.each(['delivered', 'failed'])(
    'of one that is %s goes out at once with the same id and body',
    (how) => {
      scene.event('message.sent', scene.message());
      const [first] = scene.turns();
      if (!first) throw new Error('nothing was claimed');
      scene.settle(first, how === 'delivered' ? undefined : answered(410));
      scene.update(webhook, { status: 'active' });
      replay(first.key);
      expect(row(first.key)).toMatchObject({ status: 'pending', attempts: 1, attempts_before: 1 });
      expect(scene.turns()).toMatchObject([{ id: first.id, body: first.body, attempt: 2 }]);
    },
  );

  test('has the whole schedule again', () => {
    scene.event('message.sent', scene.message());
    exhaust();
    expect(row(1)).toMatchObject({ status: 'failed', attempts: 4 });
    replay(1);
    exhaust();
    expect(row(1)).toMatchObject({ status: 'failed', attempts: 8, attempts_before: 4 });
  });

  test('of one that is pending makes it due at once, also where it waits for another', () => {
    const seq = scene.message();
    scene.event('message.sent', seq);
    scene.event('message.sent', seq);
    for (const claimed of scene.turns()) scene.settle(claimed, answered(500));
    scene.now += SECOND;
    replay(2);
    expect(seqs(scene.turns())).toEqual([1]);
  });

  test('goes behind what is in flight of its message, and before what waits', () => {
    const seq = scene.message();
    scene.event('message.sent', seq);
    for (const claimed of scene.turns()) scene.settle(claimed);
    scene.event('message.sent', seq);
    scene.event('message.sent', seq);
    const [second] = scene.turns();
    if (!second) throw new Error('nothing was claimed');
    replay(1);
    expect(scene.turns()).toEqual([]);
    scene.settle(second);
    const [first] = scene.turns();
    if (!first) throw new Error('nothing was claimed');
    expect(first.key).toBe(1);
    scene.settle(first);
    expect(seqs(scene.turns())).toEqual([3]);
  });

  test('is not possible once the event is no longer kept', () => {
    scene.event('message.sent', scene.message());
    for (const claimed of scene.turns()) scene.settle(claimed);
    expect(canBePutBack(scene.db, row(1))).toBe(true);
    scene.db.exec('DELETE FROM events');
    expect(canBePutBack(scene.db, row(1))).toBe(false);
  });
});

describe('a replay of all that failed', () => {
  const replayAll = (since: number, rowsPerPortion = 500, before = scene.now): number => {
    let [count, after] = [0, 0 as number | null];
    while (after !== null) {
      const options = { since, before, after };
      const portion = putBackFailed(scene.db, webhook.number, options, scene.now, rowsPerPortion);
      count += portion.count;
      after = portion.after;
    }
    return count;
  };

  test('brings what failed under a clock that has been set back since', () => {
    scene.event('message.sent', scene.message());
    exhaust();
    expect(replayAll(START, 500, START)).toBe(0);
    scene.now = START;
    expect(replayAll(START)).toBe(1);
  });

  test('brings all that was missed while disabled, in order, and nothing twice', () => {
    const seq = scene.message();
    scene.event('message.sent', seq);
    scene.turns();
    scene.inFlight.clear();
    scene.update(webhook, { status: 'disabled' });
    for (let count = 0; count < 20; count++) scene.event('message.sent', count % 2 ? seq : scene.message());
    scene.turns();
    scene.update(webhook, { status: 'active' });
    expect(replayAll(START, 7)).toBe(21);
    expect(replayAll(START, 7)).toBe(0);
    const arrived: number[] = [];
    for (let claimed = scene.turns(); claimed.length > 0; claimed = scene.turns()) {
      for (const one of claimed) scene.settle(one);
      arrived.push(...claimed.filter(({ key }) => row(key).order_key === seq).map(({ key }) => key));
    }
    expect(arrived).toEqual([1, ...Array.from({ length: 10 }, (_, index) => 3 + 2 * index)]);
    expect(scene.deliveries().every(({ status }) => status === 'delivered')).toBe(true);
  });

  test('takes what failed since then, not before, and leaves what was delivered, tests and events that are gone', () => {
    scene.update(webhook, { status: 'disabled' });
    for (let count = 0; count < 3; count++) {
      scene.event('message.sent', scene.message());
      scene.turns();
      scene.now += SECOND;
    }
    scene.db.exec('DELETE FROM events WHERE seq = 3');
    expect(replayAll(START + SECOND)).toBe(1);
    expect(row(2).status).toBe('pending');
    expect([row(1).status, row(3).status]).toEqual(['failed', 'failed']);
    expect(replayAll(START, 500, START - 1)).toBe(0);
  });
});

describe('the log of deliveries', () => {
  const all: DeliveryFilter = { status: null, event: null };
  const page = (
    filter: Partial<DeliveryFilter>,
    before: number | null,
    limit: number,
    rowsPerCall?: number,
  ) => deliveryStore(scene.db).find(webhook.number, { ...all, ...filter }, before, limit, rowsPerCall);
  /** Every page to the end. */
  const pages = (filter: Partial<DeliveryFilter>, limit: number, rowsPerCall?: number): number[] => {
    const found: number[] = [];
    for (let before: number | null = null; ; ) {
      const { rows, next } = page(filter, before, limit, rowsPerCall);
      found.push(...rows.map(({ seq }) => seq));
      if (next === null) return found;
      before = next;
    }
  };

  beforeEach(() => {
    const other = scene.webhook(['message.sent', 'message.opened']);
    scene.update(webhook, { events_json: JSON.stringify(['message.sent', 'message.opened']) });
    for (let count = 0; count < 10; count++)
      scene.event(count === 4 ? 'message.opened' : 'message.sent', scene.message());
    scene.room = 6;
    for (const [index, claimed] of scene.turns().entries())
      scene.settle(claimed, index % 2 ? answered(410) : undefined);
    scene.update(other, { status: 'active' });
  });

  test.each([[{}], [{ status: 'pending' }], [{ status: 'delivered' }], [{ status: 'failed' }]] as const)(
    'is whole, newest first, whatever the size of pages and looks: %j',
    (filter) => {
      const expected = scene
        .deliveries(webhook)
        .filter(({ status }) => !('status' in filter) || status === filter.status)
        .map(({ seq }) => seq)
        .reverse();
      expect(expected.length).toBeGreaterThan(0);
      for (const [limit, rowsPerCall] of [
        [1, 1],
        [2, 3],
        [3, 2],
        [50, 2],
        [50, 2_000],
      ] as const)
        expect(pages(filter, limit, rowsPerCall)).toEqual(expected);
    },
  );

  test('shows one event, and one status with it', () => {
    const opened = scene.deliveries(webhook).filter(({ event }) => event === 'message.opened');
    expect(pages({ event: 'message.opened' }, 5, 2)).toEqual(opened.map(({ seq }) => seq));
    expect(pages({ event: 'message.opened', status: opened[0]?.status ?? null }, 5, 2)).toHaveLength(1);
    expect(pages({ event: 'message.clicked' }, 5, 2)).toEqual([]);
  });

  test('finds one by its id for its own webhook only', () => {
    const [first] = scene.deliveries(webhook);
    const id = first?.id ?? '';
    expect(deliveryStore(scene.db).byId(webhook.number, id)?.seq).toBe(first?.seq);
    expect(deliveryStore(scene.db).byId(webhook.number + 1, id)).toBeUndefined();
  });
});
