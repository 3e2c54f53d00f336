// What is to be said of relays: whether they let us in, what they offer, and what comes back through them. Facts in, verdicts
// out. Pure.
import { SECOND } from '#src/kernel/time.ts';
import { fail, ok, type Verdict, warn } from './finding.ts';

export interface SignInFacts {
  readonly name: string;
  /** `host:port` */
  readonly address: string;
  /** The step at which it ended; null: mail could be sent. */
  readonly failedAt: string | null;
  readonly error: string | null;
  readonly tls: { readonly verified: boolean; readonly problem: string | null } | null;
  /** `upstreams[].tls` of the configuration. */
  readonly wantedTls: 'none' | 'opportunistic' | 'required' | 'implicit';
  readonly isLoopback: boolean;
  readonly signsIn: boolean;
}

const signInMend = (failedAt: string, name: string): string => {
  switch (failedAt) {
    case 'connect':
    case 'greeting':
      return `check host and port of upstreams ${name}, and whether this machine may connect there (nc -vz HOST PORT): many providers block port 25`;
    case 'starttls':
      return `upstreams ${name}: tls and host have to fit its certificate; ca_file names a private authority`;
    case 'auth':
      return `upstreams ${name}: user and password_file; the operator's page on queues shows the dialogue (Test)`;
    default:
      return `the administrator of the relay ${name} knows why it refuses; the operator's page on queues shows the dialogue`;
  }
};

export const signInVerdict = (facts: SignInFacts): Verdict => {
  const { name, address, failedAt, error, tls, wantedTls, isLoopback, signsIn } = facts;
  const relay = `the relay ${name} (${address})`;
  if (failedAt !== null) return fail(`${relay} failed at ${failedAt}: ${error}`, signInMend(failedAt, name));
  const how = `${signsIn ? 'takes the password' : 'takes connections'}${tls ? ', by TLS' : ', in the clear'}`;
  if (isLoopback || wantedTls === 'none') return ok(`${relay} ${how}`);
  const mend = `upstreams ${name}: tls: required`;
  if (tls === null) return warn(`${relay} ${how}: anyone on the way can read the mail`, mend);
  return tls.verified
    ? ok(`${relay} ${how}`)
    : warn(`${relay} ${how}, and its certificate is not trusted: ${tls.problem}`, mend);
};

/** What the server said to EHLO. */
export interface OfferFacts {
  readonly name: string;
  readonly dsn: boolean;
  /** Bytes; 0: without a limit that is told; null: not offered. */
  readonly size: number | null;
  readonly eightBitMime: boolean;
  readonly smtpUtf8: boolean;
  readonly pipelining: boolean;
  /** Recipients become `delivered` by notices alone. */
  readonly waitsForNotices: boolean;
  /** Something listens for them here. */
  readonly listens: boolean;
  /** Bytes of the largest message that practices may send. */
  readonly largest: number;
}

const MIB = 1_024 * 1_024;
const mebibytes = (bytes: number): string =>
  `${(bytes / MIB).toLocaleString('en', { maximumFractionDigits: 1 })} MiB`;

const lacks = ({ eightBitMime, smtpUtf8, pipelining, dsn, size }: OfferFacts): string[] => [
  ...(dsn ? [] : ['DSN (no notices of delivery)']),
  ...(size === null ? ['SIZE (a mail that is too large is refused only at its end)'] : []),
  ...(eightBitMime
    ? []
    : ['8BITMIME (forwarded mail with 8-bit text may be changed, which breaks its signatures)']),
  ...(smtpUtf8 ? [] : ['SMTPUTF8 (no mail to addresses with letters beyond ASCII)']),
  ...(pipelining ? [] : ['PIPELINING (fewer messages a second)']),
];

export const offerVerdicts = (facts: OfferFacts): Verdict[] => {
  const { name, dsn, size, waitsForNotices, listens, largest } = facts;
  const bad: Verdict[] = [];
  if (waitsForNotices && !dsn)
    bad.push(
      warn(
        `the relay ${name} offers no DSN, so mail stays \`processed\` and never becomes \`delivered\``,
        `upstreams ${name}: delivered_on: accept, or events where it reports by HTTP; Postfix: smtpd_discard_ehlo_keywords without dsn`,
      ),
    );
  if (waitsForNotices && !listens)
    bad.push(
      warn(
        `nothing here listens for the notices of the relay ${name}, so bounces are not read and mail never becomes \`delivered\``,
        'smtp: { inbound: { listen: 0.0.0.0:25 } }',
      ),
    );
  if (size !== null && size > 0 && size < largest)
    bad.push(
      warn(
        `the relay ${name} takes ${mebibytes(size)}, and practices may send ${mebibytes(largest)}`,
        `Postfix: postconf -e message_size_limit=${largest}; or lower limits.body_bytes here`,
      ),
    );
  if (bad.length > 0) return bad;
  const missing = lacks(facts);
  return [
    ok(
      missing.length === 0
        ? `the relay ${name} offers all that is used: DSN, SIZE, 8BITMIME, SMTPUTF8, PIPELINING`
        : `the relay ${name} offers what is needed; it lacks ${missing.join(', ')}`,
    ),
  ];
};

