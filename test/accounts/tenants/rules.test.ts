import { describe, expect, test } from 'vitest';
import { chooseSlug, slugify, warmupCaps, warmupDay } from '#src/accounts/tenants/rules.ts';

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

describe('the warm-up of a sending domain', () => {
  test('has a cap for each of its 15 days', () => {
    expect(warmupCaps).toEqual([
      150, 250, 400, 700, 1_000, 1_500, 2_000, 3_500, 5_000, 7_500, 10_000, 20_000, 40_000, 70_000, 100_000,
    ]);
  });

  test.each([
    ['2026-11-01T00:00:00Z', 1],
    ['2026-11-01T23:59:59.999Z', 1],
    ['2026-11-02T00:00:00Z', 2],
    ['2026-11-15T12:00:00Z', 15],
    ['2026-10-01T00:00:00Z', 1],
  ])('that began on 1 November is at %s on day %i', (now, day) => {
    expect(warmupDay(Date.parse('2026-11-01T18:30:00Z'), Date.parse(now))).toBe(day);
  });
});
