// The texts for people against the lists of terms, whatever they depend on: what is written in the catalogues, and what the
// functions in them make.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorTable } from '#src/kernel/error-table.ts';
import { apiName, english, englishTerms, kept, ofTheApi, quoted, type Term, terms } from './terms.ts';
import { germanFiles, load, paths, SRC, textOf, textsIn, writtenIn } from './texts.ts';

/** Of refusals, read by who uses the API too: they may name its fields. */
const refusalFiles = paths.filter((path) => /\/refusals\/(?:.*\.)?de\.ts$/.test(path));
const textsOf = (file: string): ReadonlySet<string> => {
  const { words } = load(join(SRC, file)) as { words: object };
  return new Set([...writtenIn(textOf(file)), ...textsIn(words).map(([, text]) => text)]);
};

const NAME: Term = { found: apiName, better: 'words for the name of the API' };
const ENGLISH: Term = { found: english, better: 'German' };
const german = [...terms, ENGLISH, NAME];

const faultsOf = (text: string, wrong: readonly Term[], also = /$^/g): string[] => {
  const read = text.replace(quoted, '').replace(kept, '').replace(also, '');
  return wrong.flatMap(({ found, better }) => {
    const term = found.exec(read)?.[0];
    return term === undefined ? [] : [`“${term}” (better: ${better}): ${text}`];
  });
};

test.each(germanFiles)('%s', (file) => {
  expect([...textsOf(file)].flatMap((text) => faultsOf(text, german))).toEqual([]);
});
test.each(germanFiles.filter((file) => file.startsWith('dashboard/')))('%s in English', (file) => {
  const inEnglish = [...textsOf(file.replace('/words/de', '/words/en'))];
  expect(inEnglish.flatMap((text) => faultsOf(text, [...englishTerms, NAME]))).toEqual([]);
});
test.each(refusalFiles)('%s', (file) => {
  const texts = writtenIn(textOf(file));
  expect(texts.flatMap((text) => faultsOf(text, [...terms, ENGLISH], ofTheApi))).toEqual([]);
});
test('the table of errors', () => {
  const texts = Object.values(errorTable).flatMap((row) => Object.values(row.de ?? {}));
  expect(texts.flatMap((text) => faultsOf(String(text), [...terms, ENGLISH], ofTheApi))).toEqual([]);
});

test.each([
  'Jetzt live gehen',
  'Sie sind Owner von „Praxis“',
  'Zusätzliche Kopffelder',
  'Die Schlagworte der Nachricht',
  'Die Mail wurde gesandt.',
  'Höchstens 40 Mails je Versandart',
  'Nachweis der Zustimmung',
  'Der Abonnent ist aktiv',
  'Der Server ist beiseitegelegt',
  'Abgesicherter Modus',
  'Testpost ansehen',
  'Versandweg: Broadcast',
  'Projekt: Default',
  'Outgoing',
  'refused:invalid_recipient',
  'captured: kept locally, not delivered',
  'Bitte click the link',
])('%s is found', (text) => {
  expect(faultsOf(text, german)).not.toEqual([]);
});
test.each([
  'Token für die API anlegen',
  'Der Webhook antwortet nicht: https://example.org/the/hook',
  'Signatur (DKIM)',
  'Der Ordner „Not read“ ist leer',
  '{{practice.privacy_url}}',
])('%s stays', (text) => {
  expect(faultsOf(text, german)).toEqual([]);
});
test('what a function says in another case is read too', () => {
  const source = "export const words = { a: (x: 'the') => (x === 'the' ? 'Ja' : 'Testpost') } as const;";
  expect(writtenIn(source)).toEqual(['Ja', 'Testpost']);
});

test.each(['de', 'en'])('one that waits is spoken of as one, in %s', (language) => {
  const { words } = load(join(SRC, `dashboard/pages/overview/words/${language}.ts`));
  const forms = Object.values(words.reasons as Record<string, { one: string; other: string }>);
  expect(forms).toHaveLength(8);
  for (const { one, other } of forms) {
    expect(one).toMatch(/^# (?:wird|wartet|ist|geht|is|waits)\b/);
    expect(one).not.toBe(other);
  }
});
