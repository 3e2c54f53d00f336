// What the scene's practices write, and the people they write to: invented, in real sentences.

/** Name and address; the names have what names have: umlauts, hyphens, apostrophes, titles, and one is long. */
export const patients: readonly (readonly [name: string, address: string])[] = [
  ['Erika Müller', 'erika.mueller@example.org'],
  ['Jürgen Groß', 'juergen.gross@example.net'],
  ['Ayşe Yılmaz', 'ayse.yilmaz@example.org'],
  ['Dr. Käthe Böhm-Özdemir', 'kaethe.boehm@example.com'],
  ['Søren Kjærgaard', 'soren@example.net'],
  ['Liam O’Connor', 'liam.oconnor@example.org'],
  ['Maximilian Freiherr von und zu Hohenfels-Wittgenstein', 'm.hohenfels@example.com'],
  ['Ingeborg Schäfer', 'inge.schaefer@example.net'],
  ['Nguyễn Thị Hoa', 'hoa.nguyen@example.org'],
  ['Zoë Weiß', 'zoe.weiss@example.com'],
  ['Paweł Wójcik', 'pawel.wojcik@example.net'],
  ['Hannelore Krause', 'h.krause@example.org'],
  ['Mehmet Demir', 'mehmet.demir@example.com'],
  ['Charlotte Lefèvre', 'charlotte.lefevre@example.net'],
  ['Uwe Pfänder', 'uwe.pfaender@example.org'],
  ['Ludmila Nováková', 'ludmila@example.com'],
];

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly message_kind?: string;
  readonly tags?: readonly string[];
  readonly attachments?: readonly { readonly filename: string; readonly content: string }[];
}

const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n% ${text}\n%%EOF\n`).toString('base64');

export const letters: readonly Letter[] = [
  {
    subject: 'Ihr Termin am Donnerstag um 9:30 Uhr',
    text: 'Guten Tag {name},\n\nwir erwarten Sie am Donnerstag um 9:30 Uhr. Bitte bringen Sie Ihre Versichertenkarte mit.\n\nIhre Praxis Dr. Sommer',
    message_kind: 'termin',
    tags: ['Termin'],
  },
  {
    subject: 'Ihre Befunde liegen bereit',
    text: 'Guten Tag {name},\n\nIhre Befunde sind da. Bitte rufen Sie uns an, damit wir sie mit Ihnen besprechen.\n\nIhre Praxis Dr. Sommer',
    tags: ['Befund'],
  },
  {
    subject: 'Rechnung Nr. 2026-1147',
    text: 'Guten Tag {name},\n\nim Anhang finden Sie unsere Rechnung über 84,20 €. Bitte überweisen Sie sie bis zum 5. Dezember.',
    tags: ['Rechnung', 'Quartal 4'],
    attachments: [
      { filename: 'Rechnung 2026-1147 für Müller.pdf', content: pdf('Rechnung') },
      { filename: 'Widerrufsbelehrung.pdf', content: pdf('Belehrung') },
    ],
  },
  {
    subject: 'Your prescription is ready for collection',
    text: 'Dear {name},\n\nyour prescription can be collected at the front desk until Friday, 6 pm.\n\nSommer Medical Practice',
    tags: ['Rezept'],
  },
  {
    subject:
      'Wichtige Hinweise zu Ihrer Vorsorgeuntersuchung: was Sie am Vorabend essen dürfen, welche Medikamente Sie weiter einnehmen und wann Sie bei uns sein sollten',
    text: 'Guten Tag {name},\n\nbitte kommen Sie nüchtern. Wasser ist erlaubt.',
    message_kind: 'termin',
    tags: ['Vorsorge'],
  },
];

/** What a server says of an address, beside 250. */
export const replies: Readonly<Record<string, string>> = {
  'unbekannt@example.net': '550 5.1.1 <unbekannt@example.net>: Recipient address rejected: User unknown',
  'voll@example.org': '552 5.2.2 Mailbox full',
  'spaeter@example.com': '451 4.7.1 Greylisted, please try again in 300 seconds',
};

export const newsletter = {
  name: 'Grippeimpfung im Herbst',
  subject: 'Grippeimpfung: ab Montag ohne Termin',
  html: `<h1 style="color:#0b5">Grippeimpfung</h1><p>Guten Tag {{name}},</p><p>ab Montag impfen wir zwischen 8 und 12 Uhr ohne Termin.
<a href="https://praxis-sommer.example/impfung">Alles Wichtige zur Impfung</a>.</p>`,
  text: 'Guten Tag {{name}},\n\nab Montag impfen wir zwischen 8 und 12 Uhr ohne Termin.\n\nhttps://praxis-sommer.example/impfung',
};

/** Mail that comes in: the first two belong together. */
export const incoming: readonly { readonly from: string; readonly subject: string; readonly text: string }[] =
  [
    {
      from: 'Erika =?utf-8?q?M=C3=BCller?= <erika.mueller@example.org>',
      subject: 'Re: Ihr Termin am Donnerstag um 9:30 Uhr',
      text: 'Guten Tag, leider kann ich am Donnerstag nicht. Geht auch Freitag? Viele Grüße, Erika Müller',
    },
    {
      from: '=?utf-8?q?J=C3=BCrgen_Gro=C3=9F?= <juergen.gross@example.net>',
      subject: 'Rezept',
      text: 'Bitte bereiten Sie mein Rezept wie beim letzten Mal vor. Danke!',
    },
    {
      from: 'Labor am Ring <befund@labor.example>',
      subject: 'Laborbefund 4711',
      text: 'Der Befund liegt bei.',
    },
  ];
