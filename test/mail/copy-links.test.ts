import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { createUnsubscribeUrl, decodeUnsubscribeToken, unsubscribeTokensIn } from '#src/mail/copy-links.ts';

const key = createSecretKey(Buffer.alloc(32, 3));
const target = { tenantNumber: 17, recipientId: 123_456 };
const url = createUnsubscribeUrl('https://mail.example.com', key)(target);
const token = url.slice(url.indexOf('=') + 1);

test('the token of a link is found in its field, and names the copy', () => {
  const [found = ''] = unsubscribeTokensIn(`<${url}>`, 5);
  expect(decodeUnsubscribeToken(key, found)).toEqual(target);
});

test.each([
  ['beside others', `<https://other.example/?t=1>, <${url}&from=all>, <mailto:u@b.example>`, [token]],
  ['as a later parameter', `<https://mail.example.com/x?a=b&t=${token}>`, [token]],
  ['more often than asked for', `<${url}>`.repeat(9), [token, token]],
  ['of another length', `<${url}A>`, []],
  ['as another parameter', `<https://mail.example.com/x?tt=${token}>`, []],
  ['in nothing', '', []],
])('%s', (_, field, found) => {
  expect(unsubscribeTokensIn(field, 2)).toEqual(found);
});
