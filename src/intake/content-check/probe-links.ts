// Whether the links of a mail lead somewhere: by one request each to the host that is linked, through the client that reaches no
// private network. Few at once and in bounded time; answers are remembered for some minutes, because a mail is looked at again and
// again while it is written.
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Outbound } from '#src/kernel/outbound/outbound.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';
import type { LinkState } from './rules.ts';

/** More are not asked for. */
const MAX_ASKED = 30;
const AT_ONCE = 4;
const AT_ONCE_OF_ALL = 16;
const CHECKS_PER_MINUTE = 20;
/** A person waits for it. */
const WAIT_MS = 10 * SECOND;
const REMEMBERED = 2_000;
const GOOD_MS = 10 * MINUTE;
const BAD_MS = MINUTE;

const GONE: ReadonlySet<number> = new Set([404, 410]);
/** Hosts that want a person, or no program: the link may be right. */
const UNCLEAR: ReadonlySet<number> = new Set([401, 403, 405, 406, 429, 451, 501]);

const stateOf = (status: number): LinkState['state'] => {
  if (status < 400) return 'ok';
  if (GONE.has(status)) return 'broken';
  return UNCLEAR.has(status) ? 'unchecked' : 'failing';
};

/** What the address says by itself; null: it is to be asked. */
const bySyntax = (url: string, ownHost: string): LinkState['state'] | null => {
  if (url.includes('{{')) return 'unchecked';
  if (/^(?:mailto|tel|sms):\S+$/i.test(url) || /^#/.test(url)) return 'ok';
  const parsed = URL.parse(url);
  if (!/^https?:\/\//i.test(url) || parsed === null || !/[.:]/.test(parsed.hostname)) return 'malformed';
  if (parsed.hostname.replace(/\.$/, '') === ownHost) return 'own';
  return parsed.protocol === 'http:' ? 'insecure' : null;
};

export interface ProbeDeps {
  readonly outbound: Pick<Outbound, 'probe'>;
  readonly clock: Clock;
  readonly ownOrigin: string;
}

export interface LinkProbe {
  /** One state for each, in their order. Never rejects. */
  check(tenantId: string, urls: readonly string[]): Promise<LinkState[]>;
}

export const createLinkProbe = ({ outbound, clock, ownOrigin }: ProbeDeps): LinkProbe => {
  const ownHost = new URL(ownOrigin).hostname;
  const known = new Map<string, LinkState & { readonly until: number }>();
  const ofAll = limitConcurrency(AT_ONCE_OF_ALL);
  const limit = createRateCheck(
    clock,
    () => perMinute(CHECKS_PER_MINUTE),
    say`The links of a practice's mails are asked for ${CHECKS_PER_MINUTE} times a minute at most.`,
  );

  const remember = (link: LinkState): LinkState => {
    if (known.size >= REMEMBERED) known.clear();
    known.set(link.url, { ...link, until: clock.now() + (link.state === 'ok' ? GOOD_MS : BAD_MS) });
    return link;
  };
  const recall = (url: string): LinkState | null => {
    const found = known.get(url);
    if (found === undefined || found.until < clock.now()) return null;
    const { until: _, ...link } = found;
    return link;
  };
  const ask = async (tenantId: string, url: string): Promise<LinkState> => {
    const outcome = await ofAll(() => outbound.probe(url, tenantId));
    if (outcome.kind === 'failed')
      return remember({ url, state: outcome.timedOut ? 'unchecked' : 'unreachable', status: null });
    return remember({ url, state: stateOf(outcome.status), status: outcome.status });
  };
  const mayAsk = (tenantId: string): boolean => {
    try {
      limit(tenantId);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  };

  return {
    check: async (tenantId, urls) => {
      const states = new Map<string, LinkState>();
      const open: string[] = [];
      for (const url of new Set(urls)) {
        const state = bySyntax(url, ownHost);
        const present = state === null ? recall(url) : { url, state, status: null };
        if (present === null && open.length < MAX_ASKED) open.push(url);
        else if (present !== null) states.set(url, present);
      }
      if (open.length > 0 && mayAsk(tenantId)) {
        const few = limitConcurrency(AT_ONCE);
        const late = AbortSignal.timeout(WAIT_MS);
        const inTime = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()));
        const asked = open.map((url) =>
          few(async () => {
            if (!late.aborted) states.set(url, await ask(tenantId, url));
          }),
        );
        await Promise.race([Promise.all(asked), inTime]);
      }
      return urls.map((url) => states.get(url) ?? { url, state: 'unchecked', status: null });
    },
  };
};
