// The index of rules leads to tests that exist, or to rows of their tables: each title is one whole text in its file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { specified } from '#test/support/markdown-tables.ts';

const textOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}.test.ts`, import.meta.url)), 'utf8');

const quotes = ["'", '"', '`'];
const has = (file: string, title: string): boolean => {
  const text = textOf(file);
  return quotes.some((quote) => text.includes(`${quote}${title}${quote}`));
};

test('each rule names a test that is there', () => {
  const lost = specified('rules.md')
    .map(({ cells: { Rule, File = '', Title = '' } }) => ({ Rule, File, Title }))
    .filter(({ File, Title }) => !has(File, Title));
  expect(lost).toEqual([]);
});
