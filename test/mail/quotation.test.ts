import { expect, test } from 'vitest';
import { replyTextOf } from '#src/mail/quotation.ts';

test.each([
  ['nothing quoted', 'Ja, gern.\n\nErika', 'Ja, gern.\n\nErika'],
  ['a signature', 'Ja.\n\n-- \nErika Muster\nHamburg', 'Ja.'],
  ['the line of a telephone', 'Ja.\n\nVon meinem iPhone gesendet\n', 'Ja.'],
  [
    'a forwarded mail',
    'Zur Info.\n\nAnfang der weitergeleiteten Nachricht:\n\nVon: a@b.example\nText',
    'Zur Info.',
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
  ['nothing', '', ''],
])('%s', (_, text, own) => {
  expect(replyTextOf(text)).toBe(own);
});
