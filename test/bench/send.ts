// The case `send`: text messages in, signed with RSA-2048 and relaxed/relaxed, out to one relay. Accepted is what was
// answered after it was synced to disk; relayed is what the sink has got.
import { checkEachComesOnce, startDaemonSide } from '#test/bench/daemon-side.ts';
import { type Measurement, measure, type Result, type Side } from '#test/bench/harness.ts';
import { startPostfixSides } from '#test/bench/postfix-side.ts';
import { table } from '#test/bench/table.ts';

const MESSAGE_BYTES = 6_000;
const HTTP_CLIENTS = 32;
/** Which one suits Postfix better moves with the machine: both are run, and the better one is compared with. */
const SMTP_SESSIONS = [10, 20];

const SIGNED_PEER = 'Postfix + opendkim';
const OURS = 'Sendwerk';

/** The peer signs once; a second signature is measured for itself. */
const daemonSides = [
  { name: OURS, config: { dkim: { ed25519: false } } },
  { name: `${OURS}, Ed25519 signature too`, config: { dkim: { ed25519: true } } },
].map((side) => ({ ...side, bytes: MESSAGE_BYTES, clients: HTTP_CLIENTS }));

export interface CaseOptions {
  readonly runs: number;
  readonly messages: number;
  /** Whose sides are run. */
  readonly only: 'peers' | 'ours' | 'all';
  /** Of `budget`: print which statements were counted, and keep the figures. */
  readonly statements: boolean;
  readonly keep: boolean;
}

/** Prints a table; throws where a message was lost or doubled. */
export async function benchSend({ runs, messages, only }: CaseOptions): Promise<void> {
  await using started = new AsyncDisposableStack();
  const sides: Side[] = [];
  const add = (more: readonly Side[]) => {
    for (const side of more) started.defer(side.stop);
    sides.push(...more);
  };
  if (only !== 'ours') {
    const peer = { sessions: SMTP_SESSIONS, bytes: MESSAGE_BYTES };
    add(await startPostfixSides({ ...peer, name: SIGNED_PEER, signed: true }));
    add(await startPostfixSides({ ...peer, name: 'Postfix, unsigned', signed: false }));
  }
  if (only !== 'peers') {
    for (const side of daemonSides) await checkEachComesOnce(side, messages);
    for (const side of daemonSides) add([await startDaemonSide(side)]);
  }
  print(await measure(sides, runs, messages));
}

function print(results: readonly Result[]): void {
  const best = (figure: 'acceptedPerSecond' | 'relayedPerSecond') =>
    Math.max(
      ...results.filter(({ name }) => name.startsWith(SIGNED_PEER)).map(({ median }) => median[figure]),
    );
  const ratio = (median: Measurement, figure: 'acceptedPerSecond' | 'relayedPerSecond') =>
    Number.isFinite(best(figure)) ? (median[figure] / best(figure)).toFixed(2) : '-';
  const rows = results.map(({ name, median, relayedPerSecond }) => [
    name,
    median.acceptedPerSecond.toFixed(0),
    ratio(median, 'acceptedPerSecond'),
    median.relayedPerSecond.toFixed(0),
    ratio(median, 'relayedPerSecond'),
    `${Math.min(...relayedPerSecond).toFixed(0)}-${Math.max(...relayedPerSecond).toFixed(0)}`,
    median.p50Ms?.toFixed(1) ?? '-',
    median.p99Ms?.toFixed(1) ?? '-',
    (median.peakBytes / 1e6).toFixed(0),
    median.serviceCpuSeconds.toFixed(2),
    median.generatorCpuSeconds.toFixed(2),
    median.sinkCpuSeconds.toFixed(2),
  ]);
  console.log(table(HEAD, rows));
  console.log(
    `\nMedians. x: ratio to the better of the rows of ${SIGNED_PEER}. 202: from the request to its answer.` +
      '\nPeak memory of Postfix counts pages that its processes share once for each of them.',
  );
}

const HEAD = [
  '',
  'accepted/s',
  'x',
  'relayed/s',
  'x',
  'min-max',
  '202 p50 ms',
  'p99 ms',
  'peak MB',
  'CPU s: service',
  'generator',
  'sink',
];
