// The case `inbound`: mail from the world into the mailbox of a practice, checked and stored before each 250, beside Postfix that
// delivers to a maildir. Both are fed by smtp-source over kept connections. Of Postfix the time until all are in the maildir counts.
import { readdir } from 'node:fs/promises';
import type { CaseOptions, Column, Figures, Side } from '#test/bench/harness.ts';
import { figuresTable, measure, medianOf, ratioLine } from '#test/bench/harness.ts';
import { type Installation, makeInstallation } from '#test/bench/installation.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { cpuSeconds, freePort, peakMemory, processTree, until } from '#test/support/process.ts';
import { runSmtpSource } from '#test/support/smtp-source.ts';

const BYTES = 6_000;
const SESSIONS = 20;
const FROM = 'sender@example.org';
const PEER = 'Postfix to maildir';
const OURS = 'Sendwerk';
const PATIENCE_MS = 300_000;

interface Receiver {
  readonly port: number;
  readonly pids: () => readonly number[];
  readonly to: string;
  /** How many it has stored. */
  readonly stored: () => Promise<number>;
}

const timed = async ({ port, pids, to, stored }: Receiver, messages: number): Promise<Figures> => {
  const sum = (figure: (pid: number) => number): number =>
    pids()
      .map(figure)
      .reduce((a, b) => a + b, 0);
  const before = await stored();
  const cpu = sum(cpuSeconds);
  const start = performance.now();
  await runSmtpSource({ port, messages, bytes: BYTES, sessions: SESSIONS, from: FROM, to });
  const accepted = performance.now();
  await until('all are stored', async () => (await stored()) >= before + messages, PATIENCE_MS);
  const end = performance.now();
  if ((await stored()) !== before + messages) throw new Error('a message was stored twice');
  return {
    acceptedPerSecond: (messages / (accepted - start)) * 1_000,
    storedPerSecond: (messages / (end - start)) * 1_000,
    serviceMicros: ((sum(cpuSeconds) - cpu) / messages) * 1e6,
    peakBytes: sum(peakMemory),
  };
};

const peer: Side = {
  name: PEER,
  start: async () => {
    const postfix = await startPostfix({ mailbox: true });
    const receiver = {
      port: postfix.smtpPort,
      pids: () => processTree(postfix.pid),
      to: 'b@example.net',
      stored: async () => (await readdir(postfix.mailboxDir).catch(() => [])).length,
    };
    return { run: (messages) => timed(receiver, messages), stop: postfix.stop };
  },
};

const ours = (installation: Installation): Side => ({
  name: OURS,
  start: async () => {
    await using started = new AsyncDisposableStack();
    const zone = await startDnsZone();
    started.defer(zone.stop);
    zone.set('example.org', 'TXT', 'v=spf1 ip4:127.0.0.1 -all');
    const port = await freePort();
    const daemon = await installation.start({
      config: {
        smtp: { inbound: { listen: `127.0.0.1:${port}` } },
        dns: { resolvers: [zone.address] },
        limits: { inbound_rate: { per_client: { burst: 1_000_000 }, per_practice: { burst: 1_000_000 } } },
      },
    });
    started.defer(daemon.remove);
    const practice = installation.practices[0];
    if (!practice) throw new Error('there is no practice');
    const token = await daemon.createToken(practice.id);
    const path = `/api/practices/${practice.id}/inbound`;
    const enabled = await daemon.request<{ counts: { total: number } }>('POST', `${path}/enable`, {}, token);
    if (enabled.status !== 200) throw new Error(`inbound was not enabled: ${enabled.status}`);
    const host = practice.default_from.split('@')[1];
    const receiver = {
      port,
      pids: () => [daemon.pid],
      to: `info@in.${host}`,
      stored: async () =>
        (await daemon.request<{ counts: { total: number } }>('GET', path, undefined, token)).body.counts
          .total,
    };
    const owned = started.move();
    return { run: (messages) => timed(receiver, messages), stop: () => owned.disposeAsync() };
  },
});

const columns: readonly Column[] = [
  { head: 'accepted/s', figure: 'acceptedPerSecond' },
  { head: 'stored/s', figure: 'storedPerSecond', range: true },
  { head: 'service CPU µs', figure: 'serviceMicros' },
  { head: 'peak MB', figure: 'peakBytes', unit: 1e6 },
];

/** Throws where a message was lost or doubled. */
export const benchInbound = async (options: CaseOptions): Promise<void> => {
  const { only, print } = options;
  const installation = await makeInstallation(1);
  try {
    const sides = [...(only === 'ours' ? [] : [peer]), ...(only === 'peers' ? [] : [ours(installation)])];
    const results = await measure(sides, options);
    const rate = (name: string, figure: string) =>
      medianOf(
        results.find((result) => result.name === name),
        figure,
      );
    const ratio = (figure: string) => rate(OURS, 'acceptedPerSecond') / rate(PEER, figure);
    print(
      [
        figuresTable(columns, results),
        '',
        ...ratioLine('stored, ours : theirs', ratio('storedPerSecond'), '≥ 5'),
        ...ratioLine('accepted, ours : theirs', ratio('acceptedPerSecond'), 'no target'),
        '',
        `Medians (least–greatest), ${BYTES} bytes, ${SESSIONS} sessions. Ours is stored when it is accepted.`,
      ].join('\n'),
    );
  } finally {
    await installation.remove();
  }
};
