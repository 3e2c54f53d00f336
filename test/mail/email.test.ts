import { expect, test } from 'vitest';
import { emailSchema, parseEmail } from '#src/mail/email.ts';

test.each<[string, string, string]>([
  ['erika@example.org', 'erika@example.org', 'erika@example.org'],
  [' Erika.Muster@Example.ORG ', 'Erika.Muster@example.org', 'erika.muster@example.org'],
  ['anna@praxis-müller.example', 'anna@xn--praxis-mller-klb.example', 'anna@xn--praxis-mller-klb.example'],
])('%j is an address', (text, email, emailKey) => {
  expect(parseEmail(text)).toEqual({ email, emailKey });
  expect(emailSchema.parse(text)).toEqual({ email, emailKey });
});

test.each([
  '',
  'erika',
  'erika@localhost',
  'Erika <erika@example.org>',
  'a@example.org, b@example.org',
  'a@example.org\nBcc: b@example.org',
  `${'a'.repeat(300)}@example.org`,
])('%j is none', (text) => {
  expect(emailSchema.safeParse(text)).toMatchObject({
    success: false,
    error: { issues: [expect.objectContaining({ path: [] })] },
  });
});
