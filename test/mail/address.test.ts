import { describe, expect, test } from 'vitest';
import {
  AddressError,
  addressDomain,
  addressKey,
  domainName,
  maskAddress,
  needsSmtpUtf8,
  parseAddress,
  parseAddressList,
} from '#src/mail/address.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';

type Expected = readonly [address: string, name?: string];
const read: [text: string, ...mailboxes: Expected[]][] = [
  ['a@b.example', ['a@b.example']],
  ['  a@b.example  ', ['a@b.example']],
  ['<a@b.example>', ['a@b.example']],
  ['< a@b.example >', ['a@b.example']],
  ['Hans <a@b.example>', ['a@b.example', 'Hans']],
  ['Hans<a@b.example>', ['a@b.example', 'Hans']],
  ['"" <a@b.example>', ['a@b.example']],
  ['Dr. med. Ahorn <a@b.example>', ['a@b.example', 'Dr. med. Ahorn']],
  ['"Müller, Hans" <a@b.example>', ['a@b.example', 'Müller, Hans']],
  ['"a \\"b\\" \\\\ c" <a@b.example>', ['a@b.example', 'a "b" \\ c']],
  ['"x@evil.example" <a@b.example>', ['a@b.example', 'x@evil.example']],
  ['"<x@evil.example>, " <a@b.example>', ['a@b.example', '<x@evil.example>,']],
  ['Hans "der Große" M <a@b.example>', ['a@b.example', 'Hans der Große M']],
  ['=?UTF-8?Q?M=C3=BCller?= <a@b.example>', ['a@b.example', '=?UTF-8?Q?M=C3=BCller?=']],
  ['Pete(A nice \\) chap) <pete@silly.test>', ['pete@silly.test', 'Pete']],
  ['a@b.example (Hans (der Große), nicht <x@evil.example>)', ['a@b.example']],
  ['Hans <(one)a@b.example(two)>', ['a@b.example', 'Hans']],
  [
    'a@b.example, "C, D" <c@d.example>,e@f.example',
    ['a@b.example'],
    ['c@d.example', 'C, D'],
    ['e@f.example'],
  ],
  [
    'Mary Smith <mary@x.test>, jdoe@example.org, Who? <one@y.test>',
    ['mary@x.test', 'Mary Smith'],
    ['jdoe@example.org'],
    ['one@y.test', 'Who?'],
  ],
  ["A.B+c_d!#$%&'*/=?^`{|}~-@B.Example", ["A.B+c_d!#$%&'*/=?^`{|}~-@b.example"]],
  ['info@straße.de', ['info@xn--strae-oqa.de']],
  ['info@MÜNCHEN.example', ['info@xn--mnchen-3ya.example']],
  ['info@XN--STRAE-OQA.de', ['info@xn--strae-oqa.de']],
  ['info@praxis。example', ['info@praxis.example']],
  ['jörg@example.org', ['jörg@example.org']],
  ['jo\u0308rg@example.org', ['jörg@example.org']],
  ['用户@例え.jp', ['用户@xn--r8jz45g.jp']],
  ['\u202eevil\u200b \u2066Bank\u2069 <a@b.example>', ['a@b.example', 'evil Bank']],
  ['"\u200b" <a@b.example>', ['a@b.example']],
  [`${'l'.repeat(64)}@b.example`, [`${'l'.repeat(64)}@b.example`]],
  [`a@${'d'.repeat(63)}.example`, [`a@${'d'.repeat(63)}.example`]],
];

test.each(read.map(([text, ...mailboxes]) => ({ text, mailboxes })))(
  '$text is read',
  ({ text, mailboxes }) => {
    expect(parseAddressList(text)).toEqual(
      mailboxes.map(([address, name]) => (name === undefined ? { address } : { address, name })),
    );
  },
);

