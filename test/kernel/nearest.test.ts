import { expect, test } from 'vitest';
import { nearest } from '#src/kernel/nearest.ts';

test.each([
  ['lisetn', 'listen'],
  ['trustProxy', 'trust_proxy'],
  ['listn', 'listen'],
  ['zzz', undefined],
  ['l'.repeat(65), undefined],
])('%s is taken for %s', (word, known) => expect(nearest(word, ['listen', 'trust_proxy'])).toBe(known));
