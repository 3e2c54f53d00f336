// Which parts of what is held of a person a caller sees.
import { expect, test } from 'vitest';
import { notShown } from '#src/audience/people/held.ts';
import { anonymous, permissions } from '#src/kernel/access.ts';

test.each([
  [['lists.manage'], ['suppressions', 'forwarding', 'messages', 'received']],
  [
    ['lists.manage', 'messages.view'],
    ['suppressions', 'forwarding', 'received'],
  ],
  [permissions, []],
] as const)('with %j these are missing: %j', (given, missing) => {
  expect(notShown({ ...anonymous, permissions: new Set(given) })).toEqual(missing);
});
