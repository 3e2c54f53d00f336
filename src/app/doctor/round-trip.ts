// Sends the service a message through one of its relays, and another to an address here that does not exist, and looks at what comes back
// to port 25: the return path, the text, the signatures, the notice of success, the bounce. Both have return paths of the form that all
// mail has, so what happens to them happens to all.

import { readReport } from '#src/feedback/read-report.ts';
import { signaturesIn } from '#src/inbound/checks/signatures.ts';
import type { ZoneLookup } from '#src/kernel/dns-lookup.ts';
import { resolverOf } from '#src/kernel/dns-resolver.ts';
import { MINUTE, SECOND, sleep } from '#src/kernel/time.ts';
import { type Sign, signMessage } from '#src/messages/compose/dkim.ts';
import type { BounceFacts, TripFacts } from '#src/operations/doctor/relay-rules.ts';
import type { SignersOf } from '#src/relay/claim.ts';
import type { Transcript, Upstream } from '#src/relay/upstream.ts';
import { type Arrival, type ExpectedMail, randomToken } from '#src/smtp/expected-mail.ts';

export interface TripDeps {
  readonly waitForMail: ExpectedMail['wait'];
  readonly serviceHost: string;
  /** The service's own practice, which sends the messages. */
  readonly sender: {
    readonly tenantId: string;
    readonly host: string;
    readonly signers: ReturnType<SignersOf>;
  };
  readonly sign: Sign;
  readonly lookup: ZoneLookup;
  readonly now: () => number;
  /** How long a mail may take to come back, ms; a minute where absent. */
  readonly patience?: number | undefined;
}

const PATIENCE_MS = MINUTE;
/** A message of a few hundred bytes is taken at once, or waits for a relay that asks others. */
const TAKEN_WITHIN_MS = 30 * SECOND;

/** Lines that careless programs change: a dot, `From ` at the begin of a line, a long line, and blanks in a row. */
const TEXT = [
  'The service has sent this message to itself, to see whether it comes back as it was.',
  '',
  '.a line that begins with a dot',
  'From here on a line looks like the separator of a mailbox',
  `a long line ${'of words '.repeat(40)}ends here`,
  'two  blanks  in  a  row',
];

interface Made {
  readonly content: Buffer;
  readonly body: string;
}

