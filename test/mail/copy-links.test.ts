import { expect, test } from 'vitest';
import {
  createTrackingLinks,
  createUnsubscribeUrl,
  decodeUnsubscribeToken,
  preferencesUrlOf,
  unsubscribeTokensIn,
  withoutRecipient,
  withoutTracking,
} from '#src/mail/copy-links.ts';
import { testTokenKeys } from '#test/support/keys.ts';

const key = testTokenKeys(3);
const target = { tenantNumber: 17, recipientId: 123_456 };
const origin = 'https://mail.example.com';
const url = createUnsubscribeUrl(origin, key)(target);
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

const { open, click } = createTrackingLinks(origin, key);
const GOAL = 'https://example.org/mehr?a=1';
const spelled = (link: string) => [
  link,
  link.replace('mail.example.com', 'MAIL.Example.com'),
  link.replace('mail.example.com', 'mail.example.com:443'),
  link.replace('mail.example.com', 'mail.example.com.'),
  link.replace('https://mail.example.com', 'http://mail.example.com:80'),
  link.replace('https:', ''),
  link.replace('//mail.', '//anna@mail.'),
  link.replace('.com/', '.com//'),
  link.replace('.com/', '.com/./'),
  link.replace('.com/', '.com/x/%2e%2e/'),
  link.replace('.com/', '.com\\'),
  link
    .replace('.com/', '.com/%')
    .replace(/%(.)/, (_, letter: string) => `%${letter.charCodeAt(0).toString(16)}`),
];

test('a link of ours is known by where it leads, however it is written', () => {
  for (const link of spelled(open(target))) expect(withoutTracking(link, origin), link).toBeNull();
  for (const link of spelled(click(target, GOAL))) expect(withoutTracking(link, origin), link).toBe(GOAL);
  for (const own of [url, preferencesUrlOf(url), url.replace('?', '/?')])
    for (const link of spelled(own)) expect(withoutRecipient(link, origin), link).toBeNull();
  for (const link of spelled(open(target)))
    expect(withoutTracking(click(target, link), origin), link).toBeNull();
});

test.each([
  GOAL,
  'mailto:anna@example.org',
  'https://mail.example.com.evil.example/t/o/x',
  'https://mail.example.com:8443/t/o/x',
  'https://mail.example.com/wir',
  'https://[',
])('%s leads where it is written to lead', (link) => {
  expect(withoutRecipient(link, origin)).toBe(link);
});
