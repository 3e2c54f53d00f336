// The number of wrong records that owners were told of, from check to check.
import { expect, test } from 'vitest';
import { createBadRecords } from '#src/domains/custom/bad-records.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';

const record = (notifiedAt: number | null) => ({
  wasOk: true,
  badSince: 0,
  errorSince: null,
  notifiedAt,
});

test('counts what owners were told of, until a check finds it right or the host is checked no more', () => {
  let now = 0;
  const { note, metric } = createBadRecords(() => now);
  const read = () => ('read' in metric ? metric.read()[0]?.[0] : undefined);
  expect(read()).toBe(0);
  note(
    'a',
    'praxis.example',
    { 'dkim CNAME x': record(1), 'spf TXT y': record(1), 'dmarc TXT z': record(null) },
    now,
  );
  note('b', 'andere.example', { 'dkim CNAME x': record(1) }, now);
  expect(read()).toBe(3);
  note('a', 'praxis.example', { 'dkim CNAME x': record(null) }, now);
  expect(read()).toBe(1);
  now = 2 * DAY;
  expect(read()).toBe(1);
  now += HOUR;
  expect(read()).toBe(0);
});
