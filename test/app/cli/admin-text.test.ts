import { expect, test } from 'vitest';
import { clean, json, paragraph, record, table } from '#src/app/cli/admin-text.ts';

test('a table: columns aligned, what is absent as a dash', () => {
  expect(
    table(
      ['NAME', 'MAILS', 'ON'],
      [
        ['Süd', 12_000, true],
        ['', null, false],
      ],
      'none',
    ),
  ).toBe('NAME  MAILS  ON\nSüd   12000  yes\n-     -      no\n');
  expect(table(['NAME'], [], 'There is nothing.')).toBe('There is nothing.\n');
});

test('a record: names and values', () => {
  expect(
    record([
      ['id', '1'],
      ['safe mode', true],
    ]),
  ).toBe('id         1\nsafe mode  yes\n');
});

test('a paragraph keeps its lines, each set in', () => {
  expect(paragraph('one\r\ntwo\n\nthree\n')).toBe('  one\n  two\n\n  three\n');
});

test.each([
  ['an escape sequence', '\u001b[2Jx', '\ufffd[2Jx'],
  ['a C1 control', 'a\u009bx', 'a\ufffdx'],
  ['a line break', 'a\r\nb', 'a\ufffd\ufffdb'],
  ['a line separator', 'a\u2028b', 'a\ufffdb'],
  ['text turned round', 'a\u202eb', 'a\ufffdb'],
  ['a zero-width space', 'a\u200bb', 'a\ufffdb'],
  ['umlauts and signs stay', 'Größe ✓ 😀', 'Größe ✓ 😀'],
])('%s', (_, text, cleaned) => {
  expect(clean(text)).toBe(cleaned);
  expect(table(['A'], [[text]], '')).toBe(`A\n${cleaned}\n`);
  expect(record([['a', text]])).toBe(`a  ${cleaned}\n`);
});

test('a paragraph steers no terminal', () => {
  expect(paragraph('a\u001b]0;x\u0007\nb\u202e')).toBe('  a\ufffd]0;x\ufffd\n  b\ufffd\n');
});

test('JSON steers no terminal and reads as the same value', () => {
  const value = { text: 'a\u001b\u009b\u202e\u2028\n"ü"', list: [1, null] };
  expect(JSON.parse(json(value))).toEqual(value);
  expect(json(value)).toMatch(/^[\x20-\x7e\nü]*\n$/);
});
