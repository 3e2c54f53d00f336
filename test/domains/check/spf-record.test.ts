import { describe, expect, test } from 'vitest';
import {
  asSpf,
  effectiveTerms,
  isSpf,
  mergeSpf,
  mistakesOf,
  readSpf,
} from '#src/domains/check/spf-record.ts';

describe('which TXT is SPF (RFC 7208 §4.5)', () => {
  test.each<[string, boolean]>([
    ['v=spf1', true],
    ['v=spf1 -all', true],
    ['V=SPF1 -all', true],
    ['v=spf10 -all', false],
    ['v=spf1;-all', false],
    ['v=spf1include:a.example', false],
    [' v=spf1 -all', false],
    ['v=spf1\t-all', false],
    ['spf2.0/pra -all', false],
  ])('%j: %s', (text, is) => expect(isSpf(text)).toBe(is));

  test.each<[string, string | null]>([
    ['"v=spf1 a -all"', 'v=spf1 a -all'],
    ['v=spf1include:a.example -all', 'v=spf1 include:a.example -all'],
    ['v=spf1; a -all', 'v=spf1 a -all'],
    ['spf1 a -all', 'v=spf1 a -all'],
    ['“v=spf1 a -all”', 'v=spf1 a -all'],
    ['v=spf1 a', null],
    ['spf: see our site', null],
    ['v=spf2.0/pra a', null],
    ['google-site-verification=spf1', null],
  ])('%j is meant as %j', (text, meant) => expect(asSpf(text)).toBe(meant));
});

describe('terms (RFC 7208 §12)', () => {
  test.each([
    'all',
    '-all',
    '~ALL',
    '?all',
    'include:a.example',
    '+include:_spf.a.example.',
    'INCLUDE:A.Example',
    'a',
    'a/24',
    'a//64',
    'a/24//64',
    'a:b.example',
    'a:b.example/32//128',
    '-mx',
    'mx:b.example/0',
    'ptr',
    'ptr:b.example',
    'ip4:192.0.2.1',
    'ip4:192.0.2.0/24',
    'ip6:2001:db8::',
    'ip6:2001:db8::/32',
    'ip6:::ffff:192.0.2.1',
    'exists:%{i}.b.example',
    'exists:%{ir}.%{l1r-}.%{d2}',
    'include:%{d}',
    'a:%{h}.b.example/24',
    'redirect=b.example',
    'exp=why.b.example',
    'unknown=anything',
    'x.y-z=%{i}',
  ])('%s can be read', (term) => expect(mistakesOf(readSpf(`v=spf1 ${term}`))).toEqual([]));

  test.each<[string, string | null]>([
    ['all:a.example', null],
    ['include', null],
    ['include:', null],
    ['include:localhost', null],
    ['include:a.exampleinclude:b.example', null],
    ['include:a..example', null],
    ['include:a.example/24', null],
    ['include=a.example', 'include:a.example'],
    ['inlcude:a.example', null],
    ['exists', null],
    ['exists:%{z}.a.example', null],
    ['exists:%x.a.example', null],
    ['a/33', null],
    ['a/24//129', null],
    ['a:', null],
    ['ip4', null],
    ['ip4:192.0.2.256', null],
    ['ip4:192.0.2', null],
    ['ip4:192.0.2.0/33', null],
    ['ip4:2001:db8::', 'ip6:2001:db8::'],
    ['ip6:192.0.2.1', 'ip4:192.0.2.1'],
    ['ip6:2001:db8::/129', null],
    ['ip6:fe80::1%eth0', null],
    ['ipv4:192.0.2.1', 'ip4:192.0.2.1'],
    ['192.0.2.1', 'ip4:192.0.2.1'],
    ['2001:db8::1', 'ip6:2001:db8::1'],
    ['redirect=', null],
    ['nonsense', null],
  ])('%s cannot, and is meant as %j', (term, meant) => {
    expect(mistakesOf(readSpf(`v=spf1 ${term} -all`))).toMatchObject([{ text: term, meant }]);
  });

  test('a second redirect is a mistake, and so is a tab', () => {
    expect(mistakesOf(readSpf('v=spf1 redirect=a.example redirect=b.example'))).toHaveLength(1);
    expect(mistakesOf(readSpf('v=spf1 a\t-all'))).toHaveLength(1);
  });

  test('receivers come to mechanisms before all, and to a redirect only without all', () => {
    const names = (text: string) => effectiveTerms(readSpf(text)).map((term) => term.text);
    expect(names('v=spf1 a -all mx redirect=b.example')).toEqual(['a']);
    expect(names('v=spf1 redirect=b.example a mx')).toEqual(['a', 'mx', 'redirect=b.example']);
  });
});