const refused: readonly (readonly [text: string, problem: string])[] = [
  ['', 'is empty'],
  ['   ', 'is empty'],
  ['a@b.example,', 'is empty'],
  [',a@b.example', 'is empty'],
  ['a@b.example,,c@d.example', 'is empty'],
  ['Hans', 'has no @'],
  ['Hans Müller', 'is not an address'],
  ['Müller, Hans <a@b.example>', 'has no @'],
  ['@b.example', 'nothing before the @'],
  ['a@', 'no domain after'],
  ['a@b@c.example', 'more than one @'],
  ['<>', 'no address in <>'],
  ['Hans <>', 'no address in <>'],
  ['Hans <a@b.example', 'something else than one address'],
  ['Hans a@b.example>', 'has a > in an unquoted name'],
  ['<a@b.example> Hans', 'something after'],
  ['<a@b.example> <c@d.example>', 'something after'],
  ['<<a@b.example>>', 'something else than one address'],
  ['x@evil.example <a@b.example>', 'an @ in an unquoted name'],
  ['a@b.example c@d.example', 'is not an address'],
  ['a @b.example', 'is not an address'],
  ['a@ b.example', 'is not an address'],
  ['a(comment)@b.example', 'is not an address'],
  ['<a(comment)@b.example>', 'something else'],
  ['"x y"@b.example', 'a quoted part before the @'],
  ['"x@evil.example y"@b.example', 'a quoted part before the @'],
  ['<"x"@b.example>', 'a quoted part before the @'],
  ['Hans <"x@evil.example> y"@b.example>', 'a quoted part before the @'],
  ['"a" b@b.example', 'is not an address'],
  ['"Hans', 'not closed'],
  ['"Hans\\', 'not closed'],
  ['a@b.example (Hans', 'not closed'],
  ['Freunde: a@b.example, c@d.example;', 'is a group'],
  ['undisclosed-recipients:;', 'is a group'],
  ['a@b.example; c@d.example', 'is a group'],
  ['<@one.example,@two.example:a@b.example>', 'something else than one address'],
  ['<@one.example:a@b.example>', 'is a group or a route'],
  ['mailto:a@b.example', 'is a group or a route'],
  ['a@[192.0.2.1]', 'an IP literal'],
  ['<a@[IPv6:2001:db8::1]>', 'an IP literal'],
  ['a@192.0.2.1', 'is an IP address'],
  ['a@example.0x7f', 'is an IP address'],
  ['a@localhost', 'is not a full domain name'],
  ['a@b..example', 'is not a domain name'],
  ['a@.b.example', 'is not a domain name'],
  ['a@b.example.', 'is not a domain name'],
  ['a@-b.example', 'is not a domain name'],
  ['a@b_c.example', 'is not a domain name'],
  ['a@b%2eexample.de', 'is not a domain name'],
  ['a@ü%2eexample.de', 'is not a domain name'],
  ['a@ex\u200bample.de/x', 'is not a domain name'],
  ['a@xn--\u00fc.example', 'is not a domain name'],
  ['a@ü.example/x', 'is not a domain name'],
  ['a@ü.example#x', 'is not a domain name'],
  ['a@ü.example?x', 'is not a domain name'],
  ['a@ü.example／x.example', 'is not a domain name'],
  ['a@ü.example＃x.example', 'is not a domain name'],
  ['a@ü.example％2ex', 'is not a domain name'],
  ['a@ü\u00ad.example', 'is not a domain name'],
  ['a@b＠c.example', 'is not a domain name'],
  ['.a@b.example', 'before the @'],
  ['a.@b.example', 'before the @'],
  ['a..b@b.example', 'before the @'],
  ['a\u00a0b@b.example', 'before the @'],
  ['a\u202eb@b.example', 'before the @'],
  ['a\u200bb@b.example', 'before the @'],
  ['Hans \\<x <a@b.example>', 'in an unquoted name'],
  ['a@b.example\r\nBcc: c@d.example', 'a control character'],
  ['"Hans\r\n" <a@b.example>', 'a control character'],
  ['"Hans\n" <a@b.example>', 'a control character'],
  ['Hans\0 <a@b.example>', 'a control character'],
  ['Hans\t<a@b.example>', 'a control character'],
  ['Hans\u0085 <a@b.example>', 'a control character'],
  ['Hans\u2028 <a@b.example>', 'a control character'],
  ['Hans\ud800 <a@b.example>', 'not valid Unicode'],
  [`${'l'.repeat(65)}@b.example`, 'more than 64 octets'],
  [`${'ü'.repeat(33)}@b.example`, 'more than 64 octets'],
  [`a@${'d'.repeat(64)}.example`, 'is not a domain name'],
  [`a@${`${'d'.repeat(62)}.`.repeat(4)}example`, 'longer than 255 octets'],
  [`a@${`${'d'.repeat(61)}.`.repeat(4)}example`, 'longer than 254 octets'],
  [`${'a@b.example, '.repeat(6_000)}a@b.example`, 'longer than 65536'],
];

