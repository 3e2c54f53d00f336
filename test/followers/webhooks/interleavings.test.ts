// Events, turns, outcomes, crashes, replays and changes of webhooks in random order: whatever the order, each event ends
// delivered or failed with a reason, those of one key go one after the other, and nothing is under way twice. The seed of a
// run that fails is in its name.
// @module-tag slow
import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '#src/followers/webhooks/claim.ts';
import { type DeliveryRow, deliveryStore } from '#src/followers/webhooks/delivery-store.ts';
import { canBePutBack, putBack, putBackFailed } from '#src/followers/webhooks/replay.ts';
import { errorWords } from '#src/followers/webhooks/rules.ts';
import { type WebhookRow, webhookStore } from '#src/followers/webhooks/store.ts';
import type { OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import { HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { answered, ok, openScene, type Scene, START } from './deliveries-scene.ts';

const RUNS = 20;
const STEPS = 300;

/** mulberry32. */
const randomOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

interface Run {
  readonly scene: Scene;
  readonly random: () => number;
  readonly pick: <T>(values: readonly T[]) => T | undefined;
  /** Of the process; a crash forgets it. */
  readonly underWay: ClaimedDelivery[];
  readonly messages: number[];
  /** Each webhook and event that is to be told, as `number seq`, as long as the webhook is there. */
  readonly wanted: Set<string>;
  /** The first success of each delivery, in order. */
  readonly arrived: DeliveryRow[];
  /** Deliveries that a replay or a failure without an attempt took out of their place. */
  readonly outOfOrder: Set<number>;
}

const live = ({ scene }: Run): WebhookRow[] => webhookStore(scene.db).list();

/** Of pending ones with one key exactly one has a time, and no two are under way. */
const checkPlaces = ({ scene, underWay }: Run): void => {
  const wrong = scene.db
    .prepare(
      `SELECT webhook, order_key FROM webhook_deliveries GROUP BY webhook, order_key
       HAVING sum(status <> 'pending' AND next_attempt_at IS NOT NULL) > 0
         OR sum(next_attempt_at IS NOT NULL) <> max(status = 'pending')`,
    )
    .all();
  const keys = underWay.map(({ key: seq, target }) => {
    const row = deliveryStore(scene.db).bySeq(seq);
    return `${target} ${row ? row.order_key : `removed ${seq}`}`;
  });
  const doubled = keys.filter((key, index) => keys.indexOf(key) !== index);
  expect({ wrong, doubled }).toEqual({ wrong: [], doubled: [] });
};

const takeTurn = (run: Run): void => {
  const { claimed } = run.scene.turn();
  run.underWay.push(...claimed);
};

const settleOne = (run: Run, outcome: OutboundOutcome): void => {
  const { scene, underWay, arrived, random } = run;
  const [delivery] = underWay.splice(Math.floor(random() * underWay.length), 1);
  if (!delivery) return;
  const before = deliveryStore(scene.db).bySeq(delivery.key);
  scene.settle(delivery, outcome);
  if (outcome === ok && before && !arrived.some(({ seq }) => seq === before.seq)) arrived.push(before);
};

const addEvent = (run: Run): void => {
  const { scene, pick, messages, random } = run;
  if (random() < 0.3) messages.push(scene.message());
  const seq = pick(messages);
  if (seq === undefined) return;
  scene.event('message.sent', seq);
  const last = Number(scene.db.prepare('SELECT max(seq) FROM events').pluck().get());
  for (const { number } of live(run)) run.wanted.add(`${number} ${last}`);
};

const replayOne = (run: Run): void => {
  const row = run.pick(run.scene.deliveries().filter((one) => canBePutBack(run.scene.db, one)));
  if (!row) return;
  putBack(run.scene.db, row, run.scene.now);
  if (row.status !== 'pending') run.outOfOrder.add(row.seq);
};

const replayFailed = (run: Run): void => {
  const { scene, pick, outOfOrder } = run;
  const webhook = pick(live(run).filter(({ status }) => status === 'active'));
  if (!webhook) return;
  for (const row of scene.deliveries(webhook)) if (row.status === 'failed') outOfOrder.add(row.seq);
  putBackFailed(scene.db, webhook.number, { since: 0, before: scene.now, after: 0 }, scene.now);
};

const setStatus = (run: Run, status: WebhookRow['status']): void => {
  const webhook = run.pick(live(run));
  if (webhook) run.scene.update(webhook, { status, failing_since: null });
};

const remove = (run: Run): void => {
  const webhook = run.pick(live(run));
  if (!webhook) return;
  webhookStore(run.scene.db).markRemoved(webhook.number, run.scene.now);
  for (const key of run.wanted) if (key.startsWith(`${webhook.number} `)) run.wanted.delete(key);
};

const giveSomeBack = (run: Run): void =>
  run.scene.giveBack(run.underWay.splice(Math.floor(run.random() * run.underWay.length), 3));

const crash = ({ scene, underWay }: Run): void => {
  scene.inFlight.clear();
  underWay.length = 0;
};

const steps: readonly (readonly [weight: number, step: (run: Run) => void])[] = [
  [25, addEvent],
  [25, takeTurn],
  [20, (run) => settleOne(run, ok)],
  [8, (run) => settleOne(run, answered(500))],
  [1, (run) => settleOne(run, answered(410))],
  [
    6,
    ({ scene, pick }) => {
      scene.now += pick([SECOND, MINUTE, HOUR]) ?? 0;
    },
  ],
  [3, replayOne],
  [1, replayFailed],
  [3, giveSomeBack],
  [1, crash],
  [1, (run) => setStatus(run, 'disabled')],
  [3, (run) => setStatus(run, 'active')],
  [
    1,
    (run) => {
      if (live(run).length < 4) run.scene.webhook();
    },
  ],
  [0.3, remove],
];
const totalWeight = steps.reduce((sum, [weight]) => sum + weight, 0);

const anyStep = (random: () => number) => {
  let left = random() * totalWeight;
  for (const [weight, step] of steps) {
    left -= weight;
    if (left < 0) return step;
  }
  return addEvent;
};

/** What is left is worked on until nothing is, by a process that goes on. */
const finish = (run: Run): void => {
  const { scene } = run;
  scene.room = 100;
  for (let rounds = 0; rounds < 3_000; rounds++) {
    takeTurn(run);
    while (run.underWay.length > 0) settleOne(run, run.random() < 0.2 ? answered(500) : ok);
    const { work, more, next } = scene.look();
    if (work || more) continue;
    if (next === null) return;
    scene.now = Math.max(scene.now, next);
  }
  throw new Error('it comes to no end');
};

const checkEnds = ({ scene, wanted }: Run): void => {
  const rows = scene.deliveries();
  const told = rows.map(({ webhook, event_seq }) => `${webhook} ${event_seq}`);
  expect(new Set(told).size).toBe(told.length);
  expect(told.sort()).toEqual([...wanted].sort());
  const endless = rows.filter(
    ({ status, error, attempts }) =>
      status === 'pending' ||
      (status === 'failed' && (error === null || (attempts === 0 && error !== errorWords.disabled))),
  );
  expect(endless).toEqual([]);
};

/** But for those that were replayed, what arrives of one key arrives in the order of the log. */
const checkOrder = ({ arrived, outOfOrder }: Run): void => {
  const last = new Map<string, number>();
  for (const { webhook, order_key, seq } of arrived) {
    if (outOfOrder.has(seq)) continue;
    const key = `${webhook} ${order_key}`;
    expect(seq).toBeGreaterThan(last.get(key) ?? 0);
    last.set(key, seq);
  }
};

test.each(Array.from({ length: RUNS }, (_, seed) => [seed]))('in random order: %i', async (seed) => {
  const random = randomOf(seed);
  const scene = await openScene();
  const run: Run = {
    scene,
    random,
    pick: (values) => values[Math.floor(random() * values.length)],
    underWay: [],
    messages: [scene.message()],
    wanted: new Set(),
    arrived: [],
    outOfOrder: new Set(),
  };
  scene.now = START;
  scene.room = 1 + Math.floor(random() * 6);
  for (const _ of [1, 2, 3]) scene.webhook();
  for (let count = 0; count < STEPS; count++) {
    anyStep(random)(run);
    checkPlaces(run);
  }
  finish(run);
  checkPlaces(run);
  checkEnds(run);
  checkOrder(run);
});
