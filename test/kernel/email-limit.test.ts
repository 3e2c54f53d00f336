import { expect, test } from 'vitest';
import { createEmailLimit } from '#src/kernel/email-limit.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { createTestClock } from '#test/support/storage.ts';

const perMinute = (count: number) => ({ perSecond: count / 60, burst: count });

test('so many a minute for each address, and the refusal says when to come again', () => {
  const clock = createTestClock();
  const limitEmail = createEmailLimit(clock, () => perMinute(3));
  for (let time = 0; time < 3; time++) limitEmail('a@example.org');
  expect(() => limitEmail('a@example.org')).toThrow(
    expect.objectContaining({ code: 'rate_limited', extra: { retry_after: 20 } }),
  );
  limitEmail('b@example.org');
  clock.set(clock.now() + MINUTE);
  for (let time = 0; time < 3; time++) limitEmail('a@example.org');
  expect(() => limitEmail('a@example.org')).toThrow();
});

test('a limit that the operator changes holds at once', () => {
  let limit = perMinute(1);
  const limitEmail = createEmailLimit(createTestClock(), () => limit);
  limitEmail('a@example.org');
  expect(() => limitEmail('a@example.org')).toThrow();
  limit = perMinute(2);
  limitEmail('b@example.org');
  limitEmail('b@example.org');
  expect(() => limitEmail('b@example.org')).toThrow();
});