test.each(refused)('%j is refused', (text, problem) => {
  expect(() => parseAddressList(text)).toThrow(AddressError);
  expect(() => parseAddressList(text)).toThrow(problem);
});

describe('parseAddress', () => {
  test('takes one mailbox', () => {
    expect(parseAddress('"Müller, Hans" <a@b.example>')).toEqual({
      address: 'a@b.example',
      name: 'Müller, Hans',
    });
  });

  test('refuses two', () => {
    expect(() => parseAddress('a@b.example, c@d.example')).toThrow('more than one address');
  });
});

test('an error repeats what is wrong, shortened and on one line', () => {
  expect(() => parseAddressList('ok@b.example, Hans <x y>')).toThrow(/^"Hans <x y>" has something else/);
  expect(() => parseAddressList(`${'x'.repeat(1_000)}\r\n`)).toThrow(/^"x{80}…" has a control character/);
});

test('hostile input of the largest size is read fast', () => {
  for (const text of [
    '('.repeat(65_536),
    '"\\'.repeat(32_768),
    'a.'.repeat(32_768),
    '<'.repeat(65_536),
    ' '.repeat(65_536),
  ]) {
    expect(() => parseAddressList(text)).toThrow(AddressError);
  }
});

test('all spellings of one address have the same key', () => {
  expect(addressKey(parseAddress('Hans.M@Example.ORG').address)).toBe('hans.m@example.org');
  expect(addressKey(parseAddress('JÖRG@straße.de').address)).toBe('jörg@xn--strae-oqa.de');
});

test('the domain is the part behind the @', () => {
  expect(addressDomain(parseAddress('a=b@Straße.de').address)).toBe('xn--strae-oqa.de');
});

test('only a non-ASCII local part needs SMTPUTF8', () => {
  expect(needsSmtpUtf8(parseAddress('jörg@example.org').address)).toBe(true);
  expect(needsSmtpUtf8(parseAddress('Jörg <joerg@straße.de>').address)).toBe(false);
});

test('a domain name is recognised or is null', () => {
  expect(domainName('Praxis-Müller.DE')).toBe('xn--praxis-mller-klb.de');
  expect(domainName('praxis.example.')).toBeNull();
  expect(domainName('192.0.2.1')).toBeNull();
  expect(domainName('a@b.example')).toBeNull();
});

test('an address of ASCII is judged as its local part is at a foreign domain and its domain by itself', () => {
  const locals = [
    'a',
    'A.b',
    'x+y',
    "o'b",
    'a..b',
    '.a',
    'a.',
    'a b',
    'a"b',
    '',
    'a@b',
    'l'.repeat(64),
    'l'.repeat(65),
  ];
  const labels = [
    'a',
    'B',
    '1',
    '0x1',
    'a1',
    '1a',
    'a-b',
    'a-',
    '-a',
    'a_b',
    '',
    'xn--a',
    'XN--STRAE-OQA',
    'xn',
    'de',
  ];
  labels.push('d'.repeat(63), 'd'.repeat(64));
  const addressOf = (text: string): string | null => {
    try {
      return parseAddress(text).address;
    } catch {
      return null;
    }
  };
  let accepted = 0;
  for (const local of locals) {
    const isFit = addressOf(`${local}@ü.example`) !== null;
    for (const domain of labels.flatMap((one) =>
      labels.flatMap((two) => [`${one}.${two}`, `a.${one}.${two}`]),
    )) {
      const name = domainName(domain);
      const expected = isFit && name !== null ? `${local}@${name}` : null;
      if (expected !== null) accepted += 1;
      expect(addressOf(`${local}@${domain}`), `${local}@${domain}`).toBe(expected);
    }
  }
  expect(accepted).toBeGreaterThan(300);
});

test('characters that hide or redirect text are removed, other Unicode stays', () => {
  expect(withoutInvisibles('\u202eab\u200b\u2066c\u2069\ufeff ü 👋🏽 א')).toBe('abc ü 👋🏽 א');
});

test.each([
  ['erika.muster@example.org', 'e…@example.org'],
  ['e@example.org', '…@example.org'],
  ['ab@example.org', 'a…@example.org'],
  ['jörg@müller.example', 'j…@müller.example'],
  ['𝒜lice@example.org', '𝒜…@example.org'],
])('%s is shown as %s', (typed, shown) => {
  expect(maskAddress(parseAddress(typed).address)).toBe(shown);
});
