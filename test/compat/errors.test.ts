// The text of a refusal in the forms that have one text for all of it.
import { expect, test } from 'vitest';
import { asVendorB, type Refusal } from '#src/compat/errors.ts';

const invalid = (error: string, fields: Refusal['fields'] = []): Refusal => ({
  code: 'invalid_request',
  error,
  hint: 'Do that.',
  fields,
});
const missingTo = { path: 'body.to', message: 'is required' };
const missingSubject = { path: 'body.subject', message: 'is required' };

test.each<[what: string, refusal: Refusal, text: string]>([
  ['nothing beside it', invalid('So it is'), 'So it is. Do that.'],
  [
    'the field of the text',
    invalid('`body.to`: is required', [missingTo]),
    '`body.to`: is required. Do that.',
  ],
  [
    'several fields, of which the text has the first',
    invalid('`body.to`: is required (and 1 more)', [missingTo, missingSubject]),
    '`body.to`: is required. `body.subject`: is required. Do that.',
  ],
  [
    'more fields than an answer names',
    invalid('`body.to`: is required (and 40 more)', [missingTo, missingSubject]),
    '`body.to`: is required (and 40 more). `body.subject`: is required. Do that.',
  ],
  [
    'reasons, a kept message',
    {
      code: 'content_blocked',
      error: 'Blocked.',
      hint: 'Do that.',
      content_reasons: ['A', 'B.'],
      message_id: 'm',
    },
    'Blocked. `content_reasons`: A, B. `message_id`: m. Do that.',
  ],
  [
    'reasons that the text has',
    {
      code: 'promotional_on_transactional',
      error: 'It is: A. B.',
      hint: 'Do that.',
      content_reasons: ['A.', 'B.'],
    },
    'It is: A. B. Do that.',
  ],
  [
    'recipients',
    { code: 'invalid_recipient', error: '"eins" has no @.', hint: 'Do that.', recipients: ['eins', 'zwei'] },
    '"eins" has no @. `recipients`: eins, zwei. Do that.',
  ],
  [
    'a number',
    { code: 'rate_limited', error: 'Too much.', hint: 'Do that.', retry_after: 7 },
    'Too much. `retry_after`: 7. Do that.',
  ],
  [
    'an absent permission',
    { code: 'forbidden', error: 'No.', hint: 'Do that.', permission: undefined },
    'No. Do that.',
  ],
  [
    'very many',
    { code: 'invalid_recipient', error: 'No.', hint: 'Do that.', recipients: ['x'.repeat(900)] },
    `No. \`recipients\`: ${'x'.repeat(500)}… Do that.`,
  ],
])('it has %s', (_, refusal, text) => {
  expect(asVendorB(refusal).body.Message).toBe(text);
});
