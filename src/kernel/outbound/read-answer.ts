// What is kept of an answer, made fit to be shown. Pure.
import { DAY, SECOND } from '../time.ts';

/** Of the answer, in octets: so much of it is kept. */
export const EXCERPT_OCTETS = 1_024;

const MAX_RETRY_AFTER_MS = DAY;
/** The form of dates that is written today; the two obsolete ones (RFC 9110 §5.6.7) are not worth a reader. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The beginning of a body as one line of text: no control characters, nothing that steers the reading, nothing halved. */
export const excerptOf = (octets: Buffer): string =>
  new TextDecoder()
    // As if more came: a character cut off at the end is left out.
    .decode(octets.subarray(0, EXCERPT_OCTETS), { stream: true })
    .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();

/** Retry-After (RFC 9110 §10.2.3) in ms from `now`, at most a day; null where there is none that can be read. */
export const retryAfterOf = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? '';
  const wait = /^\d{1,15}$/.test(text)
    ? Number(text) * SECOND
    : HTTP_DATE.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS);
};
