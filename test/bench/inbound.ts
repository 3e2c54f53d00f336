// The case `inbound`: mail from the world into the mailbox of a practice, checked and stored before each 250, beside Postfix that
// delivers to a maildir. Both are fed over kept connections: by smtp-source, and where a mail has a file by a client that declares its
// size, as servers do. Of Postfix the time until all are in the maildir counts.
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { CaseOptions, Column, Figures, Side } from '#test/bench/harness.ts';
import { figuresTable, measure, medianOf, ratioLine } from '#test/bench/harness.ts';
import { type Installation, makeInstallation } from '#test/bench/installation.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { cpuSeconds, freePort, peakMemory, processTree, until } from '#test/support/process.ts';
import { runSmtpSource } from '#test/support/smtp-source.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

interface Kind {
  readonly name: string;
  /** Of the messages of a run. */
  readonly share: number;
  readonly wanted: string;
  readonly feed: (port: number, to: string, messages: number) => Promise<void>;
}

const FROM = 'sender@example.org';
const PEER = 'Postfix to maildir';
const OURS = 'Sendwerk';
const PATIENCE_MS = 300_000;
const BYTES = 6_000;
const SESSIONS = 20;
const FILE_BYTES = 1_000_000;
const FILE_SESSIONS = 10;

/** A short text and a file in lines of 76 characters (RFC 2045 §6.8), with the final dot. */
const mailWithFile = (): Buffer => {
  const lines =
    randomBytes(FILE_BYTES)
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  const text = `From: ${FROM}
To: info@example.net
Subject: The letter
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="part"

--part
Content-Type: text/plain

Please find the letter attached.
--part
Content-Type: application/pdf; name="letter.pdf"
Content-Disposition: attachment; filename="letter.pdf"
Content-Transfer-Encoding: base64

${lines.join('\n')}
--part--
.
`;
  return Buffer.from(text.replaceAll('\n', '\r\n'));
};

const feedFiles: Kind['feed'] = async (port, to, messages) => {
  const mail = mailWithFile();
  let left = messages;
  const client = async (): Promise<void> => {
    const talk = await talkTo(port);
    await talk.hello();
    const expect = async (said: Promise<string | null>, code: string): Promise<void> => {
      const reply = await said;
      if (!reply?.startsWith(code)) throw new Error(`refused: ${reply}`);
    };
    while (left > 0) {
      left -= 1;
      await expect(talk.say(`MAIL FROM:<${FROM}> SIZE=${mail.length}`), '250');
      await expect(talk.say(`RCPT TO:<${left}${to}>`), '250');
      await expect(talk.say('DATA'), '354');
      talk.write(mail);
      await expect(talk.reply(), '250');
    }
    talk.end();
  };
  await Promise.all(Array.from({ length: FILE_SESSIONS }, client));
};

const KINDS: readonly Kind[] = [
  {
    ...{ name: '6 KB', share: 1, wanted: '≥ 4' },
    feed: (port, to, messages) =>
      runSmtpSource({ port, messages, bytes: BYTES, sessions: SESSIONS, from: FROM, to }),
  },
  { name: '1 MB', share: 0.04, wanted: '≥ 1.5', feed: feedFiles },
];

interface Receiver {
  readonly port: number;
  readonly pids: () => readonly number[];
  readonly to: string;
  /** How many it has stored. */
  readonly stored: () => Promise<number>;
}

const timed = async (
  { port, pids, to, stored }: Receiver,
  kind: Kind,
  messages: number,
): Promise<Figures> => {
  const sum = (figure: (pid: number) => number): number =>
    pids()
      .map(figure)
      .reduce((a, b) => a + b, 0);
  const before = await stored();
  const cpu = sum(cpuSeconds);
  const start = performance.now();
  await kind.feed(port, to, messages);
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

const withKind = (side: string, { name }: Kind): string => `${side}, ${name}`;

const peer = (kind: Kind): Side => ({
  name: withKind(PEER, kind),
  share: kind.share,
  start: async () => {
    const postfix = await startPostfix({ mailbox: true });
    const receiver = {
      port: postfix.smtpPort,
      pids: () => processTree(postfix.pid),
      to: 'b@example.net',
      stored: async () => (await readdir(postfix.mailboxDir).catch(() => [])).length,
    };
    return { run: (messages) => timed(receiver, kind, messages), stop: postfix.stop };
  },
});

const ours = (installation: Installation, kind: Kind): Side => ({
  name: withKind(OURS, kind),
  share: kind.share,
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
        limits: {
          inbound_mib: 4_000,
          inbound_rate: { per_client: { burst: 1_000_000 }, per_practice: { burst: 1_000_000 } },
        },
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
    return { run: (messages) => timed(receiver, kind, messages), stop: () => owned.disposeAsync() };
  },
});

const columns: readonly Column[] = [
  { head: 'accepted/s', figure: 'acceptedPerSecond' },
  { head: 'stored/s', figure: 'storedPerSecond', range: true },
  { head: 'service CPU µs', figure: 'serviceMicros' },
  { head: 'peak MB', figure: 'peakBytes', unit: 1e6 },
];

const LEGEND = `Medians (least–greatest). 6 KB: ${BYTES} bytes of text, ${SESSIONS} sessions. 1 MB: a file of that size in base64, ${FILE_SESSIONS} sessions.
Ours is stored when it is accepted.`;

/** Throws where a message was lost or doubled. */
export const benchInbound = async (options: CaseOptions): Promise<void> => {
  const { only, print } = options;
  const installation = await makeInstallation(1);
  try {
    const sides = KINDS.flatMap((kind) => [
      ...(only === 'ours' ? [] : [peer(kind)]),
      ...(only === 'peers' ? [] : [ours(installation, kind)]),
    ]);
    const results = await measure(sides, options);
    const rate = (name: string, figure: string) =>
      medianOf(
        results.find((result) => result.name === name),
        figure,
      );
    const ratios = KINDS.flatMap((kind) => {
      const ratio = (figure: string) =>
        rate(withKind(OURS, kind), 'acceptedPerSecond') / rate(withKind(PEER, kind), figure);
      return [
        ...ratioLine(`${kind.name}, stored, ours : theirs`, ratio('storedPerSecond'), kind.wanted),
        ...ratioLine(`${kind.name}, accepted, ours : theirs`, ratio('acceptedPerSecond'), 'no target'),
      ];
    });
    print([figuresTable(columns, results), '', ...ratios, '', LEGEND].join('\n'));
  } finally {
    await installation.remove();
  }
};
