// Which parts of what is held of a person a caller sees.
import { expect, test } from 'vitest';
import { notShown, partsOf } from '#src/audience/people/parts.ts';
import { personalData as audience } from '#src/audience/personal-data.ts';
import { personalData as feedback } from '#src/feedback/personal-data.ts';
import { personalData as inbound } from '#src/inbound/personal-data.ts';
import { anonymous, permissions } from '#src/kernel/access.ts';
import { personalData as messages } from '#src/messages/personal-data.ts';

const parts = partsOf([messages, feedback, inbound, audience]);

test.each([
  [['lists.manage'], ['suppressions', 'forwarding', 'messages', 'received']],
  [
    ['lists.manage', 'messages.view'],
    ['suppressions', 'forwarding', 'received'],
  ],
  [permissions, []],
] as const)('with %j these are missing: %j', (given, missing) => {
  expect(notShown(parts, { ...anonymous, permissions: new Set(given) })).toEqual(missing);
});
