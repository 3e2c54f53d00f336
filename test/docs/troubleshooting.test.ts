// The numbers and names of docs/operate/troubleshooting.md are those of the checks.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { words as german } from '#dashboard/pages/doctor/words/de.ts';
import { words as english } from '#dashboard/pages/doctor/words/en.ts';
import { checkNumbers } from '#src/operations/doctor/finding.ts';

const page = readFileSync('docs/operate/troubleshooting.md', 'utf8');
const rowsBelow = (heading: string): string[][] =>
  (page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );

test('the table of checks is the list of checks', () => {
  const listed = rowsBelow('The checks').map(([number, name]) => [name, Number(number)]);
  expect(Object.fromEntries(listed)).toEqual(checkNumbers);
  expect(listed).toHaveLength(Object.keys(checkNumbers).length);
});

test('symptoms name checks that there are, and each check has a symptom', () => {
  const named = rowsBelow('By symptom').flatMap(([, numbers = '']) => numbers.split(', ').map(Number));
  expect(new Set(named)).toEqual(new Set(Object.values(checkNumbers)));
});

test('the operator’s page has a name for each check', () => {
  const numbers = Object.values(checkNumbers).map(String);
  for (const { names } of [german, english]) expect(Object.keys(names)).toEqual(numbers);
});
