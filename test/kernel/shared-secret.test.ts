import { expect, test } from 'vitest';
import { Secret } from '#src/kernel/secret.ts';
import { isSecret, secretIn } from '#src/kernel/shared-secret.ts';

const secret = new Secret('0123456789:abcdef');
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

const knowsSecret = (authorization: string, expected: Secret | null): boolean =>
  isSecret(secretIn(authorization) ?? '', expected);

test.each<[string, Secret | null, boolean]>([
  ['Bearer 0123456789:abcdef', secret, true],
  ['bearer 0123456789:abcdef', secret, true],
  // Of the password too: only the first colon separates (RFC 7617 §2).
  [basic('anybody:0123456789:abcdef'), secret, true],
  [basic(':0123456789:abcdef'), secret, true],
  [basic('0123456789:abcdef'), secret, false],
  ['Bearer 0123456789:abcdeg', secret, false],
  ['0123456789:abcdef', secret, false],
  ['', secret, false],
  // Without a configured secret no request is accepted.
  ['', null, false],
  ['Bearer ', null, false],
  [basic(':'), null, false],
])('%s knows the secret: %#', (authorization, expected, knows) => {
  expect(knowsSecret(authorization, expected)).toBe(knows);
});
