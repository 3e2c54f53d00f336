import { describe, expect, test } from 'vitest';
import { readMailboxes } from '#src/mail/address-field.ts';

const read = (value: string): string[] =>
  readMailboxes(value).map(({ address, name }) => (name === undefined ? address : `${name} <${address}>`));

describe('address fields', () => {
  test.each([
    ['a bare address', 'anna@example.org', ['anna@example.org']],
    ['a name', 'Anna Berg <anna@example.org>', ['Anna Berg <anna@example.org>']],
    [
      'a quoted comma',
      '"Berg, Anna" <anna@example.org>, b@example.org',
      ['Berg, Anna <anna@example.org>', 'b@example.org'],
    ],
    ['an encoded name', '=?UTF-8?Q?M=C3=BCller?= <m@example.org>', ['Müller <m@example.org>']],
    ['an encoded name in quotes', '"=?UTF-8?Q?M=C3=BCller?=" <m@example.org>', ['Müller <m@example.org>']],
    [
      'several encoded words',
      '=?UTF-8?Q?M=C3?= =?UTF-8?Q?=BCller?= <m@example.org>',
      ['Müller <m@example.org>'],
    ],
    ['8-bit names', 'Jürgen <j@example.org>', ['Jürgen <j@example.org>']],
    [
      'a tab between',
      'Anna\t<anna@example.org>,\tb@example.org',
      ['Anna <anna@example.org>', 'b@example.org'],
    ],
    ['nobody', '', []],
    ['hidden recipients', 'undisclosed-recipients:;', []],
    ['hidden recipients, quoted', '"Verborgene Empfaenger": ;', []],
    [
      'a group',
      'Team: a@example.org, B <b@example.org>;, c@example.org',
      ['a@example.org', 'B <b@example.org>', 'c@example.org'],
    ],
    ['empty places', ', a@example.org,, b@example.org,', ['a@example.org', 'b@example.org']],
    [
      'a comment with a comma',
      'a@example.org (Anna, Berg), b@example.org',
      ['a@example.org', 'b@example.org'],
    ],
    ['an IDN host', 'a@müller.example', ['a@xn--mller-kva.example']],
    [
      'an address in a name stays a name',
      '"x@evil.example" <a@example.org>',
      ['x@evil.example <a@example.org>'],
    ],
    [
      'an encoded address in a name stays a name',
      '=?utf-8?q?x=40evil=2Eexample=2C?= <a@example.org>',
      ['x@evil.example, <a@example.org>'],
    ],
    [
      'a line break in an encoded name is none',
      '=?utf-8?q?a=0D=0ABcc:_x?= <a@example.org>',
      ['a Bcc: x <a@example.org>'],
    ],
  ])('%s', (_, value, mailboxes) => {
    expect(read(value)).toEqual(mailboxes);
  });

  test.each([
    ['a quoted local part', '"a b"@example.org'],
    ['two in one pair of brackets', '<a@example.org b@example.org>'],
    ['an encoded address', '=?utf-8?q?a=40example=2Eorg?='],
    ['an open quote', '"Anna <a@example.org>'],
    ['a route', '<@x.example:a@example.org>'],
  ])('not %s', (_, value) => {
    expect(() => readMailboxes(value)).toThrow(/./);
  });
});
