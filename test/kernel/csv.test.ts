import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvLine, withoutGuard } from '#src/kernel/csv.ts';
import { randomFrom } from '#test/support/soak.ts';

test('cells with commas, quotes and line breaks are quoted, nothing is an empty cell', () => {
  expect(csvLine(['a', null, 'b,c', 'say "hi"', 'two\r\nlines', ''])).toBe(
    'a,,"b,c","say ""hi""","two\r\nlines",\r\n',
  );
});

/** As programs that split at commas read it. */
const written = (text: string): string | undefined => parse(csvLine([text, 'end']))[0]?.[0];

test.each([
  ['=1+1', "'=1+1"],
  ['+49 40', "'+49 40"],
  ['-b@example.org', "'-b@example.org"],
  ['@cmd', "'@cmd"],
  [' =1', "' =1"],
  ['\t=1', "\t'=1"],
  ['\r=1', "\r'=1"],
  ['x;=1+41;y', "x;'=1+41;y"],
  ['x; "=1+41"', `x;' "=1+41"`],
  ['x\t-1\n@a\r\n+2', "x\t'-1\n'@a\r\n'+2"],
  ["'=x", "''=x"],
  [";';=1", ";';'=1"],
])('%j is kept from being a formula, and is read back as it was', (text, kept) => {
  expect(written(text)).toBe(kept);
  expect(withoutGuard(kept)).toBe(text);
});

test.each([
  "o'brien@example.org",
  "'quoted'",
  "'",
  '',
  'a=b',
  'a, -b',
  'a; b@example.org',
  '550-5.1.1 <a@b>; try again',
  'A -1 + 2 = 1',
  '\tx',
])('%j is left as it is', (text) => {
  expect(written(text)).toBe(text);
  expect(withoutGuard(text)).toBe(text);
});

test('any text comes back as it was, and has no formula behind any end of a cell', () => {
  const pieces = ['=', '+', '-', '@', ';', '\t', '\r', '\n', ' ', '"', "'", ',', 'x', 'ß'];
  const random = randomFrom(7);
  const below = (limit: number): number => Math.floor(random() * limit);
  const texts = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 1 + below(8) }, () => pieces[below(pieces.length)]).join(''),
  );
  const cells = parse(texts.map((text) => csvLine([text, 'end'])).join(''), { record_delimiter: '\r\n' }).map(
    ([cell = '']) => cell,
  );
  expect(cells.map(withoutGuard)).toEqual(texts);
  const formulas = cells
    .flatMap((cell) => cell.split(/[;\t\r\n]/))
    .filter((part) => /^[ "]*[=+\-@]/.test(part));
  expect(formulas).toEqual([]);
});
