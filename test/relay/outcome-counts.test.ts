import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import { createOutcomeCounts } from '#src/relay/outcome-counts.ts';

test('what is counted leaves the last hour when it is an hour old, and stays in the counts since the start', () => {
  const counts = createOutcomeCounts();
  counts.count('accepted', 0);
  counts.count('accepted', MINUTE);
  counts.count('bounced', MINUTE);
  expect(counts.lastHour(HOUR - 1)).toEqual({ accepted: 2, deferred: 0, bounced: 1, upstream_failure: 0 });
  expect(counts.lastHour(HOUR)).toEqual({ accepted: 1, deferred: 0, bounced: 1, upstream_failure: 0 });
  counts.count('deferred', 3 * HOUR);
  expect(counts.lastHour(3 * HOUR)).toEqual({ accepted: 0, deferred: 1, bounced: 0, upstream_failure: 0 });
  expect(counts.sinceStart()).toEqual({ accepted: 2, deferred: 1, bounced: 1, upstream_failure: 0 });
});
