// `kill -9` while up to 100,000 events go to three receivers, again and again: each event comes to each of them, those of a message
// in their order, each under one id, and what comes twice was under way when the process died.
// @module-tag debian/postfix
// @module-tag soak
import path from 'node:path';
import process from 'node:process';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { eventTypes } from '#src/events/catalogue.ts';
import { limits } from '#src/followers/webhooks/queue.ts';
import {
  at,
  newTally,
  numbered,
  openPractice,
  relayAt,
  sendTo,
  type Target,
  untilIdle,
  untilTestEnds,
} from '#test/flows/fixture.ts';
import type { Sender } from '#test/support/app.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { type DeliveryTally, startDeliveryTally } from '#test/support/delivery-tally.ts';
import { createHook } from '#test/support/hooks.ts';
import { until } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';
import { soak } from '#test/support/soak.ts';
import { EVENTS_EACH, writeEvents } from '#test/support/written-events.ts';

const RECEIVERS = 3;
const MESSAGES = soak(200, 20_000);
const WRITTEN = MESSAGES * EVENTS_EACH;
/** Sent while deliveries go on, after each start. */
const SENT_EACH = soak(20, 500);
const CLIENTS = 4;
/** Events at the first receiver when the process is killed, in all: on the way, and in full at the very beginning too. */
const KILLS = soak([0.5 * WRITTEN], [200, ...[0.2, 0.4, 0.6, 0.8].map((part) => part * WRITTEN)]);
/** At most so many of one webhook are claimed and not written down as delivered. */
const UNDER_WAY = RECEIVERS * limits.target({ good: true, slow: false, failures: 0, heldUntil: 0 }).claimed;
/** 300,000 deliveries on two cores that others use too. */
const DEADLINE_MS = 10 * 60_000;

interface LoggedEvent {
  readonly seq: number;
  readonly id: string;
  readonly message_seq: number;
}

const databaseOf = (daemon: Daemon, { practiceId }: Target) =>
  new Database(path.join(daemon.dataDir, 'tenants', practiceId, 'tenant.db'), { readonly: true });

/** Events whose first delivery came before that of an earlier event of the same message. */
const outOfOrder = (tally: DeliveryTally, events: readonly LoggedEvent[]): string[] => {
  const byId = new Map(events.map((event) => [event.id, event]));
  const latest = new Map<number, number>();
  const early: string[] = [];
  for (const id of tally.first.keys()) {
    const { seq, message_seq } = byId.get(id) ?? { seq: 0, message_seq: 0 };
    if (seq < (latest.get(message_seq) ?? 0)) early.push(id);
    latest.set(message_seq, seq);
  }
  return early;
};

test(`kill -9 loses no event of ${WRITTEN} at any of three receivers and repeats only what was under way`, {
  timeout: DEADLINE_MS,
}, async () => {
  const started = untilTestEnds();
  const sink = await startSmtpSink();
  started.defer(sink.stop);
  const tallies: DeliveryTally[] = [];
  while (tallies.length < RECEIVERS) tallies.push(await startDeliveryTally());
  for (const tally of tallies) started.defer(tally.stop);
  const config = {
    upstreams: [relayAt(sink.port)],
    security: { outbound_allow: ['127.0.0.0/8'], outbound_allow_http: true },
    // What was claimed when the process died has had an attempt; more than there are kills, so that none is the last.
    webhooks: { retry: KILLS.concat(0).map(() => '1s'), jitter: 0 },
  };
  let daemon = await startDaemon({ config });
  started.defer(() => daemon.remove());
  const target = await openPractice(daemon);
  const base = `/api/practices/${target.practiceId}`;
  const sender = { base, token: target.token, practice: { id: target.practiceId } } as Sender;
  for (const { url } of tallies) await createHook(daemon, sender, url, eventTypes);
  expect(await daemon.stop()).toBe(0);
  writeEvents(daemon.dataDir, target.practiceId, MESSAGES);

  const tally = newTally();
  for (const [round, count] of KILLS.entries()) {
    daemon = await startDaemon({ config, dataDir: daemon.dataDir });
    const sending = sendTo(at(daemon, target), numbered(`round-${round}`, SENT_EACH), CLIENTS, tally);
    await tallies[0]?.reached(count);
    await daemon.kill();
    await sending;
    const came = tallies.map(({ first, requests }) => `${first.size}+${requests - first.size}`);
    process.stdout.write(`killed with ${came.join(', ')} events at the receivers, + those that came twice\n`);
  }
  daemon = await startDaemon({ config, dataDir: daemon.dataDir });
  await sendTo(at(daemon, target), numbered('last', SENT_EACH), CLIENTS, tally);
  await untilIdle(daemon, DEADLINE_MS);

  const db = databaseOf(daemon, target);
  started.defer(() => void db.close());
  const events = db.prepare<[], LoggedEvent>('SELECT seq, id, message_seq FROM events ORDER BY seq').all();
  for (const one of tallies) await one.reached(events.length);
  const unsettled = db.prepare("SELECT 1 FROM webhook_deliveries WHERE status <> 'delivered' LIMIT 1");
  await until('all is written down as delivered', () => unsettled.get() === undefined, DEADLINE_MS);

  expect(tally.accepted.size).toBeGreaterThanOrEqual(SENT_EACH);
  expect(events.length).toBeGreaterThanOrEqual(WRITTEN + 2 * SENT_EACH);
  const wanted = new Set(events.map(({ id }) => id));
  for (const one of tallies) {
    expect(one.first.size).toBe(wanted.size);
    expect([...one.first.keys()].filter((id) => !wanted.has(id))).toEqual([]);
    expect(new Set(one.first.values()).size).toBe(wanted.size);
    expect(one.renamed).toEqual([]);
    expect(outOfOrder(one, events)).toEqual([]);
  }
  const twice = tallies.reduce((sum, { first, requests }) => sum + requests - first.size, 0);
  process.stdout.write(`${wanted.size} events to ${RECEIVERS} receivers; ${twice} deliveries came twice\n`);
  expect(twice).toBeLessThanOrEqual(KILLS.length * UNDER_WAY);
  expect(await daemon.stop()).toBe(0);
});
