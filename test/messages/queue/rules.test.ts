import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import { givesUp, type RetryPolicy, retryWait } from '#src/messages/queue/rules.ts';

const policy: RetryPolicy = {
  waits: [1 * MINUTE, 5 * MINUTE, 15 * MINUTE],
  thenEvery: 4 * HOUR,
  jitter: 0.2,
  giveUpAfter: { 0: 72 * HOUR, 1: 48 * HOUR },
};

test.each([
  { attempts: 1, random: 0.5, wait: 1 * MINUTE },
  { attempts: 2, random: 0.5, wait: 5 * MINUTE },
  { attempts: 3, random: 0.5, wait: 15 * MINUTE },
  { attempts: 4, random: 0.5, wait: 4 * HOUR },
  { attempts: 40, random: 0.5, wait: 4 * HOUR },
  { attempts: 1, random: 0, wait: 0.8 * MINUTE },
  { attempts: 4, random: 1, wait: 4.8 * HOUR },
])('after attempt $attempts at chance $random it waits $wait ms', ({ attempts, random, wait }) => {
  expect(retryWait(policy, attempts, random)).toBe(wait);
});

test.each([
  { lane: 0, name: 'transactional within its patience', next: 72 * HOUR, gone: false },
  { lane: 0, name: 'transactional beyond its patience', next: 72 * HOUR + 1, gone: true },
  { lane: 1, name: 'marketing within its patience', next: 48 * HOUR, gone: false },
  { lane: 1, name: 'marketing beyond its patience', next: 48 * HOUR + 1, gone: true },
] as const)('$name: given up $gone', ({ lane, next, gone }) => {
  const queuedAt = 1_000_000;
  expect(givesUp(policy, lane, queuedAt, queuedAt + next)).toBe(gone);
});
