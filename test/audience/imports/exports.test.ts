// What other newsletter services, address books and spreadsheets export, and what becomes of each line. The files were written
// here, after the forms of the real ones.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFile } from '#src/audience/imports/forms/open-file.ts';
import { previewImport } from '#src/audience/imports/preview.ts';
import { UnreadableFile } from '#src/audience/imports/unreadable.ts';
import { workbookOf } from '#test/support/workbook.ts';
import { zipOf } from '#test/support/zip.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/imports');

type Encoding = 'utf-8' | 'utf-8 with a mark' | 'windows-1252' | 'utf-16le';
type Line = readonly [
  line: number,
  address: string | null,
  name: string | null,
  state: string,
  reason?: string,
];

const encoded = (text: string, encoding: Encoding): Buffer => {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8 with a mark':
      return Buffer.from(`\ufeff${text}`);
    case 'windows-1252':
      return Buffer.from(text, 'latin1');
    case 'utf-16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
  }
};
const preview = async (bytes: Uint8Array, fileName: string | null = null) =>
  previewImport(
    await openFile(bytes),
    { columns: {}, fileName, status: 'active', sendable: { takes: () => true, learn: async () => {} } },
    'en',
  );

const EXPORTS: readonly (readonly [
  says: string,
  file: string,
  encoding: Encoding,
  lines: readonly Line[],
])[] = [
  [
    'Mailchimp, subscribed',
    'mailchimp-subscribed.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'jonas@example.org', 'Jonas Weber', 'active'],
    ],
  ],
  [
    'Mailchimp, unsubscribed',
    'mailchimp-unsubscribed.csv',
    'utf-8',
    [
      [2, 'weg@example.org', 'Wilma Weg', 'left_out', '“UNSUB_TIME” is “2023-02-02 18:44:10”'],
      [3, 'spam@example.org', null, 'left_out', '“UNSUB_TIME” is “2023-02-03 07:12:31”'],
    ],
  ],
  [
    'Mailchimp, cleaned',
    'mailchimp-cleaned.csv',
    'utf-8',
    [[2, 'tot@example.org', 'Toni Alt', 'left_out', '“CLEAN_TIME” is “2023-02-02 18:50:00”']],
  ],
  [
    'Brevo',
    'brevo.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [
        3,
        'weg@example.org',
        'Wilma Weg',
        'left_out',
        '“EMAIL_MARKETING_SUBSCRIPTION_STATUS” is “Unsubscribed”',
      ],
      [4, 'offen@example.org', 'Otto Offen', 'left_out', '“DOUBLE_OPT-IN” is “No”'],
    ],
  ],
  [
    'Sendinblue, as Brevo was called',
    'sendinblue.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'weg@example.org', 'Wilma Weg', 'left_out', '“BLACKLISTED” is “1”'],
    ],
  ],
  [
    'CleverReach',
    'cleverreach.csv',
    'windows-1252',
    [
      [2, 'erika@example.org', 'Erika Müller', 'active'],
      [3, 'weg@example.org', 'Wilma Weg', 'left_out', '“deaktiviert” is “2023-01-09 17:30:00”'],
      [
        4,
        'offen@example.org',
        'Otto Offen',
        'left_out',
        'has not confirmed or agreed by the file: “aktiviert” is “0”',
      ],
      [5, 'tot@example.org', 'Toni Alt', 'left_out', '“bounced” is “2023-03-01 00:00:00”'],
    ],
  ],
  [
    'rapidmail',
    'rapidmail.csv',
    'utf-8 with a mark',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [
        3,
        'neu@example.org',
        'Nils Neu',
        'left_out',
        'has not confirmed or agreed by the file: “status” is “new”',
      ],
      [4, 'weg@example.org', 'Wilma Weg', 'left_out', '“status” is “deleted”'],
      [5, 'tot@example.org', 'Toni Alt', 'left_out', '“status” is “bounced”'],
      [6, 'boese@example.org', 'Bodo Böse', 'left_out', '“status” is “abused”'],
    ],
  ],
  [
    'MailPoet, with a line for each list',
    'mailpoet.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'beide@example.org', 'Berta Beide', 'left_out', 'is no subscriber by line 6 of the file'],
      [4, 'inaktiv@example.org', 'Ina Aktiv', 'left_out', '“Global Status” is “inactive”'],
      [5, 'offen@example.org', 'Otto Offen', 'left_out', '“List Status” is “unconfirmed”'],
      [6, 'beide@example.org', 'Berta Beide', 'left_out', '“List Status” is “unsubscribed”'],
    ],
  ],
  [
    'Mailjet',
    'mailjet.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'weg@example.org', 'Wilma Weg', 'left_out', '“unsubscribed” is “true”'],
      [4, 'aus@example.org', 'Ute Aus', 'left_out', '“isexcludedfromcampaigns” is “true”'],
      [5, 'boese@example.org', 'Bodo Böse', 'left_out', '“isspamcomplaining” is “true”'],
    ],
  ],
  [
    'HubSpot',
    'hubspot.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'weg@example.org', 'Wilma Weg', 'left_out', '“Unsubscribed from all email” is “true”'],
      [4, 'tot@example.org', 'Toni Alt', 'left_out', '“Email hard bounce reason” is “UNKNOWN_USER”'],
      [
        5,
        'nicht@example.org',
        'Nora Nicht',
        'left_out',
        '“Marketing contact status” is “Non-marketing contact”',
      ],
      [6, 'news@example.org', 'Nina News', 'left_out', '“Opted out of email: Newsletter” is “true”'],
    ],
  ],
  [
    'ActiveCampaign',
    'activecampaign.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'offen@example.org', 'Otto Offen', 'left_out', '“Status” is “Unconfirmed”'],
      [4, 'weg@example.org', 'Wilma Weg', 'left_out', '“Status” is “Unsubscribed”'],
      [5, 'tot@example.org', 'Toni Alt', 'left_out', '“Status” is “Bounced”'],
      // In another tool 1 means: unsubscribed by a link.
      [6, 'zahl@example.org', 'Zoe Zahl', 'left_out', 'is left out because “Status” is “1”'],
    ],
  ],
  [
    'Kit, once ConvertKit',
    'kit.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika', 'active'],
      [3, 'weg@example.org', 'Wilma', 'left_out', '“state” is “cancelled”'],
      [4, 'tot@example.org', 'Toni', 'left_out', '“state” is “bounced”'],
      [5, 'boese@example.org', 'Bodo', 'left_out', '“state” is “complained”'],
      [6, 'inaktiv@example.org', 'Ina', 'left_out', '“state” is “inactive”'],
    ],
  ],
  [
    'listmonk',
    'listmonk.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'aus@example.org', 'Ute Aus', 'left_out', '“status” is “disabled”'],
      [4, 'weg@example.org', 'Wilma Weg', 'left_out', '“status” is “blocklisted”'],
    ],
  ],
  [
    'Google Contacts, as it was',
    'google-old.csv',
    'utf-16le',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [4, 'a@example.org', 'Zwei Adressen', 'active'],
      [5, 'arbeit@example.org', 'Nur Arbeit', 'active'],
      [6, null, null, 'failed', 'has no address'],
    ],
  ],
  [
    'Google Contacts',
    'google.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'max@example.org', 'Max', 'active'],
    ],
  ],
  [
    'Outlook in English',
    'outlook-en.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'max@example.org', 'Max Beispiel', 'active'],
    ],
  ],
  [
    'Outlook in German',
    'outlook-de.csv',
    'windows-1252',
    [
      [2, 'erika@example.org', 'Erika Müller', 'active'],
      [3, 'joerg@example.org', 'Jörg Groß', 'active'],
    ],
  ],
  [
    'Thunderbird in English',
    'thunderbird-en.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'max@example.org', null, 'active'],
    ],
  ],
  [
    'Thunderbird in German',
    'thunderbird-de.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Müller', 'active'],
      [3, 'joerg@example.org', 'Jörg Groß', 'active'],
    ],
  ],
  [
    'Apple Contacts, vCard 3.0',
    'apple.vcf',
    'utf-8',
    [
      [1, 'juergen@example.org', 'Dr. Jürgen Groß', 'active'],
      [13, null, null, 'failed', 'has no address'],
    ],
  ],
  ['vCard 4.0', 'vcard4.vcf', 'utf-8', [[1, 'erika@example.org', 'Erika Muster, geb. Beispiel', 'active']]],
  ['vCard 2.1', 'vcard21.vcf', 'utf-8', [[1, 'juergen@example.org', 'Jürgen Groß', 'active']]],
  [
    'Excel in German, with sep=',
    'excel-de.csv',
    'windows-1252',
    [
      [3, 'erika@example.org', 'Müller, Erika', 'active'],
      [4, 'weg@example.org', 'Weg, Wilma', 'left_out', '“Newsletter abgemeldet am” is “03.05.2024”'],
      [5, 'joerg@example.org', 'Groß, Jörg', 'left_out', '“Einwilligung” is “nein”'],
      [6, 'leer@example.org', 'Leer, Lena', 'left_out', '“Einwilligung” is empty'],
    ],
  ],
  [
    'Excel, Unicode text',
    'unicode-text.txt',
    'utf-16le',
    [
      [2, 'erika@example.org', 'Erika Müller', 'active'],
      [3, 'weg@example.org', 'Wilma Weg', 'left_out', '“Opt-out” is “x”'],
    ],
  ],
  [
    'LibreOffice Calc',
    'libreoffice.csv',
    'utf-8',
    [
      [2, 'erika@example.org', 'Erika Muster', 'active'],
      [3, 'weg@example.org', 'Wilma Weg', 'left_out', '“Status” is “ausgetreten”'],
      [4, 'frage@example.org', 'Fritz Frage', 'left_out', 'is left out because “Status” is “VIP”'],
      [5, 'leer@example.org', 'Lena Leer', 'left_out', 'is left out because “Status” is empty'],
    ],
  ],
  [
    'a table in French',
    'french.csv',
    'windows-1252',
    [
      [2, 'eloise@example.org', 'Éloïse Dupré', 'active'],
      [3, 'luc@example.org', 'Luc Parti', 'left_out', '“Désabonné le” is “12/03/2024”'],
      [4, 'remi@example.org', 'Rémi Fâché', 'left_out', '“Plainte” is “oui”'],
    ],
  ],
  [
    'a table in Spanish',
    'spanish.csv',
    'utf-8',
    [
      [2, 'inigo@example.org', 'Íñigo Peña', 'active'],
      [3, 'ana@example.org', 'Ana Fuera', 'left_out', '“Estado” is “dado de baja”'],
      [
        4,
        'eva@example.org',
        'Eva Espera',
        'left_out',
        'has not confirmed or agreed by the file: “Estado” is “pendiente”',
      ],
    ],
  ],
  [
    'a line of addresses as pasted',
    'pasted.txt',
    'utf-8',
    [
      [1, 'juergen@example.org', 'Groß, Jürgen', 'active'],
      [2, 'anna@example.org', 'Weiß, Anna', 'active'],
      [3, 'max@example.org', null, 'active'],
      [4, 'kein.klammeraffe', null, 'failed', '"kein.klammeraffe" has no @'],
      [5, 'solo@example.org', null, 'active'],
      [6, 'otto@example.org', 'Otto Öhl', 'active'],
      [7, 'eins@example.org', null, 'active'],
      [8, 'zwei@example.org', null, 'active'],
      [9, 'praxis@example.org', 'Praxis "am Deich"; Kiel', 'active'],
    ],
  ],
];

