// Token buckets: a bucket holds `burst` tokens and gains `perSecond` of them a second; a request takes one,
// or as many as it costs. Pure: the
// present is passed in. Buckets live in memory only and are bounded in number, so a restart or a flood of other keys
// refills some: the limit protects the service, it is not an account of use.
import type { Text } from '#src/kernel/say.ts';
import { AppError } from './errors.ts';
import type { Clock } from './time.ts';

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** `count` in so many seconds, and all of them at once where they come so. */
const per =
  (seconds: number) =>
  (count: number): RateLimit => ({ perSecond: count / seconds, burst: count });
export const perMinute = per(60);
export const perHour = per(3_600);
export const perDay = per(86_400);

/** The limit times `part`, with a burst of at least one request. */
export const shareOf = ({ perSecond, burst }: RateLimit, part: number): RateLimit => ({
  perSecond: perSecond * part,
  burst: Math.max(1, Math.ceil(burst * part)),
});

export interface RateVerdict {
  readonly allowed: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until the next request is allowed; 0 where one is allowed now. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Takes `cost` tokens, or one, for `key` at `now` (ms). The limit may differ from call to call. */
  take(key: string, now: number, limit: RateLimit, cost?: number): RateVerdict;
  readonly size: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** So many buckets take about 20 MB. */
const MAX_BUCKETS = 100_000;

/**
 * Keeps at most `maxBuckets`. They stand in two generations: when the younger is half of all, it becomes the older one
 * and what was there is dropped. What is used moves to the younger, so only keys long unused are lost, at no cost per key.
 */
export const createRateLimiter = (maxBuckets = MAX_BUCKETS): RateLimiter => {
  const generationSize = Math.max(1, Math.floor(maxBuckets / 2));
  let younger = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();

  const bucketOf = (key: string, now: number, burst: number): Bucket => {
    const known = younger.get(key);
    if (known) return known;
    const bucket = older.get(key) ?? { tokens: burst, at: now };
    if (younger.size >= generationSize) {
      older = younger;
      younger = new Map();
    }
    older.delete(key);
    younger.set(key, bucket);
    return bucket;
  };

  return {
    get size() {
      return younger.size + older.size;
    },
    take(key, now, { perSecond, burst }, cost = 1) {
      const bucket = bucketOf(key, now, burst);
      // A clock set back must not take tokens away.
      const gained = (Math.max(0, now - bucket.at) / 1000) * perSecond;
      bucket.tokens = Math.min(burst, bucket.tokens + gained);
      bucket.at = now;
      const allowed = bucket.tokens >= cost;
      if (allowed) bucket.tokens -= cost;
      return {
        allowed,
        remaining: Math.floor(bucket.tokens),
        resetSeconds: Math.ceil((burst - bucket.tokens) / perSecond),
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((cost - bucket.tokens) / perSecond)),
      };
    },
  };
};

/** Takes a token of the key, or `cost` of them. Throws `rate_limited` where there are too few left. */
export type RateCheck = (key: string, cost?: number) => void;

/** `limit` is asked at each call, because it may change in a running daemon. `refusal` says what was asked for too often. */
export const createRateCheck = (clock: Clock, limit: () => RateLimit, refusal: Text): RateCheck => {
  const limiter = createRateLimiter();
  return (key, cost) => {
    const { allowed, retryAfterSeconds } = limiter.take(key, clock.now(), limit(), cost);
    if (!allowed) throw new AppError('rate_limited', refusal, { extra: { retry_after: retryAfterSeconds } });
  };
};

/** The key of a client without a credential: an IPv4 address, or the /64 of an IPv6 one, for that is what one client has. */
export const clientKey = (address: string): string => {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1).join('').split('::', 2);
  const before = head.split(':').filter(Boolean);
  const after = tail?.split(':').filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
};
