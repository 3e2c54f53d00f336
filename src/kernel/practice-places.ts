// How much of what takes long and costs others little by little a practice may have under way: seconds of the one thread, places
// that all practices share. In memory.
import { AppError } from './errors.ts';

/** Seconds; what is under way ends by itself. */
const RETRY_AFTER = 5;

/** Throws `rate_limited` where the practice has as much under way. */
export type InPracticePlace = <T>(tenantId: string, work: () => Promise<T>) => Promise<T>;

/** `refusal` says what was asked for while the same was under way. */
export const practicePlaces = (each: number, refusal: string): InPracticePlace => {
  const taken = new Map<string, number>();
  return async (tenantId, work) => {
    const before = taken.get(tenantId) ?? 0;
    if (before >= each) throw new AppError('rate_limited', refusal, { extra: { retry_after: RETRY_AFTER } });
    taken.set(tenantId, before + 1);
    try {
      return await work();
    } finally {
      const left = (taken.get(tenantId) ?? 1) - 1;
      if (left === 0) taken.delete(tenantId);
      else taken.set(tenantId, left);
    }
  };
};
