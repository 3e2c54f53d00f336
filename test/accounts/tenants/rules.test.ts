import { describe, expect, test } from 'vitest';
import { chooseSlug, slugify } from '#src/accounts/tenants/rules.ts';

/** RFC 1035 §2.3.1, without the hyphens of A-labels (RFC 5891 §4.2.3.1). */
const LABEL = /^(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

describe('a slug from a name', () => {
  test.each([
    ['Praxis Dr. Müller', 'praxis-dr-mueller'],
    ['ÄRZTE & Söhne', 'aerzte-soehne'],
    ['Weißer Straße', 'weisser-strasse'],
    ['Café Noël', 'cafe-noel'],
    ['Ångström Ørsted Æon', 'angstroem-orsted-aeon'],
    ['Zahn u\u0308ber', 'zahn-ueber'],
    ['  Zahn  Arzt  ', 'zahn-arzt'],
    ['--Praxis--', 'praxis'],
    ['Praxis_24/7', 'praxis-24-7'],
    ['xn--mller-kva', 'xn-mller-kva'],
    ['a..b', 'a-b'],
    ['İstanbul', 'istanbul'],
    ['クリニック', ''],
    ['🦷🦷', ''],
    ['', ''],
    ['a'.repeat(60), 'a'.repeat(40)],
    [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
  ])('%j is %j', (name, slug) => {
    expect(slugify(name)).toBe(slug);
    if (slug !== '') expect(slug).toMatch(LABEL);
  });
});

describe('the slug of a tenant', () => {
  const choose = (name: string, ...taken: string[]) =>
    chooseSlug(
      name,
      (slug) => taken.includes(slug),
      () => 'c0ffee00',
    );

  test.each([
    { name: 'a free name', given: 'Praxis Nord', taken: [], slug: 'praxis-nord' },
    { name: 'a name taken once', given: 'Praxis', taken: ['praxis'], slug: 'praxis-2' },
    { name: 'a name taken twice', given: 'Praxis', taken: ['praxis', 'praxis-2'], slug: 'praxis-3' },
    { name: 'a gap among the taken', given: 'Praxis', taken: ['praxis', 'praxis-3'], slug: 'praxis-2' },
    {
      name: 'a name taken often',
      given: 'Praxis',
      taken: ['praxis', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `praxis-${n}`)],
      slug: 'praxis-c0ffee00',
    },
    { name: 'a name of the operator', given: 'Admin', taken: [], slug: 'admin-2' },
    { name: 'a label of the zone', given: 'bounce', taken: [], slug: 'bounce-2' },
    { name: 'a name without letters', given: '🦷', taken: [], slug: 'practice' },
    { name: 'a second one without letters', given: '!!!', taken: ['practice'], slug: 'practice-2' },
  ])('$name: $slug', ({ given, taken, slug }) => {
    expect(choose(given, ...taken)).toBe(slug);
  });

  test.each(['a'.repeat(200), 'xn--abc', 'MX', '-', 'ü'.repeat(80)])(
    'is a DNS label for %j, however taken',
    (name) => {
      expect(choose(name)).toMatch(LABEL);
      expect(
        chooseSlug(
          name,
          () => true,
          () => 'c0ffee00',
        ),
      ).toMatch(LABEL);
    },
  );
});
