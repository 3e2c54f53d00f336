// The case `soak`: one daemon at full rate, its resident memory every few seconds, and the slope of that over the second half.
import { setTimeout as pause } from 'node:timers/promises';
import { startSending } from '#test/bench/daemon-side.ts';
import { type CaseOptions, table } from '#test/bench/harness.ts';
import { makeInstallation } from '#test/bench/installation.ts';
import { STRAY_MS } from '#test/bench/timed-run.ts';
import { residentMemory } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';

/** Below the monthly cap of a practice. */
const PER_PRACTICE = 90_000;
const BYTES = 6_000;
const CLIENTS = 32;
const SAMPLE_MS = 2_000;
const PATIENCE_MS = 3_600_000;
const ROWS = 10;

interface Sample {
  readonly minutes: number;
  readonly megabytes: number;
  readonly relayed: number;
}

/** Megabytes a minute, by least squares. */
const slopeOf = (samples: readonly Sample[]): number => {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const [time, size] = [mean(({ minutes }) => minutes), mean(({ megabytes }) => megabytes)];
  const along = mean(({ minutes, megabytes }) => (minutes - time) * (megabytes - size));
  return along / mean(({ minutes }) => (minutes - time) ** 2);
};

export async function benchSoak({ messages, print }: CaseOptions): Promise<void> {
  await using started = new AsyncDisposableStack();
  const installation = await makeInstallation(Math.ceil(messages / PER_PRACTICE));
  started.defer(installation.remove);
  const sink = await startSmtpSink();
  started.defer(sink.stop);
  const { daemon, send, stop } = await startSending(
    { installation, bytes: BYTES, clients: CLIENTS },
    sink.port,
  );
  started.defer(stop);

  const samples: Sample[] = [];
  const begin = performance.now();
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      samples.push({
        minutes: (performance.now() - begin) / 60_000,
        megabytes: residentMemory(daemon.pid) / 1e6,
        relayed: await sink.count(),
      });
      await pause(SAMPLE_MS);
    }
  })();
  try {
    await send(messages);
    await sink.received(messages, PATIENCE_MS);
  } finally {
    isOver = true;
    await sampling;
  }
  await pause(STRAY_MS);
  const received = await sink.count();
  if (received !== messages) throw new Error(`the sink got ${received} of ${messages} messages`);
  const half = samples.slice(Math.floor(samples.length / 2));
  const shown = Array.from(
    { length: ROWS },
    (_, row) => samples[Math.floor(((row + 1) * samples.length) / ROWS) - 1],
  );
  const rows = shown.flatMap((one) =>
    one ? [[one.minutes.toFixed(1), one.relayed.toFixed(0), one.megabytes.toFixed(0)]] : [],
  );
  print(table(['minutes', 'relayed', 'resident MB'], rows));
  print(`- slope over the second half: ${slopeOf(half).toFixed(2)} MB a minute (wanted: none)`);
}