describe('merging', () => {
  const OURS = 'spf.mail.test';
  test.each<[string, readonly string[], string]>([
    ['nothing at all', ['v=spf1'], 'v=spf1 include:spf.mail.test ~all'],
    ['the end stays', ['v=spf1 a -all'], 'v=spf1 a include:spf.mail.test -all'],
    ['an end that allows anyone does not', ['v=spf1 a all'], 'v=spf1 a include:spf.mail.test ~all'],
    [
      'a redirect stays the end',
      ['v=spf1 a redirect=b.example'],
      'v=spf1 a include:spf.mail.test redirect=b.example',
    ],
    [
      'a redirect behind all has no effect',
      ['v=spf1 a ?all redirect=b.example'],
      'v=spf1 a include:spf.mail.test ?all',
    ],
    [
      'an explanation stays',
      ['v=spf1 exp=why.b.example a -all'],
      'v=spf1 a include:spf.mail.test -all exp=why.b.example',
    ],
    [
      'what is there stays where it is',
      ['v=spf1 include:spf.mail.test a -all'],
      'v=spf1 include:spf.mail.test a -all',
    ],
    [
      'a refusal of it goes',
      ['v=spf1 ~include:spf.mail.test. a -all'],
      'v=spf1 a include:spf.mail.test -all',
    ],
    [
      'of several, all senders; a redirect becomes an include',
      ['v=spf1 a include:b.example -all', 'v=spf1 A mx ~all', 'v=spf1 redirect=c.example'],
      'v=spf1 a include:b.example mx include:c.example include:spf.mail.test -all',
    ],
    [
      'mistakes go, or are put right',
      ['v=spf1 ipv4:192.0.2.1 oops a'],
      'v=spf1 ip4:192.0.2.1 a include:spf.mail.test ~all',
    ],
  ])('%s', (_says, texts, merged) => expect(mergeSpf(texts.map(readSpf), OURS)).toBe(merged));

  test('what is merged can be read, lists the service once, and merging again changes nothing', () => {
    const pieces = [
      'a',
      '-mx',
      'include:spf.mail.test',
      '-include:spf.mail.test',
      'include:b.example',
      '+all',
      '-all',
      'all',
      'redirect=c.example',
      'exp=d.example',
      'oops',
      'ip4:1',
      '192.0.2.1',
      'ptr',
      'x=y',
      '  ',
    ];
    let seed = 7;
    const next = (bound: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % bound;
    };
    for (let round = 0; round < 2_000; round += 1) {
      const texts = Array.from({ length: 1 + next(3) }, () =>
        ['v=spf1', ...Array.from({ length: next(7) }, () => pieces[next(pieces.length)])].join(' '),
      );
      const merged = mergeSpf(texts.map(readSpf), OURS);
      expect(mistakesOf(readSpf(merged)), merged).toEqual([]);
      expect(merged.match(/include:spf\.mail\.test/g), merged).toHaveLength(1);
      expect(effectiveTerms(readSpf(merged)).map(({ text }) => text)).toContain(`include:${OURS}`);
      expect(mergeSpf([readSpf(merged)], OURS)).toBe(merged);
    }
  });
});
