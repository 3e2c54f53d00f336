// How often a practice may ask for what costs others something: name servers elsewhere, or the one thread that all
// practices share. In memory, as all rate limits are.
import { AppError } from './errors.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';
import type { Clock } from './time.ts';

/** Takes from the practice's share. Throws `rate_limited`. */
export type LimitPractice = (tenantId: string) => void;

/** `refusal` says what was asked for too often. */
export const createPracticeLimit = (clock: Clock, perMinute: number, refusal: string): LimitPractice => {
  const limiter = createRateLimiter();
  const limit: RateLimit = { perSecond: perMinute / 60, burst: perMinute };
  return (tenantId) => {
    const { allowed, retryAfterSeconds } = limiter.take(tenantId, clock.now(), limit);
    if (!allowed) throw new AppError('rate_limited', refusal, { extra: { retry_after: retryAfterSeconds } });
  };
};
