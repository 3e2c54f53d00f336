import { describe, expect, test } from 'vitest';
import { laterAt, needsOf, resultOf } from '#src/inbound/forwarding/rules.ts';
import { DAY, MINUTE } from '#src/kernel/time.ts';

const policy = { waits: [MINUTE], thenEvery: 5 * MINUTE, jitter: 0, giveUpAfter: { 0: 2 * DAY, 1: DAY } };

describe('a copy that was not taken', () => {
  test.each([
    ['as it was planned', { isOwn: true, planned: 9_000, createdAt: 0 }, 5_000, 9_000],
    [
      'in a minute where no relay works',
      { isOwn: false, planned: 9_000, createdAt: 0 },
      5_000,
      5_000 + MINUTE,
    ],
    ['never more after two days', { isOwn: true, planned: 2 * DAY + 1, createdAt: 0 }, 2 * DAY, null],
    ['nor where no relay has worked since', { isOwn: false, planned: 0, createdAt: 0 }, 2 * DAY, null],
  ] as const)('is tried again %s', (_, facts, now, at) => expect(laterAt(policy, facts, now)).toBe(at));

  test('loses an attempt where the receiver deferred it, none where the relay failed or had no room', () => {
    const failure = { reply: null, diagnostic: 'closed' };
    expect(resultOf({ kind: 'deferred', ...failure })).toMatchObject({ kind: 'later', isOwn: true });
    expect(resultOf({ kind: 'upstream_failure', ...failure })).toMatchObject({ kind: 'later', isOwn: false });
    expect(resultOf(null)).toMatchObject({ kind: 'later', isOwn: false });
  });
});

test.each([
  ['nothing', 'Subject: a\r\n\r\nb', []],
  ['8BITMIME', 'Subject: a\r\n\r\nä', ['8BITMIME']],
  ['SMTPUTF8 too', 'Subject: ä\r\n\r\nb', ['8BITMIME', 'SMTPUTF8']],
])('a copy needs %s', (_, source, needs) => expect(needsOf(Buffer.from(source))).toEqual(needs));
