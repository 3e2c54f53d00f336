// What a document puts in quotation marks is a word of the dashboard, letter for letter: who looks for it finds it.
import { globSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { documentNames } from '#test/support/document-samples.ts';

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const wordsOf = async (language: string): Promise<ReadonlySet<string>> => {
  const tables = await Promise.all(
    globSync(`src/dashboard/**/words/${language}.ts`).map((file) => import(pathToFileURL(file).href)),
  );
  return new Set(tables.flatMap(({ words }) => textsIn(words)));
};

const quoted = (file: string, marks: RegExp): readonly string[] =>
  [...readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ').matchAll(marks)].map(([, text = '']) => text);

/** What people say or write, which is in quotation marks too. */
const SPEECH = new Set([
  'Anmeldebögen, Ordner 12',
  'nicht erforderlich',
  'Verantwortliche',
  'Auftragsverarbeiter',
]);

/** The page of the reference by which programmers begin. */
const REFERENCE = 'src/http/reference/start-page.ts';

test.each([
  ['de', /„([^“]+)“/g, /\.de\.md$/],
  ['en', /“([^”]+)”/g, /^docs\/(?:(?:office|law)\/[a-z-]+|(?:office|develop)\/README|playground|start)\.md$/],
] as const)('words of the dashboard, %s', async (language, marks, names) => {
  const words = await wordsOf(language);
  const named = documentNames()
    .filter((name) => names.test(name))
    .concat(language === 'en' ? REFERENCE : [])
    .flatMap((name) => quoted(name, marks).map((text) => [name, text] as const))
    .filter(([, text]) => !SPEECH.has(text));
  expect(named.length).toBeGreaterThan(10);
  expect(
    named
      .filter(([, text]) => !words.has(text))
      .map((fault) => fault.join(': '))
      .join('\n'),
  ).toBe('');
});
