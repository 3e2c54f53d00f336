// Checks that people and programs ask for: one at a time for a practice, which all who ask meanwhile share, and not so
// often that the name servers of others are made to suffer by it.
import type { Change } from '#src/kernel/change.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { checkPractice, type PracticeCheck } from './check-practice.ts';

const PER_MINUTE = 12;

/** What it changes stands in the audit under whoever asked first. Rejects with `rate_limited` and as `checkPractice`. */
export type RequestCheck = (tenantId: string, change: Change) => Promise<PracticeCheck>;

export const createRequestCheck = (deps: DomainDeps): RequestCheck => {
  const take = createRateCheck(
    deps.clock,
    () => perMinute(PER_MINUTE),
    'The DNS of this practice was checked too often.',
  );
  const underWay = new Map<string, Promise<PracticeCheck>>();

  const begin = (tenantId: string, change: Change): Promise<PracticeCheck> => {
    take(tenantId);
    const check = checkPractice(deps, tenantId, change).finally(() => underWay.delete(tenantId));
    underWay.set(tenantId, check);
    return check;
  };

  return async (tenantId, change) => underWay.get(tenantId) ?? begin(tenantId, change);
};
