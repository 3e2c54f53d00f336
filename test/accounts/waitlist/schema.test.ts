import { expect, test } from 'vitest';
import { joinBody } from '#src/accounts/waitlist/schema.ts';

test.each<[string, object]>([
  ['a plan that nobody waits for', { plan: 'test' }],
  ['no plan', { plan: undefined }],
  ['no address', { email: 'erika' }],
  ['a name of two lines', { name: 'a\nb' }],
  ['a long note', { note: 'x'.repeat(2_001) }],
  ['another field', { created_at: 0 }],
])('%s is not taken', (_, fields) => {
  expect(joinBody.safeParse({ email: 'erika@example.org', plan: 'termin', ...fields }).success).toBe(false);
});
