import { describe, expect, test } from 'vitest';
import { languageOf } from '#src/content/language.ts';

const written: readonly (readonly [language: string, subject: string, text: string])[] = [
  ['de', 'Ihr Termin', 'Guten Tag Frau Adler, wir erinnern Sie an Ihren Termin am Montag um 9 Uhr.'],
  ['en', 'Your appointment', 'Dear Ms Adler, this is a reminder of your appointment on Monday at 9.'],
  [
    'fr',
    'Votre rendez-vous',
    'Bonjour Madame Adler, nous vous rappelons votre rendez-vous de lundi à 9 heures.',
  ],
  ['fr', 'Lettre d’information', 'Le cabinet sera fermé du 3 au 7 août. Merci pour votre compréhension.'],
  ['de', 'Rechnung 2026-17', 'Anbei die Rechnung.'],
  ['en', 'Invoice 2026-17', 'Please find the invoice attached.'],
  ['de', '', ''],
  ['de', 'Test', '123'],
  ['de', 'OK', ''],
  ['en', 'Hello', 'Hi Tom, thanks! See you on Friday.'],
  ['de', 'Hallo', 'Hi Tom, danke! Bis Freitag.'],
  ['de', 'Newsletter', 'Unser Team ist umgezogen: the place to be ist jetzt die Lindenstraße.'],
  ['en', 'News from the practice', 'We have moved to Müllerstraße. Our phone number has not changed.'],
  ['de', 'Bestellung', 'Ihre Bestellung ist unterwegs'],
  ['en', 'Order', 'Your order is on its way'],
  ['de', 'Aenderung', 'Leider muessen wir Ihren Termin verschieben. Bitte waehlen Sie einen neuen.'],
  ['de', 'TERMINERINNERUNG', 'SIE HABEN MORGEN EINEN TERMIN BEI UNS.'],
  ['en', 'REMINDER', 'YOU HAVE AN APPOINTMENT WITH US TOMORROW.'],
  ['de', 'Grüße', 'Müller, 14.30'],
  ['en', 'Verification code', 'Your code is 123456. It is valid for ten minutes.'],
  ['de', 'Bestätigungscode', 'Ihr Code lautet 123456. Er gilt zehn Minuten.'],
  ['de', 'Meeting', 'Das Meeting ist auf Montag verschoben, der Call bleibt.'],
  ['en', 'Termin', 'Please note that the Termin has been moved to Monday.'],
  ['de', 'Mitgliederversammlung', 'Liebe Mitglieder, wir laden zur Versammlung ein.'],
  ['en', 'General meeting', 'Dear members, you are invited to the general meeting.'],
  ['de', 'Password reset', 'Sie haben ein neues Passwort angefordert. Bitte klicken Sie auf den Link.'],
  ['en', 'Passwort', 'You asked for a new password. Please follow the link to set it.'],
  ['de', 'Fu\u0308r Sie', 'Scho\u0308ne Gru\u0308ße aus der Praxis'],
  ['de', 'Info', `${'Wir sind für Sie da. '.repeat(100)}${'The and you your. '.repeat(500)}`],
  ['en', 'Info', `${'We are here for you. '.repeat(100)}${'Wir sind für Sie da. '.repeat(500)}`],
];

describe('the language of a text', () => {
  test.each(written)('%s: %s', (language, subject, text) => {
    expect(languageOf({ subject, text, html: null })).toBe(language);
  });
});

const page = (attributes: string, body: string): string =>
  `<!doctype html><html${attributes}><head><style>.the and you your { for: with }</style><title>the and you</title></head><body>${body}</body></html>`;
const germanBody = '<p>Guten Tag, wir erinnern Sie an Ihren Termin am Montag. Bitte kommen Sie um 9 Uhr.</p>';
const englishBody = '<p>Hello, this is a reminder of your appointment. Please come at 9 on Monday.</p>';

describe('the language of a page', () => {
  test.each([
    ['its text, in German', 'de', page('', germanBody)],
    ['its text, in English', 'en', page('', englishBody)],
    ['its own word, where there is little text', 'en', page(' lang="en"', '<p>Code: 123</p>')],
    ['its own word with a region', 'de', page(" LANG='de-AT'", '<p>Code: 123</p>')],
    ['its own word, for a language the service does not speak', 'en', page(' lang=it', '<p>Ciao</p>')],
    ['its own word, in French', 'fr', page(' lang=fr', '<p>Bonjour</p>')],
    ['a text that is clearly not what it says', 'de', page(' lang="en"', germanBody)],
    ['such a text in English', 'en', page(' lang="de"', englishBody)],
    ['umlauts as references', 'de', page('', '<p>Sch&ouml;ne Gr&uuml;&szlig;e</p>')],
    ['attributes are no text', 'de', page('', `<p title="the and you your with this is are">Termin</p>`)],
  ])('%s', (_, language, html) => {
    expect(languageOf({ subject: '', text: null, html })).toBe(language);
  });

  test('the text part decides if there are both', () => {
    expect(
      languageOf({ subject: '', text: 'Wir sind für Sie da, bitte rufen Sie an', html: englishBody }),
    ).toBe('de');
  });
});

// Quadratic work would take hours.
test('every text is read in linear time', () => {
  const pieces = [
    '<',
    '<a ',
    '<!--',
    '&',
    'a',
    ' ',
    '<p style="',
    '\u00ad',
    '\ufeff',
    'der ',
    "='",
    '\u0308',
  ];
  for (const piece of pieces) {
    const text = piece.repeat(5_000_000 / piece.length);
    languageOf({ subject: '', text, html: null });
    languageOf({ subject: '', text: null, html: text });
  }
});