/** What became of one message through one relay to this service itself. */
export interface TripFacts {
  readonly name: string;
  /** What the relay said instead of taking it; null: it took it. */
  readonly refused: string | null;
  /** Whether a notice of success was asked for. */
  readonly dsnRequested: boolean;
  /** Null: nothing came within `waitedMs`. */
  readonly arrival: {
    readonly afterMs: number;
    readonly returnPath: string;
    readonly bodyKept: boolean;
    /** The worst of our signatures. `unknown`: the key could not be looked up. */
    readonly dkim: 'pass' | 'fail' | 'missing' | 'unknown';
  } | null;
  readonly sentReturnPath: string;
  /** What the notice said: `relayed`, `delivered`, …; null: none came. */
  readonly notice: string | null;
  readonly waitedMs: number;
}

const seconds = (milliseconds: number): string => `${(milliseconds / SECOND).toFixed(1)} s`;

const notTaken = (name: string, refused: string): Verdict =>
  fail(
    `the relay ${name} did not take a message of the service to itself: ${refused}`,
    /^at (?:mail|rcpt|data|dot)/.test(refused)
      ? 'the log of the relay has the reason; it has to relay mail of the managed zone for this machine'
      : 'sendwerk doctor --only 18',
  );

export const roundTripVerdicts = (facts: TripFacts): Verdict[] => {
  const { name, refused, dsnRequested, arrival, sentReturnPath, notice, waitedMs } = facts;
  if (refused !== null) return [notTaken(name, refused)];
  if (arrival === null)
    return [
      fail(
        notice === 'failed'
          ? `the relay ${name} could not bring a message to port 25 of this service, and sent it back after ${seconds(waitedMs)}`
          : `a message through the relay ${name} did not come back to port 25 of this service within ${seconds(waitedMs)}`,
        'the queue of the relay says why (postqueue -p; its log); then checks 13 (MX) and 16 (port 25)',
      ),
    ];
  const bad: Verdict[] = [];
  if (arrival.returnPath.toLowerCase() !== sentReturnPath.toLowerCase())
    bad.push(
      fail(
        `the relay ${name} replaced the return path by ${arrival.returnPath === '' ? 'an empty one' : arrival.returnPath}, so bounces come to no one`,
        'let the relay keep the envelope sender: Postfix without sender_canonical_maps and smtp_generic_maps for the managed zone; at a provider, its custom return path',
      ),
    );
  if (!arrival.bodyKept)
    bad.push(
      fail(
        `the relay ${name} changes the text of mail on its way`,
        'take out what rewrites bodies there: footers and disclaimers, content filters, tracking of the provider, conversion of 8-bit text',
      ),
    );
  if (arrival.dkim === 'fail' || arrival.dkim === 'missing')
    bad.push(
      fail(
        arrival.dkim === 'fail'
          ? `the DKIM signature is not valid any more after the relay ${name}`
          : `the relay ${name} takes the DKIM signature away`,
        'take out what rewrites header fields there (header_checks, milters that fold or re-encode), then compare check 13 for the keys',
      ),
    );
  if (arrival.dkim === 'unknown')
    bad.push(
      warn(
        `whether DKIM holds after the relay ${name} is not known, because the key could not be looked up`,
        'sendwerk doctor --only 13',
      ),
    );
  if (!dsnRequested)
    bad.push(
      warn(
        `the relay ${name} was asked for no notice of success: it offers no DSN, or delivered_on is accept`,
        'sendwerk doctor --only 19',
      ),
    );
  else if (notice === null)
    bad.push(
      warn(
        `the relay ${name} offers DSN and sent no notice of success within ${seconds(waitedMs)}`,
        `upstreams ${name}: delivered_on: accept, unless its log says what hinders the notice`,
      ),
    );
  const whole = `a message through the relay ${name} came back after ${seconds(arrival.afterMs)}`;
  return bad.length > 0
    ? bad
    : [ok(`${whole} with its return path, its text and a valid DKIM signature; its notice says ${notice}`)];
};

export interface BounceFacts {
  readonly name: string;
  readonly refused: string | null;
  /** What came to the return path: what it says became of the mail, or that it was no report; null: nothing came. */
  readonly report: { readonly action: string | null; readonly afterMs: number } | null;
  readonly waitedMs: number;
}

export const bounceVerdict = ({ name, refused, report, waitedMs }: BounceFacts): Verdict => {
  // A relay that asks the receiver before it takes a mail has the refusal at once.
  if (refused !== null && /^at rcpt: 55\d 5\.1\./.test(refused))
    return ok(`the relay ${name} refuses an address that does not exist before it takes the mail`);
  if (refused !== null) return notTaken(name, refused);
  if (report === null)
    return fail(
      `no bounce came back within ${seconds(waitedMs)} for a message to an address here that does not exist, sent through the relay ${name}`,
      'the relay has to bounce to the envelope sender: its log and queue say what it did; then checks 13 (MX of bounce.*) and 16',
    );
  if (report.action !== 'failed')
    return fail(
      report.action === null
        ? `what the relay ${name} sent back for an address that does not exist is no report that can be read`
        : `the relay ${name} reported ${report.action} for an address that does not exist`,
      'let the relay send notices by RFC 3464, as Postfix and KumoMTA do by themselves',
    );
  return ok(`a bounce through the relay ${name} came back after ${seconds(report.afterMs)} and was read`);
};
