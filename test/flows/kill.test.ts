// `kill -9` under load, again and again: what was answered 202 arrives, and what arrives twice was under way when the
// process died. Which moments are hit follows from the seed, which is printed.
// @module-tag debian/postfix
// @module-tag soak
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  type Arrival,
  arrivals,
  at,
  inFlightAtMost,
  missing,
  newTally,
  openPractice,
  PATIENCE_MS,
  relayAt,
  sendTo,
  temporaryDirectory,
  untilIdle,
  untilTestEnds,
} from '#test/flows/fixture.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { until } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';
import { randomFrom, seed, soak } from '#test/support/soak.ts';

const ROUNDS = soak(2, 10);
const CLIENTS = 16;
const POOL = 4;
const EARLIEST_KILL_MS = 300;
const LATEST_KILL_MS = 1_500;

test('kill -9 under load loses nothing that was answered 202 and repeats only what was under way', {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  process.stdout.write(`kill.test.ts: seed ${seed}\n`);
  const started = untilTestEnds();
  const random = randomFrom(seed);
  const dump = await temporaryDirectory(started);
  const sink = await startSmtpSink({ dump });
  started.defer(sink.stop);
  const config = {
    upstreams: [relayAt(sink.port, { pool: POOL })],
    queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
  };
  let daemon = await startDaemon({ config });
  started.defer(() => daemon.remove());
  const target = await openPractice(daemon);
  const tally = newTally();
  /** The first copy of each. */
  const came = new Map<string, Arrival>();

  /** Takes what has come since the last time, and returns how many of it had come before. */
  const collect = async (): Promise<number> => {
    let duplicates = 0;
    for (const arrival of await arrivals(sink)) {
      const first = came.get(arrival.recipient);
      came.set(arrival.recipient, first ?? arrival);
      if (first === undefined) continue;
      duplicates += 1;
      expect(arrival.messageId).toBe(first.messageId);
    }
    for (const name of await readdir(dump)) await rm(path.join(dump, name));
    return duplicates;
  };

  for (let round = 1; round <= ROUNDS; round++) {
    let loading = true;
    const recipients = function* () {
      for (let index = 0; loading; index++) yield `${round}-${index}@example.org`;
    };
    const sending = sendTo(at(daemon, target), recipients(), CLIENTS, tally);
    const before = tally.accepted.size;
    const killAfter = Math.round(EARLIEST_KILL_MS + random() * (LATEST_KILL_MS - EARLIEST_KILL_MS));
    await pause(killAfter);
    // What is killed while idle proves nothing.
    await until('there is load', () => tally.accepted.size > before + CLIENTS);
    await daemon.kill();
    loading = false;
    await sending;
    const sunk = await sink.count();

    daemon = await startDaemon({ config, dataDir: daemon.dataDir });
    await untilIdle(daemon);
    const duplicates = await collect();
    process.stdout.write(
      `round ${round}: killed after ${killAfter} ms, ${tally.accepted.size - before} answered 202, ` +
        `${sunk} at the sink by then in all, ${duplicates} twice\n`,
    );
    expect(missing(tally, [...came.values()])).toEqual([]);
    expect(duplicates).toBeLessThanOrEqual(inFlightAtMost(POOL));
  }
  for (const [recipient, id] of tally.accepted)
    expect(came.get(recipient)?.messageId).toMatch(new RegExp(`^${id}@`));
  expect([...tally.refused]).toEqual([]);
  expect(await daemon.stop()).toBe(0);
  expect(await collect()).toBe(0);
});
