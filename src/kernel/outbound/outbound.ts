// Requests to addresses that tenants name, for webhooks and chat tools, as their callers see them. What keeps these requests
// out of the operator's own network is in target.ts and ip-address.ts.

import { say, type Text } from '#src/kernel/say.ts';
import { type KeyedConcurrency, limitConcurrency, limitKeyedConcurrency } from '../concurrency.ts';
import { AppError } from '../errors.ts';
import { createRateCheck, perMinute } from '../rate-limit.ts';
import type { Clock } from '../time.ts';

/** Why a URL cannot be used, in words for the person who gave it. */
export interface TargetRefusal {
  readonly message: Text;
  readonly hint: Text;
}

export interface OutboundRequest {
  /** A URL that `refusalOf` accepts; it is checked again. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Connections are kept by owner, and never shared between two. */
  readonly owner: string;
}

/** The result of one exchange. */
export type OutboundOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The first KiB of the answer as text. */
      readonly excerpt: string;
      /** ms for which it asks for no further request (Retry-After); null where it does not. */
      readonly retryAfter: number | null;
    }
  | {
      readonly kind: 'failed';
      /** What went wrong, in words for the tenant, which reveal nothing about the operator's network. */
      readonly error: string;
      /** Whether it took the whole time that an exchange may take. */
      readonly timedOut: boolean;
    };

/** `text`: the first 64 KiB. */
export type OutboundDocument =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | Extract<OutboundOutcome, { kind: 'failed' }>;

export type OutboundProbe =
  | { readonly kind: 'answered'; readonly status: number }
  | Extract<OutboundOutcome, { kind: 'failed' }>;

export interface Outbound {
  /** Null where the URL may be used; also where its name cannot be looked up at the moment. Never rejects. */
  refusalOf(url: string): Promise<TargetRefusal | null>;
  /** POSTs once and follows no redirect. Never rejects. */
  post(request: OutboundRequest): Promise<OutboundOutcome>;
  /** GETs a short document once and follows no redirect. Never rejects. */
  get(url: string, owner: string): Promise<OutboundDocument>;
  /** Asks whether something is there: by HEAD, and by GET where the host does not take that. Follows no redirect. Never rejects. */
  probe(url: string, owner: string): Promise<OutboundProbe>;
  /** Ends exchanges in flight and closes idle connections. */
  stop(): void;
}

type Ended =
  | Pick<Extract<OutboundOutcome, { kind: 'answered' }>, 'kind' | 'status'>
  | Pick<Extract<OutboundOutcome, { kind: 'failed' }>, 'kind' | 'error'>;

/** Why an exchange did not succeed; null where it did. Redirects are not followed, so only 2xx is a success. */
export const failureOf = (ended: Ended): string | null => {
  if (ended.kind === 'failed') return ended.error;
  const { status } = ended;
  if (status >= 200 && status <= 299) return null;
  const note = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
  return `answered ${status}${note}`;
};

export const isSuccess = (ended: Ended): boolean => failureOf(ended) === null;

/** Throws `invalid_request` for the field `url` of a body where nothing may be sent there. */
export const requireUsable = async (outbound: Pick<Outbound, 'refusalOf'>, url: string): Promise<void> => {
  const refusal = await outbound.refusalOf(url);
  if (refusal === null) return;
  const { message, hint } = refusal;
  throw new AppError('invalid_request', say`\`body.url\`: ${message}`, {
    hint,
    extra: { fields: [{ path: 'body.url', message }] },
  });
};

// Tests that members ask for: each is a request to somebody else's server, and keeps its place for as long as that hangs.
const TESTS_PER_MINUTE = 12;
/** The tests of one practice at a time, so that receivers that hang leave places for other practices. */
const TESTS_AT_ONCE = 2;
/** The tests of all practices at a time, besides all other requests; further ones wait. */
const TESTS = 32;

/** `what` is tested: the beginning of a sentence, such as `Webhooks`. */
export const createTestBounds = (clock: Clock, what: string): KeyedConcurrency => {
  const limit = createRateCheck(
    clock,
    () => perMinute(TESTS_PER_MINUTE),
    say`${what} of a practice are tested ${TESTS_PER_MINUTE} times a minute at most.`,
  );
  const limitOfPractice = limitKeyedConcurrency(
    TESTS_AT_ONCE,
    say`Other tests of the practice wait for their receivers.`,
  );
  const limitOfAll = limitConcurrency(TESTS);
  return async (tenantId, work) => {
    limit(tenantId);
    return limitOfPractice(tenantId, () => limitOfAll(work));
  };
};
