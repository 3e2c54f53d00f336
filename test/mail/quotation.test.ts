import { expect, test } from 'vitest';
import { replyTextOf } from '#src/mail/quotation.ts';

test.each([
  ['nothing quoted', 'Ja, gern.\n\nErika', 'Ja, gern.\n\nErika'],
  ['a signature', 'Ja.\n\n-- \nErika Muster\nHamburg', 'Ja.'],
  ['the line of a telephone', 'Ja.\n\nVon meinem iPhone gesendet\n', 'Ja.'],
  [
    'a forwarded mail, which is what its sender wants to be read',
    'Zur Info.\n\nAnfang der weitergeleiteten Nachricht:\n\nVon: a@b.example\nText',
    'Zur Info.\n\nAnfang der weitergeleiteten Nachricht:\n\nVon: a@b.example\nText',
  ],
  [
    'answers between the lines',
    'Am 20.11.26 um 10:15 schrieb Praxis:\n> Kommen Sie?\nJa.\n> Allein?\nNein.',
    'Ja.\nNein.',
  ],
  [
    'an introduction over three lines',
    'Ja.\n\nOn Fri, Nov 20, 2026 at 10:15 AM\nPraxis am See <praxis@praxis.example>\nwrote:\n\n> Text',
    'Ja.',
  ],
  [
    'an introduction without marks',
    'Ja.\n\nAm 20.11.2026 um 10:15 schrieb Praxis <a@b.example>:\n\nText',
    'Ja.',
  ],
  ['Outlook in English', 'Yes.\n\nFrom: Practice\nSent: Friday\nTo: Anna\nSubject: x\n\nText', 'Yes.'],
  ['only a quotation', '> Text\n> mehr', ''],
  [
    'a word that only looks like a field',
    'Von: Montag bis Freitag.\nUnd sonst?',
    'Von: Montag bis Freitag.\nUnd sonst?',
  ],
  [
    'a sentence that only looks like an introduction',
    'Am Montag schrieb ich Ihnen:\nes geht nicht.\n> Text',
    'Am Montag schrieb ich Ihnen:\nes geht nicht.',
  ],
  [
    'an introduction behind the words of the person',
    'Ja gern Am 20.11.2026 um 10:15 schrieb Praxis <a@b.example>:\n> Text',
    'Ja gern',
  ],
  [
    'a line above an introduction that names an address too',
    'Ich bin a@b.example seit 2026\nAm 20.11.2026 um 10:15 schrieb Praxis <a@b.example>:\n\nText',
    'Ich bin a@b.example seit 2026',
  ],
  [
    'a sentence with a date that ends in a verb',
    'Am 12.11.2026 um 9:30 habe ich Frau Berg gesehen. Sie schrieb:\nbitte kommen.',
    'Am 12.11.2026 um 9:30 habe ich Frau Berg gesehen. Sie schrieb:\nbitte kommen.',
  ],
  ['a sender without more fields', 'Ja.\n\nFrom: a@b.example\n\nText', 'Ja.'],
  [
    'the form of a website',
    'Neue Anfrage:\n\nVon: Erika <a@b.example>\nNachricht: Bitte um Termin.',
    'Neue Anfrage:\n\nVon: Erika <a@b.example>\nNachricht: Bitte um Termin.',
  ],
  ['two fields of an old Hotmail', 'Ja.\n\nDate: Fri, 20 Nov 2026 10:15:00 +0100\nTo: a@b.example', 'Ja.'],
  [
    'a link that was wrapped between marked lines',
    'Ja.\n\n> Siehe\n https://praxis.example/a\n> oder (https://praxis.example/b\nc?d=1)\n> Ende',
    'Ja.',
  ],
  ['no colon, but marks below', 'Ja.\n2026/11/20 Praxis <a@b.example>\n\n> Text', 'Ja.'],
  [
    'what a telephone writes below, and the signature of an office below that',
    'Ja.\n\nGesendet von Outlook für Android<https://aka.ms/x>\n\nMuster GmbH',
    'Ja.',
  ],
  ['nothing', '', ''],
])('%s', (_, text, own) => {
  expect(replyTextOf(text)).toBe(own);
});

/** The most that is read is less than these; each would take minutes if a pattern read it again from each of its places. */
const hostile: Readonly<Record<string, string>> = {
  'one line': 'a'.repeat(1_000_000),
  'blanks in one line': `${' '.repeat(1_000_000)}x`,
  dashes: '-'.repeat(1_000_000),
  'prepositions in one line': `${'On '.repeat(330_000)}:`,
  'fields in one line': 'Von : '.repeat(200_000),
  'lines of one letter': 'a\n'.repeat(100_000),
  'marked lines': '>\n'.repeat(100_000),
  'introductions without an end': 'Am 20.11.2026 um 10:15 a@b.example schrieb\n'.repeat(100_000),
  'senders without more fields': 'Von: a@b.example\n'.repeat(100_000),
  'lines of addresses': `${'x@'.repeat(140)}:\n`.repeat(10_000),
  'brackets between marked lines': `> ${'('.repeat(290)}\nx)\n`.repeat(10_000),
  'quotations that end': '-----Original Message-----\n---- ende ----\n'.repeat(20_000),
  'lines of programs': `\nsent from ${'x'.repeat(140)}\n`.repeat(10_000),
};

test.each(Object.keys(hostile))('hostile text: %s', (name) => {
  expect(replyTextOf(hostile[name] ?? '').length).toBeLessThanOrEqual(100_000);
});

// Quadratic work would take minutes, and the test would time out.
test('a link of brackets between quoted lines is read in linear time', () => {
  const text = `> a\nhttps://${')'.repeat(95_000)}x y\n> b`;
  for (let times = 0; times < 50; times += 1) expect(replyTextOf(text)).toContain(')x y');
});

test('a link that a program wrapped within a quotation is no answer', () => {
  expect(replyTextOf('> see <\nhttps://example.org/a> )\n> b\n\nThank you')).toBe('Thank you');
});
