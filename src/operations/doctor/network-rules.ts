// What is to be said of the service as the network sees it: names, senders, ports and certificates. Facts in, verdicts out. Pure.
import { DAY, toIso } from '#src/kernel/time.ts';
import { counted, fail, named, ok, skipped, type Verdict, warn } from './finding.ts';

/** A set of records as `sendwerk dns check` judges it. */
export interface RecordFacts {
  readonly type: string;
  readonly name: string;
  readonly status: 'ok' | 'wrong' | 'missing' | 'error';
  readonly values: readonly string[];
  readonly found: readonly string[];
  readonly required: boolean;
  readonly hint: string;
}

/** So many are told one by one; `sendwerk dns check` has all. */
const MOST_RECORDS = 8;
const ALL_RECORDS = 'sendwerk dns check';

const recordText = ({ type, name, status, found }: RecordFacts): string => {
  switch (status) {
    case 'missing':
      return `${name} has no ${type} record`;
    case 'wrong':
      return `${name} has another ${type} record: ${found.join(' | ')}`;
    case 'error':
      return `${type} of ${name} could not be looked up`;
    case 'ok':
      return `${name} has its ${type} record`;
    default:
      return status satisfies never;
  }
};

const recordMend = ({ type, name, status, values, hint }: RecordFacts): string =>
  status === 'error' || values.length === 0
    ? hint
    : `${values.map((value) => `${name}. ${type} ${type === 'TXT' ? JSON.stringify(value) : value}`).join('; ')} (${hint})`;

const recordVerdict = (facts: RecordFacts): Verdict =>
  (facts.required ? fail : warn)(recordText(facts), recordMend(facts));

/** `sets`: those of the zones; delegation is the NS records. Names of addresses are not among them. */
export const recordVerdicts = (sets: readonly RecordFacts[]): Verdict[] => {
  const bad = sets.filter(({ status }) => status !== 'ok');
  if (bad.length === 0)
    return [ok(`all ${sets.length} sets of records are in the public DNS as they should be`)];
  if (bad.every(({ status }) => status === 'error') && bad.length === sets.length)
    return [
      fail(
        `none of ${sets.length} sets of records could be looked up`,
        `${bad[0]?.hint ?? ''} Set dns.resolvers to servers that answer this machine.`.trim(),
      ),
    ];
  // First what mail needs; below a zone that is not delegated nothing is found, and its NS records say why.
  const told = [...bad].sort(
    (one, other) =>
      Number(other.required) - Number(one.required) ||
      Number(other.type === 'NS') - Number(one.type === 'NS'),
  );
  const rest = told.slice(MOST_RECORDS);
  return [
    ...told.slice(0, MOST_RECORDS).map(recordVerdict),
    ...(rest.length === 0
      ? []
      : [
          (rest.some(({ required }) => required) ? fail : warn)(
            `${counted(rest.length, 'more set')} of records are not as they should be`,
            ALL_RECORDS,
          ),
        ]),
  ];
};

/** What receivers make of the machines of each relay. */
export const spfVerdicts = (relays: readonly RecordFacts[]): Verdict[] => {
  if (relays.length === 0) return [skipped('no mail leaves: no SMTP upstream is configured')];
  return relays.map((facts) => {
    const { name, status, found, required, hint } = facts;
    if (status === 'ok') return ok(`the SPF record covers ${name}: ${found.join(', ')}`);
    const what =
      status === 'error'
        ? `the addresses of ${name} could not be looked up`
        : `the SPF record does not cover ${name}${found.length === 0 ? '' : `: ${found.join(', ')}`}`;
    return (required ? fail : warn)(what, hint);
  });
};

export interface ReverseFacts {
  readonly address: string;
  /** Names of the address; null: it could not be found out. */
  readonly names: readonly string[] | null;
  /** Those that lead back to the address. */
  readonly confirmed: readonly string[];
}

