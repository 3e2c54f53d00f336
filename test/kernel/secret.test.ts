import { format, inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import { FORMER_SECRET_MS, formerSecretUntil, Secret } from '#src/kernel/secret.ts';

const VALUE = 'correct horse battery staple';
const secret = new Secret(VALUE);

const logged = (): string => {
  const lines: string[] = [];
  createLog('info', { write: (line: string) => lines.push(line) }).info({ secret, inside: { secret } }, 'x');
  return lines.join('');
};

describe('a secret', () => {
  test('is revealed on request', () => expect(secret.reveal()).toBe(VALUE));

  test.each<[string, () => string]>([
    ['a template', () => `${secret}`],
    ['concatenation', () => `a${String(secret)}`],
    ['JSON', () => JSON.stringify({ secret })],
    ['inspect', () => inspect({ deep: { secret } }, { depth: 9, showHidden: true })],
    ['format', () => format('%s %o %j', secret, secret, secret)],
    ['the log', logged],
  ])('stays hidden in %s', (_name, print) => {
    expect(print()).toContain('[secret]');
    expect(print()).not.toContain('horse');
  });

  test('is not copied by spreading or cloning', () => {
    expect(inspect([{ ...secret }, Object.entries(secret), structuredClone({ ...secret })])).not.toContain(
      'horse',
    );
  });
});

const NOW = 1_700_000_000_000;
test.each<[what: string, until: number | null, isValid: boolean]>([
  ['before its end', NOW + 1, true],
  ['at its end', NOW, false],
  ['at the rotation', NOW + FORMER_SECRET_MS, true],
  ['after the clock was set back', NOW + FORMER_SECRET_MS + 1, false],
  ['where there is none', null, false],
])('the secret before the last rotation %s', (_, until, isValid) => {
  expect(formerSecretUntil(until, NOW)).toBe(isValid ? until : null);
});
