// What a reception types as recipients, and the sentence at the end of a letter, in both languages.
import { describe, expect, test } from 'vitest';
import {
  readRecipients,
  withRecipients,
  writtenRecipient,
} from '../../src/dashboard/pages/letter/addresses.ts';
import { type Said, sentenceOf } from '../../src/dashboard/pages/letter/sentence.ts';
import { words as de } from '../../src/dashboard/pages/letter/words/de.ts';
import { words as en } from '../../src/dashboard/pages/letter/words/en.ts';

const ERIKA = { address: 'erika@example.org', name: '' };

test.each([
  ['an address', 'erika@example.org', [ERIKA], ''],
  [
    'several, by commas, semicolons and lines',
    'erika@example.org; max@example.org,\n uwe@example.org',
    [ERIKA, { address: 'max@example.org', name: '' }, { address: 'uwe@example.org', name: '' }],
    '',
  ],
  [
    'a name with a comma in quotes',
    '"Muster, Erika" <erika@example.org>',
    [{ ...ERIKA, name: 'Muster, Erika' }],
    '',
  ],
  ['a name without quotes', 'Erika Muster <erika@example.org>', [{ ...ERIKA, name: 'Erika Muster' }], ''],
  ['letters beyond ASCII', 'jürgen@müller.example', [{ address: 'jürgen@müller.example', name: '' }], ''],
  ['what is no address stays', 'erika@example.org, max@example, Uwe', [ERIKA], 'max@example, Uwe'],
  ['what is open stays', '"Erika, erika@', [], '"Erika, erika@'],
])('recipients are read: %s', (_, typed, recipients, rest) => {
  expect(readRecipients(typed)).toEqual({ recipients, rest });
});

test('each recipient is there once, and is written so that it is read again', () => {
  expect(withRecipients([ERIKA], [{ address: 'ERIKA@example.org', name: 'Erika' }])).toEqual([ERIKA]);
  const odd = { address: 'erika@example.org', name: 'Muster, "Eri" \\ Erika <x>' };
  expect(readRecipients(writtenRecipient(odd)).recipients).toEqual([odd]);
});

describe('the sentence', () => {
  // Noon, so that no time zone makes it another day.
  const NOW = new Date(2026, 10, 23, 12).getTime();
  const said = (fields: Partial<Said>): Said => ({
    to: ['Frau Muster'],
    copies: [],
    attachments: 0,
    isInvitation: false,
    at: null,
    ...fields,
  });
  test.each<[string, Partial<Said>, boolean, string, string]>([
    [
      'at once',
      {},
      false,
      'Die Nachricht geht an Frau Muster, jetzt gleich.',
      'The message goes to Frau Muster, now.',
    ],
    [
      'it went',
      {},
      true,
      'Die Nachricht ist unterwegs an Frau Muster.',
      'The message is on its way to Frau Muster.',
    ],
    [
      'tomorrow, with a file',
      { at: new Date(2026, 10, 24, 8).getTime(), attachments: 1 },
      false,
      'Die Nachricht geht an Frau Muster, morgen um 08:00 Uhr, mit einem Anhang.',
      'The message goes to Frau Muster, tomorrow at 08:00, with one attachment.',
    ],
    [
      'another day, planned, to many',
      {
        at: new Date(2026, 11, 1, 8, 30).getTime(),
        to: ['A', 'B', 'C', 'D'],
        copies: ['E'],
        isInvitation: true,
      },
      true,
      'Die Nachricht geht an A, B und 2 weitere Personen, am Dienstag, 1. Dezember um 08:30 Uhr, in Kopie an E, mit einem Termin.',
      'The message goes to A, B and 2 more people, on Tuesday 1 December at 08:30, with a copy to E, with an appointment.',
    ],
  ])('%s', (_, fields, isDone, german, english) => {
    const speak = (words: typeof de.sentence, locale: string) =>
      sentenceOf(said(fields), { words, locale, now: NOW }, isDone);
    expect([speak(de.sentence, 'de'), speak(en.sentence, 'en-GB')]).toEqual([german, english]);
  });
});