/** `sends`: whether mail leaves by these addresses themselves, without a relay elsewhere. */
export const reverseVerdicts = (all: readonly ReverseFacts[], host: string, sends: boolean): Verdict[] => {
  if (all.length === 0)
    return [
      skipped(
        'no public address of the service is known: dns.zones.addresses is empty, and its name has none',
      ),
    ];
  return all.map(({ address, names, confirmed }) => {
    const mend = `the provider of ${address} can set its reverse name to ${host}`;
    if (names === null)
      return warn(
        `the name of ${address} could not be looked up`,
        'set dns.resolvers to servers that answer this machine',
      );
    if (confirmed.includes(host)) return ok(`${address} has the name ${host}, which leads back to it`);
    if (confirmed.length > 0)
      return warn(`${address} has the name ${named(confirmed)}, and says ${host} in EHLO`, mend);
    const found =
      names.length === 0
        ? `${address} has no name`
        : `${address} has the name ${named(names)}, which does not lead back to it`;
    return sends
      ? fail(`${found}, and mail leaves by it: many receivers refuse that`, mend)
      : warn(`${found}; mail leaves by relays elsewhere`, mend);
  });
};

export interface PortFacts {
  /** `mail.example.com:25` */
  readonly where: string;
  readonly what: 'mail' | 'submission' | 'web' | 'DNS';
  /** Null: it was reached. */
  readonly error: string | null;
}

/** `from`: the machine that connected; null: this one itself. */
export const portVerdicts = (ports: readonly PortFacts[], from: string | null): Verdict[] => {
  if (ports.length === 0) return [skipped('nothing is to be reached: no listener is configured')];
  const open = ports.filter(({ error }) => error === null).map(({ where }) => where);
  const bad = ports.flatMap(({ where, what, error }) => {
    if (error === null) return [];
    const mend = `let ${where} through the firewall and the router to this machine (nft list ruleset; ss -ltn)`;
    if (from !== null) return [fail(`${where} (${what}) is not reached from ${from}: ${error}`, mend)];
    return [
      warn(
        `${where} (${what}) is not reached from this machine itself, which some routers never allow: ${error}`,
        `sendwerk doctor --only 16 --from user@host, with a machine elsewhere; ${mend}`,
      ),
    ];
  });
  const reached =
    open.length === 0
      ? []
      : [
          ok(
            from === null
              ? `${named(open)} can be reached from this machine; that others reach it shows --from user@host alone`
              : `${named(open)} can be reached from ${from}`,
          ),
        ];
  return [...bad, ...reached];
};

export interface CertificateFacts {
  /** `port 25` or a file. */
  readonly where: string;
  readonly name: string;
  /** Why it could not be seen; then the rest means nothing. */
  readonly error: string | null;
  readonly names: readonly string[];
  readonly isForName: boolean;
  /** Whether a client with the usual authorities trusts its chain; null: that was not looked at. */
  readonly problem: string | null;
  /** ms */
  readonly validTo: number;
  readonly isSelfSigned: boolean;
  /** Whether clients refuse to talk where it is not valid. */
  readonly mustBeValid: boolean;
  readonly mend: string;
}

const SOON_MS = 14 * DAY;
const VERY_SOON_MS = 3 * DAY;

const certificateVerdict = (facts: CertificateFacts, now: number): Verdict => {
  const { where, name, error, names, isForName, problem, validTo, isSelfSigned, mustBeValid, mend } = facts;
  if (error !== null) return warn(`the certificate at ${where} could not be seen: ${error}`, mend);
  const bad = mustBeValid ? fail : warn;
  if (validTo <= now) return bad(`the certificate at ${where} has ended at ${toIso(validTo)}`, mend);
  if (isSelfSigned)
    return bad(
      `the certificate at ${where} is self-signed: it keeps out who only listens, and proves nothing`,
      mend,
    );
  if (!isForName) return bad(`the certificate at ${where} is for ${named(names)}, not for ${name}`, mend);
  if (problem !== null) return bad(`the certificate at ${where} is not trusted: ${problem}`, mend);
  const left = validTo - now;
  if (left < VERY_SOON_MS) return bad(`the certificate at ${where} ends at ${toIso(validTo)}`, mend);
  if (left < SOON_MS) return warn(`the certificate at ${where} ends at ${toIso(validTo)}`, mend);
  return ok(`the certificate at ${where} is for ${name} until ${toIso(validTo).slice(0, 10)}`);
};

export const certificateVerdicts = (all: readonly CertificateFacts[], now: number): Verdict[] =>
  all.length === 0
    ? [skipped('no listener with TLS is configured')]
    : all.map((facts) => certificateVerdict(facts, now));
