import { describe, expect, test } from 'vitest';
import { MAX_SOURCE, patchTicketBody, reportBody } from '#src/accounts/abuse/schema.ts';

const typed = { email: 'erika@example.org', subject: 'Werbung', description: 'Ich habe nichts bestellt.' };

describe('what is taken', () => {
  test.each<[string, object, string]>([
    ['no address', { email: 'erika' }, 'email'],
    ['two addresses', { email: 'a@example.org, b@example.org' }, 'email'],
    ['an address with a line break', { email: 'a@example.org\r\nBcc: b@example.org' }, 'email'],
    ['a subject of two lines', { subject: 'a\nb' }, 'subject'],
    ['a subject that nobody sees', { subject: '\u200b' }, 'subject'],
    ['an empty description', { description: ' \n' }, 'description'],
    ['a long description', { description: 'x'.repeat(10_001) }, 'description'],
    ['a long source', { source: 'x'.repeat(MAX_SOURCE + 1) }, 'source'],
    ['a large file', { source: new File(['x'.repeat(MAX_SOURCE + 1)], 'x.eml') }, 'source'],
  ])('not %s', (_, fields, field) => {
    const { error } = reportBody.safeParse({ ...typed, ...fields });
    expect(error?.issues.map(({ path }) => path[0])).toEqual([field]);
  });

  test('no empty change', () => {
    expect(patchTicketBody.safeParse({}).success).toBe(false);
    expect(patchTicketBody.safeParse({ practice_id: null }).success).toBe(true);
    expect(patchTicketBody.safeParse({ stage: 'reopened' }).success).toBe(false);
  });
});
