// Requests to addresses that tenants name: the URL is read, its host looked up, every address judged, and one request sent
// over a connection to one of them, all within one time limit. Redirects are answers like others, and are not followed.
import { inEnglish } from '#src/kernel/say.ts';
import type { DnsLookup } from '../dns-lookup.ts';
import { SECOND, systemClock } from '../time.ts';
import { createConnections } from './connections.ts';
import {
  type Answer,
  type Exchanged,
  excerptOf,
  exchange,
  failureWords,
  MAX_BODY_OCTETS,
  retryAfterOf,
  STOPPING,
  StaleConnection,
  TIMED_OUT,
} from './exchange.ts';
import type { Outbound, OutboundOutcome } from './outbound.ts';
import { createCheckedLookup, OutboundFailure, readTarget, type Target } from './target.ts';

export interface OutboundDeps {
  /** Internal networks that may be reached all the same: addresses and CIDR. */
  readonly allow: () => readonly string[];
  /** Whether http may be used besides https. */
  readonly allowHttp: () => boolean;
  /** ms for one exchange, from the lookup to the end of the answer. */
  readonly timeout: () => number;
  /** PEM, trusted besides the public ones. */
  readonly ca?: string;
  /** The service's own origin: it must not send to itself. Absent in a command, which is not the service. */
  readonly ownOrigin?: string;
  readonly lookup: Pick<DnsLookup, 'addresses'>;
}

/** A person who enters a URL waits for its lookup. It is checked again before anything is sent there. */
const LOOK_MS = 5 * SECOND;

/** Some hosts refuse whoever does not name itself. */
const PROBE_HEADERS = { 'User-Agent': 'Mozilla/5.0 (compatible; Sendwerk link check)' };

/** Null where it takes longer, or was aborted. */
const inTime = async <T>(work: Promise<T>, milliseconds: number): Promise<T | null> => {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, milliseconds, null);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};

const toOutcome = ({ status, beginning, retryAfter }: Answer): OutboundOutcome => ({
  kind: 'answered',
  status,
  excerpt: excerptOf(beginning),
  retryAfter: retryAfterOf(retryAfter, systemClock.now()),
});

const failed = (error: string, timedOut = false): Extract<OutboundOutcome, { kind: 'failed' }> => ({
  kind: 'failed',
  error,
  timedOut,
});

export const createOutbound = (deps: OutboundDeps): Outbound => {
  const { allow, allowHttp, timeout, ca, lookup } = deps;
  const checked = createCheckedLookup(allow, lookup);
  const connections = createConnections(ca, checked);
  const inFlight = new Set<AbortController>();
  const ownHost = deps.ownOrigin === undefined ? '' : new URL(deps.ownOrigin).hostname.replace(/\.$/, '');
  let isStopped = false;

  const read = (url: string) =>
    readTarget(url, { allowHttp: allowHttp(), allowsSome: allow().length > 0, ownHost });

  /** Judges as far as possible without a lookup. @throws OutboundFailure where it may not be used */
  const usable = (url: string): Target => {
    const target = read(url);
    if ('refusal' in target) throw new OutboundFailure(`the URL ${inEnglish(target.refusal.message)}`);
    // An address is not looked up: it is judged here.
    const refusal = target.isAddress ? checked.refusalOf(target, [target.host]) : null;
    if (refusal) throw new OutboundFailure(`the URL ${inEnglish(refusal.message)}`);
    return target;
  };

  const send = async (target: Target, request: Exchanged, signal: AbortSignal): Promise<Answer> => {
    const { owner } = request;
    const options = connections.optionsFor(target);
    const agent = connections.take(owner, target.isSecure);
    try {
      return await exchange(target, request, { ...options, agent }, signal);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      const fresh = connections.fresh(target.isSecure);
      return await exchange(target, request, { ...options, agent: fresh }, signal);
    } finally {
      connections.release(owner);
    }
  };

  const once = async <T>(request: Exchanged, outcomeOf: (answer: Answer) => T) => {
    if (isStopped) return failed(STOPPING);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new OutboundFailure(TIMED_OUT)), timeout());
    inFlight.add(deadline);
    try {
      return outcomeOf(await send(usable(request.url), request, deadline.signal));
    } catch (error) {
      const { aborted, reason } = deadline.signal;
      const cause = aborted ? reason : error;
      return failed(failureWords(cause), aborted && !isStopped);
    } finally {
      clearTimeout(timer);
      inFlight.delete(deadline);
    }
  };

  return {
    post: (request) => once(request, toOutcome),
    get: (url, owner) =>
      once({ url, owner, headers: {}, body: null, keep: MAX_BODY_OCTETS }, ({ status, beginning }) => ({
        kind: 'answered',
        status,
        text: beginning.toString(),
      })),
    probe: async (url, owner) => {
      const asked = { url, owner, headers: PROBE_HEADERS, body: null } as const;
      const statusOf = ({ status }: Answer) => ({ kind: 'answered', status }) as const;
      const head = await once({ ...asked, method: 'HEAD' }, statusOf);
      return head.kind === 'answered' && head.status >= 400 ? once(asked, statusOf) : head;
    },
    refusalOf: async (url) => {
      const target = read(url);
      if ('refusal' in target) return target.refusal;
      const addresses = await inTime(checked.lookUp(target), LOOK_MS);
      return addresses === null ? null : checked.refusalOf(target, addresses);
    },
    stop: () => {
      isStopped = true;
      for (const exchange of inFlight) exchange.abort(new OutboundFailure(STOPPING));
      connections.destroy();
    },
  };
};
