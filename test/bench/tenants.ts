// The case `tenants`: start, memory and CPU by the number of practices. None is an empty data directory; one and a hundred are
// busy; ten thousand are idle.
import { setTimeout as pause } from 'node:timers/promises';
import { daemonSide } from '#test/bench/daemon-side.ts';
import {
  type CaseOptions,
  type Column,
  type Figures,
  figuresTable,
  measure,
  medianOf,
  ratioLine,
  type Side,
} from '#test/bench/harness.ts';
import { makeInstallation } from '#test/bench/installation.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { cpuSeconds, residentMemory } from '#test/support/process.ts';

const BYTES = 6_000;
const CLIENTS = 32;
const BUSY = 100;
const IDLE = 10_000;
/** For what a daemon does behind its start. */
const SETTLED_MS = 3_000;

const NONE = 'empty data directory';
const ONE = '1 busy practice';
const HUNDRED = `${BUSY} busy practices`;
const THOUSANDS = `${IDLE} idle practices`;

const residentNow = async ({ pid }: Daemon): Promise<Figures> => ({
  residentBytes: residentMemory(pid),
});

/** A start and what it costs; nothing is sent. */
const idleSide = (
  name: string,
  start: () => Promise<Daemon>,
  end: (daemon: Daemon) => Promise<unknown>,
): Side => ({
  name,
  start: async () => {
    const begin = performance.now();
    const daemon = await start();
    const startSeconds = (performance.now() - begin) / 1_000;
    const startCpuSeconds = cpuSeconds(daemon.pid);
    return {
      run: async () => {
        await pause(SETTLED_MS);
        return { startSeconds, startCpuSeconds, ...(await residentNow(daemon)) };
      },
      stop: async () => {
        await end(daemon);
      },
    };
  },
});

/** `messages`: of each busy side, beside as many as half of them to warm up. */
export async function benchTenants(options: CaseOptions): Promise<void> {
  const { messages, runs, rsaMs, print } = options;
  await using started = new AsyncDisposableStack();
  const installationOf = async (count: number) => {
    const installation = await makeInstallation(count);
    started.defer(installation.remove);
    return installation;
  };
  const [one, hundred, thousands] = [
    await installationOf(1),
    await installationOf(BUSY),
    await installationOf(IDLE),
  ];
  const busy = { bytes: BYTES, clients: CLIENTS, config: { dkim: { ed25519: false } }, more: residentNow };
  const idle = await measure(
    [
      idleSide(NONE, startDaemon, (daemon) => daemon.remove()),
      // On the one directory: a copy of so many files takes longer than all else.
      idleSide(
        THOUSANDS,
        () => startDaemon({ dataDir: thousands.dataDir }),
        (daemon) => daemon.stop(),
      ),
    ],
    { runs, messages: 0 },
    0,
  );
  const sending = await measure(
    [
      daemonSide({ ...busy, name: ONE, installation: one }),
      daemonSide({ ...busy, name: HUNDRED, installation: hundred }),
    ],
    { runs, messages: Math.ceil(messages * MEASURED_SHARE) },
    1 / MEASURED_SHARE - 1,
  );
  const [none, many, single, several] = [...idle, ...sending];
  const micros = (result: typeof single) => medianOf(result, 'serviceMicros');
  const megabytes = (result: typeof single) => (medianOf(result, 'residentBytes') / 1e6).toFixed(0);
  const lines = [
    ...ratioLine('CPU a message, 100 : 1 busy practices', micros(several) / micros(single), '≤ 1.25'),
    `- resident, idle : after ${messages} messages : 100 busy practices: ${megabytes(none)} : ${megabytes(single)} : ${megabytes(several)} MB (wanted: ≤ 150 : ≤ 350 : ≤ 450)`,
    `- start on an empty data directory: ${medianOf(none, 'startCpuSeconds').toFixed(2)} CPU seconds (wanted: ≤ 1.5)`,
    `- start with ${IDLE} idle practices: ${medianOf(many, 'startSeconds').toFixed(2)} s, ${megabytes(many)} MB (wanted: < 2 s, < 300 MB)`,
  ];
  print(`${figuresTable(columns(rsaMs), [...idle, ...sending])}\n\n${lines.join('\n')}\n\n${LEGEND}`);
}

/** The rest of the messages goes before, to warm up. */
const MEASURED_SHARE = 2 / 3;

const columns = (rsaMs: number): readonly Column[] => [
  { head: 'start, s', figure: 'startSeconds', digits: 2, range: true },
  { head: 'CPU s', figure: 'startCpuSeconds', digits: 2, range: true },
  { head: 'relayed/s', figure: 'relayedPerSecond', range: true },
  { head: 'service CPU µs', figure: 'serviceMicros' },
  { head: 'in RSA', figure: 'serviceMicros', unit: rsaMs * 1_000, digits: 2 },
  { head: 'resident MB', figure: 'residentBytes', unit: 1e6, range: true },
  { head: 'peak MB', figure: 'peakBytes', unit: 1e6 },
];

const LEGEND = `Medians (least–greatest). Start: until /healthz answers; on an empty directory it makes the keys of the service's own practice. Resident: ${SETTLED_MS / 1_000} s after
the start, or when all messages have been relayed. All practices in one installation share one pair of keys, so that they are made quickly.`;
