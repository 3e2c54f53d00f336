// Keys of what tells others of events: webhooks and chat alerts.
import { z } from 'zod';
import { durationBetween } from '#src/kernel/expected.ts';
import { DAY, MINUTE, SECOND } from '#src/kernel/time.ts';

const wait = durationBetween(SECOND, 7 * DAY);

export const webhooks = z.strictObject({
  retry: z
    .array(wait)
    .min(1)
    .max(50)
    .prefault(['5s', '5m', '30m', '2h', '5h', '10h', '10h'])
    .describe('Waits before the second, third, ... attempt at a delivery; after the last one it has failed.'),
  jitter: z
    .number()
    .min(0)
    .max(0.9)
    .prefault(0.2)
    .describe('Each wait is spread by this share up and down; 0.2 is ±20 %.'),
  timeout: durationBetween(SECOND, MINUTE)
    .prefault('10s')
    .describe('How long one attempt may take, from looking up the name to the end of the answer.'),
  disable_after: durationBetween(MINUTE, 90 * DAY)
    .prefault('5d')
    .describe('A webhook or alert that has failed for so long without a success in between is disabled.'),
});

export const alerts = z.strictObject({
  gather: durationBetween(SECOND, 60 * MINUTE)
    .prefault('1m')
    .describe(
      'How long events are gathered, from the first one on, before one message tells of all of them.',
    ),
});
