import { expect, test } from 'vitest';
import { noRecipients } from '#src/audience/campaigns/no-recipients.ts';

test('where people are left out for several reasons, what to do about each is said', () => {
  const { message, hint } = noRecipients({
    people: 5,
    willReceive: 0,
    leftOut: new Map([
      ['missing_value', 1],
      ['pending', 4],
    ]),
    missing: new Map([['betreff', 1]]),
  });
  expect(message).toMatch(/not confirmed yet: 4; without a value for placeholders \(betreff\): 1\.$/);
  expect(hint).toMatch(/^Send it once .* Give the values for all in `values`/);
});
