import { expect, test } from 'vitest';
import { parseAddress } from '#src/mail/address.ts';
import { maskAddress } from '#src/mail/mask-address.ts';

test.each([
  ['erika.muster@example.org', 'e…@example.org'],
  ['e@example.org', '…@example.org'],
  ['ab@example.org', 'a…@example.org'],
  ['jörg@müller.example', 'j…@müller.example'],
  ['𝒜lice@example.org', '𝒜…@example.org'],
])('%s is shown as %s', (typed, shown) => {
  expect(maskAddress(parseAddress(typed).address)).toBe(shown);
});
