// How many records of custom domains are wrong for so long that their owners were notified: kept in memory from check to check, because
// what a check found is in the practices' files. A host that is not checked any more is forgotten.
import { type Metric, readMetric } from '#src/kernel/metrics.ts';
import { DAY } from '#src/kernel/time.ts';
import type { HealthByRecord } from './record-health.ts';

/** A host in use is checked at least once a day. */
const KEPT_MS = 2 * DAY;

export interface BadRecords {
  readonly note: (tenantId: string, host: string, health: HealthByRecord, now: number) => void;
  readonly metric: Metric;
}

export const createBadRecords = (now: () => number): BadRecords => {
  const found = new Map<string, { readonly at: number; readonly count: number }>();
  return {
    note: (tenantId, host, health, at) => {
      const key = `${tenantId} ${host}`;
      const count = Object.values(health).filter(({ notifiedAt }) => notifiedAt !== null).length;
      if (count > 0) found.set(key, { at, count });
      else found.delete(key);
    },
    metric: readMetric({
      kind: 'gauge',
      name: 'sendwerk_dns_bad_records',
      help: 'DNS records of custom domains that were found wrong so long that their owners were told, by the checks since the start: each domain is checked once a day, so that after a restart it takes a day until all are counted.',
      read: () => {
        for (const [key, { at }] of found) if (now() - at > KEPT_MS) found.delete(key);
        return [[[...found.values()].reduce((sum, { count }) => sum + count, 0)]];
      },
    }),
  };
};
