// The limit per e-mail address of everything by which a stranger makes the service write to an address or try to sign
// in as it. In memory, as all rate limits are; whether the address is known plays no part in it.
import { AppError } from './errors.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';
import type { Clock } from './time.ts';

/** Takes from the address's share; `emailKey` is what its spellings have in common. Throws `rate_limited`. */
export type LimitEmail = (emailKey: string) => void;

/** `limit` is asked at each call: it may change in a running daemon. */
export const createEmailLimit = (clock: Clock, limit: () => RateLimit): LimitEmail => {
  const limiter = createRateLimiter();
  return (emailKey) => {
    const { allowed, retryAfterSeconds } = limiter.take(emailKey, clock.now(), limit());
    if (allowed) return;
    throw new AppError('rate_limited', 'Too many requests for this e-mail address.', {
      extra: { retry_after: retryAfterSeconds },
    });
  };
};