const compose = async ({ sender, sign, now }: TripDeps, recipient: string): Promise<Made> => {
  const body = TEXT.map((line) => `${line}\r\n`).join('');
  const time = now();
  const header = [
    `From: Sendwerk doctor <doctor@${sender.host}>`,
    `To: ${recipient}`,
    'Subject: A look whether mail comes back',
    `Date: ${new Date(time).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${randomToken()}@${sender.host}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=us-ascii',
    'Auto-Submitted: auto-generated',
  ]
    .map((line) => `${line}\r\n`)
    .join('');
  const signatures = await signMessage(
    { header, body: [body], isRelaxed: false },
    sender.signers,
    time,
    sign,
  );
  return { content: Buffer.from(`${signatures}${header}\r\n${body}`, 'latin1'), body };
};

/** Null where it takes longer. */
const inTime = async <T>(work: Promise<T>, within: number): Promise<T | null> => {
  const over = new AbortController();
  try {
    return await Promise.race([work, sleep(within, over.signal).then(() => null)]);
  } finally {
    over.abort();
  }
};

const transmit = async (
  upstream: Upstream,
  { sender }: TripDeps,
  envelope: { readonly returnPath: string; readonly recipient: string },
  content: Buffer,
): Promise<Transcript> => {
  const envelopeId = randomToken();
  const origin = { tenantId: sender.tenantId, messageId: envelopeId };
  const taken = upstream.transmit({ ...envelope, envelopeId }, content, origin);
  return (
    (await inTime(taken, TAKEN_WITHIN_MS)) ?? { result: 'broken', phase: 'dot', error: 'no answer in time' }
  );
};

type Refused = Extract<Transcript, { result: 'refused' }>;

const replyText = ({ code, enhanced, text }: Refused['reply']): string =>
  [code, enhanced, text].filter(Boolean).join(' ');

const refusalOf = (transcript: Transcript): string | null => {
  switch (transcript.result) {
    case 'accepted':
      return null;
    case 'refused':
      return `at ${transcript.phase}: ${replyText(transcript.reply)}`;
    case 'broken':
      return `at ${transcript.phase}: ${transcript.error}`;
    default:
      return transcript satisfies never;
  }
};

const bodyOf = (content: Buffer): string => {
  const at = content.indexOf('\r\n\r\n');
  return at === -1 ? '' : content.subarray(at + 4).toString('latin1');
};

const dkimOf = async (
  { lookup, sender }: TripDeps,
  { content }: Arrival['mail'],
): Promise<NonNullable<TripFacts['arrival']>['dkim']> => {
  const { dkim } = await signaturesIn(content, resolverOf(lookup));
  const ours = dkim.filter(({ domain }) => domain === sender.host).map(({ result }) => result);
  if (ours.length === 0) return 'missing';
  if (ours.some((result) => result === 'fail' || result === 'policy')) return 'fail';
  return ours.every((result) => result === 'pass') ? 'pass' : 'unknown';
};

/** Null: it is no report. */
const actionIn = async ({ mail }: Arrival): Promise<string | null> => {
  const report = await readReport(mail.content, mail.envelope);
  if (report.kind === 'delivery_status') return report.recipients[0]?.action ?? null;
  return report.kind === 'bounce' ? 'failed' : null;
};

const returnPathAt = (host: string): string => `b+1${randomToken()}@bounce.${host}`;

/** Never rejects where the relay refuses or is away. */
export const roundTrip = async (
  upstream: Upstream,
  deps: TripDeps,
  signal: AbortSignal,
): Promise<TripFacts> => {
  const { waitForMail, serviceHost, sender, patience = PATIENCE_MS } = deps;
  const recipient = `doctor-${randomToken()}@${serviceHost}`;
  const sentReturnPath = returnPathAt(sender.host);
  const { content, body } = await compose(deps, recipient);
  const ended = new AbortController();
  const end = AbortSignal.any([signal, ended.signal]);
  const arriving = waitForMail(recipient, TAKEN_WITHIN_MS + patience, end);
  const reported = waitForMail(sentReturnPath, TAKEN_WITHIN_MS + 2 * patience, end);
  const began = performance.now();
  try {
    const transcript = await transmit(upstream, deps, { returnPath: sentReturnPath, recipient }, content);
    const dsnRequested = transcript.result === 'accepted' && transcript.dsnRequested;
    const facts = { name: upstream.name, refused: refusalOf(transcript), dsnRequested, sentReturnPath };
    if (facts.refused !== null) return { ...facts, arrival: null, notice: null, waitedMs: 0 };
    // A relay that gives up says so at the return path: then nothing else will come.
    const givenUp = reported.then(async (report) =>
      report !== null && (await actionIn(report)) === 'failed' ? null : arriving,
    );
    const arrival = await inTime(Promise.race([arriving, givenUp]), patience);
    const notice =
      dsnRequested || arrival === null ? await inTime(reported, arrival === null ? 0 : patience) : null;
    const waitedMs = performance.now() - began;
    return {
      ...facts,
      waitedMs,
      notice: notice && ((await actionIn(notice)) ?? 'nothing that can be read'),
      arrival: arrival && {
        afterMs: arrival.at - began,
        returnPath: arrival.mail.envelope.mailFrom,
        bodyKept: bodyOf(arrival.mail.content).trimEnd() === body.trimEnd(),
        dkim: await dkimOf(deps, arrival.mail),
      },
    };
  } finally {
    ended.abort();
  }
};

/** Never rejects where the relay refuses or is away. */
export const bounceTrip = async (
  upstream: Upstream,
  deps: TripDeps,
  signal: AbortSignal,
): Promise<BounceFacts> => {
  const { waitForMail, serviceHost, sender, patience = PATIENCE_MS } = deps;
  const recipient = `nobody-${randomToken()}@${serviceHost}`;
  const returnPath = returnPathAt(sender.host);
  const { content } = await compose(deps, recipient);
  const ended = new AbortController();
  const coming = waitForMail(returnPath, TAKEN_WITHIN_MS + patience, AbortSignal.any([signal, ended.signal]));
  const began = performance.now();
  try {
    const refused = refusalOf(await transmit(upstream, deps, { returnPath, recipient }, content));
    const facts = { name: upstream.name, refused };
    if (refused !== null) return { ...facts, report: null, waitedMs: 0 };
    const report = await inTime(coming, patience);
    const waitedMs = performance.now() - began;
    return {
      ...facts,
      waitedMs,
      report: report && { action: await actionIn(report), afterMs: report.at - began },
    };
  } finally {
    ended.abort();
  }
};
