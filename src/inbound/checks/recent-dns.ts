// Asks the DNS about mail that comes in: what was asked a moment ago is not asked again, each question has an end, and strangers'
// records have bounds.
import type { Lookup } from '#src/kernel/dns-lookup.ts';
import type { ResolvedLookup } from '#src/kernel/dns-resolver.ts';
import type { Clock } from '#src/kernel/time.ts';
import { createRecent, FAILED_KEPT_MS, inTime, KEPT_MS } from './recent.ts';

/** A larger answer is not kept: all that are have a bound of 32 MiB for each kind of question. */
const MAX_KEPT_CHARACTERS = 8_192;
/** RFC 1035 §2.3.4 */
const MAX_NAME = 253;
/** Far above any record of SPF, DKIM or DMARC: what reads them takes long for one of 64 KiB. */
const MAX_TEXT = 4_096;
export const QUESTION_MS = 2_500;

const LATE = { kind: 'failed', reason: 'timeout' } as const satisfies Lookup<never>;
const NO_NAME: Lookup<never> = { kind: 'none', nameExists: false };

const keptMs = (answer: Lookup<unknown>): number => {
  if (answer.kind === 'failed') return FAILED_KEPT_MS;
  if (answer.kind === 'found' && JSON.stringify(answer.records).length > MAX_KEPT_CHARACTERS) return 0;
  return KEPT_MS;
};

/** A record that is too long counts as none. */
const readable = (answer: Lookup<readonly string[]>): Lookup<readonly string[]> => {
  if (answer.kind !== 'found') return answer;
  const records = answer.records.filter(
    (strings) => strings.reduce((sum, { length }) => sum + length, 0) <= MAX_TEXT,
  );
  return records.length === 0 ? { kind: 'none', nameExists: true } : { kind: 'found', records };
};

export const createRecentDns = (lookup: ResolvedLookup, clock: Clock): ResolvedLookup => {
  const recent = <T>(ask: (name: string) => Promise<Lookup<T>>) => {
    const share = createRecent<Lookup<T>>(clock, keptMs);
    return async (name: string): Promise<Lookup<T>> =>
      name.length > MAX_NAME
        ? NO_NAME
        : share(name.toLowerCase(), () => inTime<Lookup<T>>(ask(name), QUESTION_MS, LATE));
  };
  return {
    txt: recent(async (name) => readable(await lookup.txt(name))),
    cname: recent(lookup.cname),
    mx: recent(lookup.mx),
    addresses: recent(lookup.addresses),
    reverse: recent(lookup.reverse),
  };
};
