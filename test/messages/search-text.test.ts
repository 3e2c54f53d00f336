import { describe, expect, test } from 'vitest';
import {
  clausesOf,
  type Findable,
  fits,
  searchText,
  trigramQuery,
  type Wanted,
} from '#src/messages/search-text.ts';

const anything: Wanted = {
  text: null,
  parts: null,
  tag: null,
  routeId: null,
  templateId: null,
  kind: null,
  projects: null,
};
const message: Findable = {
  seq: 7,
  subject: 'Ihr Termin am Montag',
  addresses: ['anna@example.org', 'Max@example.net'],
  names: ['Änne Großmann'],
  tags: ['Rechnung', 'März', 'Q4'],
  routeId: 'route-1',
  templateId: 'template-1',
  projectId: 'project-1',
  kind: 'termin',
};
const isFound = (wanted: Partial<Wanted>, of: Partial<Findable> = {}): boolean =>
  fits(searchText({ ...message, ...of }), clausesOf({ ...anything, ...wanted }));

describe('a text is found by a part of it', () => {
  test.each([
    ['', true],
    ['ermi', true],
    ['MONTAG', true],
    ['x@EXAMPLE', true],
    ['erung', true],
    ['maerz', true],
    ['echnun', true],
    ['example.orgmax', false],
    ['montaganna', false],
    ['route-1', false],
    ['termin  am', false],
  ])('%j: %s', (part, expected) => {
    expect(isFound({ parts: [part] }, { subject: 'Ihr Termin am Montag: Neuerung' })).toBe(expected);
    expect(isFound({ parts: ['nowhere', part] }, { subject: 'Ihr Termin am Montag: Neuerung' })).toBe(
      expected,
    );
  });
});

describe('a message is found by words as they are typed', () => {
  test.each([
    ['', true],
    ['termin', true],
    ['MONTAG ihr', true],
    ['montag dienstag', false],
    ['anna max montag', true],
    ['großm', true],
    ['oßmann', false],
    ['GROẞMANN Aenne', true],
    ['maerz', true],
    ['"termin am"', true],
    ['"am termin"', false],
    ['g\x1ea', false],
    ['route-1', false],
  ])('%j: %s', (text, expected) => {
    expect(isFound({ text })).toBe(expected);
  });
});

describe('a tag is found as a whole, without regard to case', () => {
  test.each([
    ['rechnung', true],
    ['RECHNUNG', true],
    ['MÄRZ', true],
    ['Ma\u0308rz', true],
    ['marz', false],
    ['q4', true],
    ['q', false],
    ['rechnun', false],
    ['rechnung\x1fmärz', false],
    ['', false],
  ])('%j: %s', (tag, expected) => {
    expect(isFound({ tag })).toBe(expected);
  });

  test('a message without tags has none, not even the empty one', () => {
    expect(isFound({ tag: '' }, { tags: [] })).toBe(false);
    expect(isFound({ tag: 'rechnung' }, { tags: [], subject: 'Rechnung' })).toBe(false);
  });
});

test('route, project and kind are compared as a whole', () => {
  expect(isFound({ routeId: 'route-1', kind: 'termin', projects: ['project-2', 'project-1'] })).toBe(true);
  expect(isFound({ routeId: 'route-2' })).toBe(false);
  expect(isFound({ kind: 'ter' })).toBe(false);
  expect(isFound({ templateId: 'template-1' })).toBe(true);
  expect(isFound({ templateId: 'template-1' }, { templateId: null })).toBe(false);
  expect(isFound({ projects: ['project-2'] })).toBe(false);
  expect(isFound({ projects: [] })).toBe(false);
  // Each differs from the others of the same value.
  expect(isFound({ kind: 'route-1' })).toBe(false);
});

describe('the query of trigrams', () => {
  const query = (wanted: Partial<Wanted>) => trigramQuery(clausesOf({ ...anything, ...wanted }))?.(0) ?? null;

  test('is null for clauses that are too short', () => {
    expect(query({ text: 'ab' })).toBeNull();
    expect(query({ text: '🍎🍎' })).toBeNull();
    expect(query({ text: 'ab', tag: 'x' })).not.toBeNull();
  });

  test('holds a bounded number of trigrams, first and last among them', () => {
    const long = query({
      text: Array.from({ length: 50 }, (_, n) => String.fromCodePoint(97 + (n % 26)) + n).join(''),
    });
    expect(long?.match(/"/g)).toHaveLength(2 * (8 + 1));
    expect(query({ text: 'abcd' })).toContain('("abc" AND "bcd")');
  });

  test('bounds the choices of projects', () => {
    const projects = Array.from({ length: 51 }, (_, n) => `p${n}`);
    expect(query({ projects })).toBeNull();
    expect(query({ projects: projects.slice(1) })).toContain(' OR ');
  });

  test('quotes the search text, so that it is not read as syntax', () => {
    expect(query({ parts: ['a"b'] })).toContain('("a""b")');
  });
});

test('a long run of one character is folded and searched', () => {
  for (const letter of ['a', 'ä', '\u0308', '\ud800', '\x1f']) {
    const subject = letter.repeat(1 << 18);
    expect(fits(searchText({ ...message, subject }), clausesOf({ ...anything, text: 'anna' }))).toBe(true);
  }
});
