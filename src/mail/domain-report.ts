// What reports about a domain (RFC 9990, RFC 8460) have in common: why one cannot be taken, whose it is, and values that
// anyone may have written. Pure.
import { domainName } from './address.ts';
import type { Traced } from './trace.ts';

/**
 * `no_report`: the mail has none. `too_large`: it exceeds a bound. `damaged`: it cannot be unpacked or ends too early.
 * `forbidden`: it has what no report needs, such as a document type declaration. `incomplete`: something required is missing.
 * `implausible`: its dates cannot be. `not_authenticated`: nothing proves that the mail is of the domain in its From.
 */
export const reportFaults = [
  'no_report',
  'too_large',
  'damaged',
  'forbidden',
  'incomplete',
  'implausible',
  'not_authenticated',
] as const;

/** The message is for the domain's owner. */
export class ReportFault extends Error {
  override readonly name = 'ReportFault';
  readonly reason: (typeof reportFaults)[number];

  constructor(reason: ReportFault['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** What is proved of the author of a mail. */
export interface AuthorProof {
  /** The domain in From, which SPF or DKIM proves; null where neither does. */
  readonly domain: string | null;
  /** DKIM alone proves it. */
  readonly isSigned: boolean;
  /** Something could not be found out. */
  readonly isUncertain: boolean;
}

/** Never rejects. */
export type ProveAuthor = (envelope: Traced, content: Buffer) => Promise<AuthorProof>;

/** The fields by which a repetition is known (RFC 9990 §2.1, RFC 8460 §4.4). */
export interface ReportHead {
  readonly organisation: string;
  readonly reportId: string;
  /** ms since the epoch. */
  readonly begin: number;
  readonly end: number;
}

const MAX_WORDS = 200;
const MAX_COUNT = 1_000_000_000;
/** Some programs write milliseconds where seconds belong. */
const MILLISECONDS_FROM = 100_000_000_000;

/** One line without control characters; empty where it is no text. */
export const wordsOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value)
        .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
        .trim()
        .slice(0, MAX_WORDS)
        .toWellFormed()
    : '';

/** A whole number, also written as `3.0`. Null for anything else. */
export const countOf = (value: unknown): number | null => {
  const words = wordsOf(value);
  const number = words === '' ? Number.NaN : Number(words);
  return Number.isInteger(number) && number >= 0 && number <= MAX_COUNT ? number : null;
};

/** The host in A-labels and lower case. Null where it is no name of a domain. */
export const hostOf = (value: unknown): string | null => {
  const name = wordsOf(value).replace(/\.$/, '');
  return name === '' ? null : domainName(name);
};

/** Seconds since the epoch, or a date of ISO 8601, in UTC where it says nothing else; in ms. Null for anything else. */
const momentOf = (value: unknown): number | null => {
  const words = wordsOf(value);
  const number = words === '' ? Number.NaN : Number(words);
  if (Number.isFinite(number)) return Math.trunc(number < MILLISECONDS_FROM ? number * 1_000 : number);
  const [, day, time = 'T00:00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(words) ?? [];
  const moment = Date.parse(`${day}${time.replace(' ', 'T')}${zone}`);
  return Number.isNaN(moment) ? null : moment;
};

/** @throws ReportFault where a value is missing or is none */
export const reportHead = (said: Readonly<Record<keyof ReportHead, unknown>>): ReportHead => {
  const organisation = wordsOf(said.organisation);
  if (organisation === '') throw new ReportFault('incomplete', 'It does not say which organisation reports.');
  const reportId = wordsOf(said.reportId);
  if (reportId === '') throw new ReportFault('incomplete', 'It has no report id.');
  const begin = momentOf(said.begin);
  const end = momentOf(said.end);
  if (begin === null || end === null)
    throw new ReportFault('incomplete', 'It does not say which period it is about.');
  if (end < begin) throw new ReportFault('implausible', 'Its period ends before it begins.');
  return { organisation, reportId, begin, end };
};