const shown = ({ first }: Awaited<ReturnType<typeof preview>>) =>
  first.map(({ line, address, name, state, reason }) => [line, address, name, state, reason] as const);

describe('a file of', () => {
  const rows = EXPORTS.flatMap((row) => (['\n', '\r\n'] as const).map((end) => [...row, end] as const));
  test.each(rows)('%s is understood line by line', async (_, file, encoding, lines, end) => {
    const text = readFileSync(join(FOLDER, file), 'utf8').replaceAll('\n', end);
    const found = await preview(encoded(text, encoding));
    expect(found.failure).toBeNull();
    expect(
      shown(found).map(([line, address, name, state]) => [
        line,
        address?.split(' ::: ')[0] ?? null,
        name,
        state,
      ]),
    ).toEqual(lines.map(([line, address, name, state]) => [line, address, name, state]));
    for (const [index, [, , , , reason]] of lines.entries())
      expect(found.first[index]?.reason ?? '').toContain(reason ?? '');
    expect(found.counts.active).toBe(lines.filter(([, , , state]) => state === 'active').length);
  });

  test('Excel is understood line by line, with its dates, from the first sheet that is shown', async () => {
    const file = workbookOf({
      1: ['E-Mail', 'Vorname', 'Nachname', 'Abgemeldet am', 'Geburtstag', 'Aktiv'],
      2: ['erika@example.org', 'Erika', 'Müller & <Söhne>', null, new Date('1970-05-04'), true],
      5: ['weg@example.org', 'Wilma', 'Weg', new Date('2024-03-01T08:30:00Z'), null, true],
      6: ['inaktiv@example.org', 'Ina', 'Aktiv\nzwei', null, 7, false],
    });
    const found = await preview(file);
    expect(found).toMatchObject({ form: 'workbook', encoding: null, delimiter: null, failure: null });
    expect(shown(found)).toEqual([
      [2, 'erika@example.org', 'Erika Müller & <Söhne>', 'active', null],
      [
        5,
        'weg@example.org',
        'Wilma Weg',
        'left_out',
        'has left or cannot be reached by the file: “Abgemeldet am” is “2024-03-01 08:30”',
      ],
      [
        6,
        'inaktiv@example.org',
        'Ina Aktiv zwei',
        'left_out',
        'has left or cannot be reached by the file: “Aktiv” is “false”',
      ],
    ]);
    expect(found.columns[4]).toMatchObject({
      role: 'value',
      value: 'geburtstag',
      examples: ['1970-05-04', '7'],
    });
  });

  const REFUSED: readonly (readonly [says: string, file: () => Buffer, todo: RegExp])[] = [
    ['an old Excel', () => Buffer.from('d0cf11e0a1b11ae100', 'hex'), /Save it as \.xlsx/],
    [
      'LibreOffice',
      () => zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<x/>' }),
      /file of LibreOffice. Save or export it as \.xlsx/,
    ],
    ['Apple Numbers', () => zipOf({ 'Index/Document.iwa': 'x' }), /file of Apple Numbers/],
    [
      'an archive of several exports',
      () => zipOf({ 'subscribed.csv': 'Email\n', 'cleaned.csv': 'Email\n' }),
      /Unpack it and import each file/,
    ],
    ['Thunderbird, LDIF', () => readFileSync(join(FOLDER, 'thunderbird.ldif')), /Choose CSV/],
    ['PDF', () => Buffer.from('%PDF-1.7\n'), /no table/],
    [
      'a web page that calls itself Excel',
      () => Buffer.from('<html><table><tr><td>a@example.org'),
      /Export the addresses as CSV/,
    ],
    ['a broken workbook', () => workbookOf({ 1: ['a@example.org'] }).subarray(0, 900), /damaged/],
    ['a workbook without its sheet', () => zipOf({ 'xl/workbook.xml': '<workbook/>' }), /damaged/],
  ];
  test.each(REFUSED)('%s is refused with what to do', async (_, file, todo) => {
    await expect(preview(file())).rejects.toThrow(todo);
    await expect(preview(file())).rejects.toBeInstanceOf(UnreadableFile);
  });
});
