import { expect, test } from 'vitest';
import { type ConsentFacts, isTooOld } from '#src/audience/consent/entry.ts';
import { DAY, toIso } from '#src/kernel/time.ts';

const ASKED = Date.parse('2026-11-01T12:00:00Z');
const request = { at: toIso(ASKED) } as ConsentFacts;

test.each<[what: string, leftAt: number | null, now: number, tooOld: boolean]>([
  ['seven days after the request', null, ASKED + 7 * DAY, true],
  ['just before', null, ASKED + 7 * DAY - 1, false],
  ['seven days after the mail left, which had waited', ASKED + 3 * DAY, ASKED + 10 * DAY, true],
  ['just before that', ASKED + 3 * DAY, ASKED + 10 * DAY - 1, false],
])('a link of a confirmation mail, %s', (_, leftAt, now, tooOld) => {
  expect(isTooOld(request, leftAt, now)).toBe(tooOld);
});
