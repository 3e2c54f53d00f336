// The cases `send` and `submission`: text messages in by HTTP or by SMTP, signed with RSA-2048 and relaxed/relaxed, out to
// one relay, beside Postfix. Accepted is what was answered after it was synced to disk; relayed is what the sink has got.
import { checkEachComesOnce, type DaemonSideOptions, daemonSide } from '#test/bench/daemon-side.ts';
import {
  type CaseOptions,
  type Column,
  figuresTable,
  measure,
  medianOf,
  type Result,
  ratioLine,
} from '#test/bench/harness.ts';
import { type Installation, makeInstallation } from '#test/bench/installation.ts';
import { postfixSide } from '#test/bench/postfix-side.ts';

const MESSAGE_BYTES = 6_000;
/** A short text with a PDF of that size; the peer gets as many octets as ours sends. */
const LARGE = [
  { name: '100 KB', fileBytes: 100_000, share: 0.2, clients: 32, wanted: '≥ 2.5' },
  { name: '1 MB', fileBytes: 1_000_000, share: 0.04, clients: 10, wanted: '≥ 2.5' },
] as const;
const LARGE_TEXT_BYTES = 500;
/** Base64 with its line ends (RFC 2045 §6.8), and the heads of the parts. */
const onTheWire = (fileBytes: number): number => LARGE_TEXT_BYTES + 600 + Math.ceil((fileBytes * 78) / 57);
const CLIENTS = 32;
/** Which one suits Postfix better moves with the machine: both are run, and the better one is compared with. */
const SMTP_SESSIONS = [10, 20];

const SIGNED_PEER = 'Postfix + opendkim';
const UNSIGNED_PEER = 'Postfix, unsigned';
const OURS = 'Sendwerk';
const BOTH = `${OURS}, Ed25519 signature too`;
const withFile = (name: string, file: string): string => `${name}, ${file}`;

const peers = (name: string, signed: boolean) =>
  SMTP_SESSIONS.map((sessions) => postfixSide({ name, signed, sessions, bytes: MESSAGE_BYTES }));
const largePeers = LARGE.map(({ name, fileBytes, share }) =>
  postfixSide({
    name: withFile(SIGNED_PEER, name),
    signed: true,
    sessions: 10,
    bytes: onTheWire(fileBytes),
    share,
  }),
);

/** The peer signs once; the default, a second signature, is measured for itself. */
const once = { config: { dkim: { ed25519: false } }, bytes: MESSAGE_BYTES, clients: CLIENTS };
const twice = { ...once, config: { dkim: { ed25519: true } } };

export const benchSend = (options: CaseOptions): Promise<void> =>
  compare(
    options,
    '≥ 4.5',
    [...peers(SIGNED_PEER, true), ...peers(UNSIGNED_PEER, false), ...largePeers],
    (installation) => [
      { ...once, installation, name: OURS },
      { ...twice, installation, name: BOTH },
      ...LARGE.map(({ name, fileBytes, share, clients }) => ({
        ...twice,
        ...{ installation, name: withFile(OURS, name), bytes: LARGE_TEXT_BYTES, fileBytes, share, clients },
      })),
    ],
  );

export const benchSubmission = (options: CaseOptions): Promise<void> =>
  compare(options, '≥ 1', peers(SIGNED_PEER, true), (installation) => [
    { ...once, installation, name: OURS, protocol: 'smtp' },
  ]);

/** Throws where a message was lost or doubled. */
const compare = async (
  options: CaseOptions,
  wanted: string,
  theirs: readonly ReturnType<typeof postfixSide>[],
  ours: (installation: Installation) => readonly DaemonSideOptions[],
): Promise<void> => {
  const { only, rsaMs, messages, print } = options;
  const installation = await makeInstallation(1);
  try {
    const sides = ours(installation);
    const [first] = sides;
    if (only !== 'peers' && first) await checkEachComesOnce(first, messages);
    const results = await measure(
      [...(only === 'ours' ? [] : theirs), ...(only === 'peers' ? [] : sides.map(daemonSide))],
      options,
    );
    print(`${figuresTable(columns(rsaMs), results)}\n\n${ratios(results, wanted).join('\n')}\n\n${LEGEND}`);
  } finally {
    await installation.remove();
  }
};

const columns = (rsaMs: number): readonly Column[] => [
  { head: 'accepted/s', figure: 'acceptedPerSecond' },
  { head: 'relayed/s', figure: 'relayedPerSecond', range: true },
  { head: '202 p50 ms', figure: 'p50Ms', digits: 1 },
  { head: 'p99 ms', figure: 'p99Ms', digits: 1 },
  { head: 'peak MB', figure: 'peakBytes', unit: 1e6 },
  { head: 'service CPU µs', figure: 'serviceMicros' },
  { head: 'in RSA', figure: 'serviceMicros', unit: rsaMs * 1_000, digits: 2 },
  { head: 'generator', figure: 'generatorMicros' },
  { head: 'sink', figure: 'sinkMicros' },
];

const ratios = (results: readonly Result[], wanted: string): string[] => {
  const rate = (name: string) =>
    medianOf(
      results.find((result) => result.name === name),
      'relayedPerSecond',
    );
  const peer = (name: string) =>
    Math.max(...SMTP_SESSIONS.map((sessions) => rate(`${name}, ${sessions} sessions`)));
  return [
    ratioLine(`relayed, ${OURS} : ${SIGNED_PEER}`, rate(OURS) / peer(SIGNED_PEER), wanted),
    ratioLine(`relayed, ${OURS} : ${UNSIGNED_PEER}`, rate(OURS) / peer(UNSIGNED_PEER), '≥ 1.8'),
    ratioLine(`relayed, ${BOTH} : ${SIGNED_PEER}`, rate(BOTH) / peer(SIGNED_PEER), '≥ 4'),
    ...LARGE.map(({ name, wanted }, index) =>
      ratioLine(
        `relayed, a PDF of ${name}, both signatures : ${SIGNED_PEER}`,
        rate(withFile(OURS, name)) / rate(largePeers[index]?.name ?? ''),
        wanted,
      ),
    ),
  ].flat();
};

const LEGEND = `Medians (least–greatest). Of Postfix the better number of sessions is compared with; it is fed by smtp-source. Connections
are kept and have no TLS on either side; ours by SMTP have signed in before the time is taken, so the 100 ms that the library holds
back each greeting are in no figure. 202, or 250: from the request, or MAIL, to the answer. CPU: for each message. Peak memory of
Postfix counts pages that its processes share once for each of them. A PDF comes in JSON as base64; the peer gets its octets as text.`;
