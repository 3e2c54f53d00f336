// Up to a thousand practices with mail waiting, few of their files open at a time, and a crash in between.
// @module-tag debian/postfix
// @module-tag soak
import { readdir } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  arrivals,
  createGate,
  health,
  missing,
  newTally,
  PATIENCE_MS,
  relayAt,
  repeated,
  sendTo,
  startKeepingSink,
  untilIdle,
  untilTestEnds,
} from '#test/flows/fixture.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { createPractices, each } from '#test/support/practices.ts';
import { peakMemory } from '#test/support/process.ts';
import { soak } from '#test/support/soak.ts';

const TENANTS = soak(40, 1_000);
const CLIENTS = 16;
const MAX_OPEN = soak(16, 64);
/** Of an open tenant: database, WAL and shared memory, the WAL again for its syncs; the first three a second time while
 * the maintenance thread opens or closes it. */
const DESCRIPTORS_PER_TENANT = 7;
/** Node's own, the registry, listeners, upstream connections and clients: far below one per tenant. */
const OTHER_DESCRIPTORS = 150;
const MIB = 1_024 * 1_024;

const descriptorsOf = async ({ pid }: Daemon): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length;

/** Watches until `ended`; resolves with the most that were seen. */
async function watch(daemon: Daemon, ended: AbortSignal): Promise<{ open: number; descriptors: number }> {
  const most = { open: 0, descriptors: 0 };
  while (!ended.aborted) {
    most.open = Math.max(most.open, (await health(daemon)).databases.open);
    most.descriptors = Math.max(most.descriptors, await descriptorsOf(daemon));
    await pause(5);
  }
  return most;
}

test(`${TENANTS} practices with a message each survive a crash, and each message goes out once`, {
  timeout: 4 * PATIENCE_MS,
}, async () => {
  const started = untilTestEnds();
  const sink = await startKeepingSink(started);
  const gate = await createGate(started, sink.port);
  const config = {
    upstreams: [relayAt(gate.port)],
    storage: { max_open_tenants: MAX_OPEN },
    // Recorded with each claim: what the crash interrupts comes back after it.
    queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
  };
  const first = await startDaemon({ config });
  started.defer(first.remove);
  await first.stop();
  const practices = (await createPractices(first, TENANTS)).map(({ id }) => id);

  const accepting = await startDaemon({ config, dataDir: first.dataDir });
  started.defer(accepting.remove);
  const tally = newTally();
  await each(practices.entries(), CLIENTS, async ([index, practiceId]) => {
    const target = { daemon: accepting, practiceId, token: accepting.adminToken };
    await sendTo(target, [`patient-${index}@example.org`], 1, tally);
  });
  expect(tally.accepted.size).toBe(TENANTS);
  await accepting.kill();
  await gate.open();

  const begun = performance.now();
  const daemon = await startDaemon({ config, dataDir: first.dataDir });
  started.defer(daemon.remove);
  const healthy = performance.now();
  const drained = new AbortController();
  const watching = watch(daemon, drained.signal);
  await untilIdle(daemon);
  const idle = performance.now();
  drained.abort();
  const most = await watching;
  process.stdout.write(
    `many-tenants.test.ts: healthy after ${Math.round(healthy - begun)} ms, ` +
      `empty ${Math.round(idle - healthy)} ms later; at most ${most.open} files and ${most.descriptors} ` +
      `descriptors open, ${Math.round(peakMemory(daemon.pid) / MIB)} MiB\n`,
  );
  const came = await arrivals(sink);
  expect(missing(tally, came)).toEqual([]);
  expect([...repeated(came)]).toEqual([]);
  expect(most.open).toBeLessThanOrEqual(MAX_OPEN);
  expect(most.descriptors).toBeLessThanOrEqual(MAX_OPEN * DESCRIPTORS_PER_TENANT + OTHER_DESCRIPTORS);

  // With nothing queued, nobody's file is opened; what an operator asks for is.
  expect(await daemon.stop()).toBe(0);
  const later = await startDaemon({ config, dataDir: first.dataDir });
  started.defer(later.remove);
  expect((await health(later)).databases.open).toBe(0);
  await later.request('GET', `/api/practices/${practices[0]}`, undefined, later.adminToken);
  expect((await health(later)).databases.open).toBe(1);
  expect(await later.stop()).toBe(0);
  expect(await sink.count()).toBe(TENANTS);
});
