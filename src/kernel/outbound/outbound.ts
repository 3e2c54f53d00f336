// Requests to addresses that tenants name, for webhooks and chat tools, as their callers see them. What keeps these requests
// out of the operator's own network is in target.ts and ip-address.ts.

import { type KeyedConcurrency, limitConcurrency, limitKeyedConcurrency } from '../concurrency.ts';
import { AppError } from '../errors.ts';
import { createRateCheck, perMinute } from '../rate-limit.ts';
import type { Clock } from '../time.ts';

/** Why a URL cannot be used, for who gave it. */
export interface TargetRefusal {
  readonly message: string;
  readonly hint: string;
}

export interface OutboundRequest {
  /** As `refusalOf` lets it pass; it is looked at once more. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whose connections may be used: nobody shares any with another key. */
  readonly owner: string;
}

/** What became of one exchange. */
export type OutboundOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The first KiB of the answer as text. */
      readonly excerpt: string;
      /** ms that it asks to be spared for (Retry-After); null where it does not. */
      readonly retryAfter: number | null;
    }
  | {
      readonly kind: 'failed';
      /** What went wrong, for the tenant: nothing of the operator's network. */
      readonly error: string;
      /** It cost the whole time that an exchange may take. */
      readonly timedOut: boolean;
    };

export interface Outbound {
  /** Null where it may be used. A name that cannot be looked up at the moment may. Never rejects. */
  refusalOf(url: string): Promise<TargetRefusal | null>;
  /** POSTs once, follows nowhere. Never rejects. */
  post(request: OutboundRequest): Promise<OutboundOutcome>;
  /** Ends what is under way and idle connections. */
  stop(): void;
}

type Ended =
  | Pick<Extract<OutboundOutcome, { kind: 'answered' }>, 'kind' | 'status'>
  | Pick<Extract<OutboundOutcome, { kind: 'failed' }>, 'kind' | 'error'>;

/** Null of a success. */
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
  throw new AppError('invalid_request', `\`body.url\`: ${message}`, {
    hint,
    extra: { fields: [{ path: 'body.url', message }] },
  });
};

const TESTS_PER_MINUTE = 12;
/** Of a practice: tests of receivers that hang leave others' a place. */
const TESTS_AT_ONCE = 2;
/** Under way, of all practices, besides all other requests; the others wait. */
const TESTS = 32;

/** `what` is tested, as a sentence begins with it. */
export const createTestBounds = (clock: Clock, what: string): KeyedConcurrency => {
  const limit = createRateCheck(
    clock,
    () => perMinute(TESTS_PER_MINUTE),
    `${what} of a practice are tested ${TESTS_PER_MINUTE} times a minute at most.`,
  );
  const limitOfPractice = limitKeyedConcurrency(
    TESTS_AT_ONCE,
    'Other tests of the practice wait for their receivers.',
  );
  const limitOfAll = limitConcurrency(TESTS);
  return async (tenantId, work) => {
    limit(tenantId);
    return limitOfPractice(tenantId, () => limitOfAll(work));
  };
};
