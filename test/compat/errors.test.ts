// The text of a refusal in the forms that have one text for all of it.
import { expect, test } from 'vitest';
import { asVendorA, asVendorB, type Refusal } from '#src/compat/errors.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import { inEnglish } from '#src/kernel/say.ts';

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
  ['the field of the text', invalid('`body.to`: is required', [missingTo]), '`To`: is required. Do that.'],
  [
    'several fields, of which the text has the first',
    invalid('`body.to`: is required (and 1 more)', [missingTo, missingSubject]),
    '`To`: is required. `Subject`: is required. Do that.',
  ],
  [
    'more fields than an answer names',
    invalid('`body.to`: is required (and 40 more)', [missingTo, missingSubject]),
    '`To`: is required (and 40 more). `Subject`: is required. Do that.',
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

test.each<[path: string, message: string, a: string, b: string]>([
  ['body.reply_to', 'is wrong', '`reply_to`: is wrong', '`ReplyTo`: is wrong'],
  ['body.settings.track_opens', 'is wrong', '`settings.track_opens`: is wrong', '`TrackOpens`: is wrong'],
  [
    'body.attachments[0].content',
    'is wrong',
    '`attachments[0].content`: is wrong',
    '`Attachments[0].content`: is wrong',
  ],
  ['body.Headers[2].Name', 'is wrong', '`Headers[2].Name`: is wrong', '`Headers[2].Name`: is wrong'],
  ['body[3].html', 'is wrong', '`html` of message 4: is wrong', '`HtmlBody` of message 4: is wrong'],
  ['body[3]', 'must be an object', 'Message 4: must be an object', 'Message 4: must be an object'],
  ['body', 'must be an array', 'The body: must be an array', 'The body: must be an array'],
  ['header.Idempotency-Key', 'is wrong', '`Idempotency-Key`: is wrong', '`Idempotency-Key`: is wrong'],
  [
    'body.text',
    'one of text, html and template is required',
    '`text`: one of text, html and template is required',
    '`TextBody`: one of TextBody, HtmlBody and TemplateAlias is required',
  ],
])('the problem of %s has the name that the client writes', (path, message, a, b) => {
  const refusal = invalid(`\`${path}\`: ${message}`, [{ path, message }]);
  expect(asVendorA(refusal).message).toBe(`${a}. Do that.`);
  expect(asVendorB(refusal).body.Message).toBe(`${b}. Do that.`);
});

test('no hint of the error table names a field of the native answer', () => {
  for (const { hint: text } of Object.values(errorTable)) {
    const hint = inEnglish(text);
    const refusal = { ...invalid('No'), hint };
    for (const shown of [asVendorA(refusal).message, asVendorB(refusal).body.Message])
      expect(shown, hint).not.toMatch(/`(?:fields|recipients|content_reasons|missing|allowed|permission)`/);
  }
});
