// Headings and the words below them, as people and programs write them in four languages.
import { describe, expect, test } from 'vitest';
import { readHead, requireAddresses } from '#src/audience/imports/columns.ts';
import { readHeading } from '#src/audience/imports/headings.ts';
import { leavingByName, leavingOf, type StateRule, stateOf } from '#src/audience/imports/leaving.ts';
import { leftOutBy, subscriberLayout } from '#src/audience/imports/subscriber-line.ts';

const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  opt_out: [
    'Unsubscribed',
    'unsubscribed_at',
    'UNSUB_TIME',
    'Unsubscribe date',
    'opt-out',
    'OPT_OUT',
    'optedOut',
    'HasOptedOutOfEmail',
    'Opted out of email: News',
    'Abgemeldet',
    'Abgemeldet am',
    'Abmeldedatum',
    'Newsletter-Abmeldung',
    'Deaktiviert',
    'deactivated',
    'Gesperrt',
    'Sperrvermerk',
    'Werbesperre',
    'Widerspruch',
    'Widerruf am',
    'Cleaned',
    'CLEAN_TIME',
    'Bounces',
    'hard bounced',
    'Soft-Bounce',
    'Blacklist',
    'blacklisted',
    'BLOCKLISTED',
    'Complaint',
    'Complaints',
    'Spam reports',
    'Beschwerde',
    'Suppressed',
    'isExcludedFromCampaigns',
    'Do not email',
    'Do Not Contact',
    'DNC',
    'Désabonné',
    'Date de désinscription',
    'Plainte',
    'Liste noire',
    'Bloqué',
    'Baja',
    'Fecha de baja',
    'Dado de baja',
    'Desuscrito',
    'Rebotes',
    'Queja',
    'Lista negra',
    'Bloqueado',
    'Ausgetreten',
    'Kündigung',
    'Gekündigt zum',
    'Inaktiv',
    'inactive',
    'Keine Werbung',
    'Verstorben',
    'Unzustellbar',
    'Deleted at',
  ],
  status: [
    'Status',
    'STATUS',
    'Email Status',
    'subscription_status',
    'Abo-Status',
    'Newsletterstatus',
    'Statut',
    'Global Status',
    'Estatus',
  ],
  opt_in: [
    'Opt-in',
    'DOUBLE_OPT-IN',
    'Subscribed',
    'Abonniert',
    'Einwilligung',
    'Consent',
    'Confirmed',
    'confirmed_at',
    'Bestätigt am',
    'aktiviert',
    'Active',
    'aktiv',
    'Actif',
    'Accepts Email Marketing',
    'Inscrit',
    'Suscrito',
    'Consentimiento',
  ],
  address: [
    'E-Mail',
    'email',
    'eMail-Adresse',
    'E-mail 1 - Value',
    'Primäre E-Mail-Adresse',
    'Primary Email',
    'E-Mail privat',
    'Adresse e-mail',
    'Correo electrónico',
    'Email Address',
    'Courriel',
    'Mail',
    'E-Mail (geschäftlich)',
    'email_address',
    'Recipient',
  ],
  ignore: [
    'OPTIN_TIME',
    'OPTIN_IP',
    'CONFIRM_IP',
    'Subscribed IP',
    'subscribed_at',
    'Unsubscribe link',
    'Unsubscribe URL',
    'Abmelde-Link',
    'MEMBER_RATING',
    'LEID',
    'Notizen',
    '→',
  ],
  value: [
    'Ort',
    'Lead Status',
    'Familienstatus',
    'Payment status',
    'E-mail Type',
    'E-Mail: Angezeigter Name',
    'Email client',
    'Emails sent',
    'CONFIRM_TIME',
    'Anrede',
    'Exclusive Kurse',
  ],
  first_name: ['Vorname', 'First Name', 'FNAME', 'Prénom', 'Nombre'],
  last_name: ['Nachname', 'Last Name', 'LNAME', 'Apellidos'],
  name: ['Name', 'Full name', 'Anzeigename', 'Nom'],
};
test.each(Object.entries(HEADINGS))('these headings are %s', (role, headings) => {
  expect(headings.filter((heading) => readHeading(heading).role !== role)).toEqual([]);
});

const CELLS: readonly (readonly [rule: StateRule, says: string, cells: readonly string[]])[] = [
  [
    'status',
    'subscribed',
    [
      'subscribed',
      'Active',
      ' aktiv ',
      'Bestätigt',
      'inscrit',
      'Abonné',
      'suscrita',
      'alta',
      'enabled',
      'Yes',
      'ja',
      '✓',
    ],
  ],
  [
    'status',
    'unconfirmed',
    ['pending', 'Unbestätigt', 'nicht bestätigt', 'en attente', 'pendiente', 'new', 'Non-Subscribed'],
  ],
  [
    'status',
    'left',
    [
      'unsubscribed',
      'Abgemeldet',
      'cleaned',
      'Hard Bounce',
      'désabonné',
      'baja',
      'blocklisted',
      'inactive',
      'no',
      '550',
      '5.1.1',
    ],
  ],
  ['status', 'unknown', ['', '1', '0', 'VIP', 'Ehrenmitglied', 'да', '-']],
  [
    'opt_in',
    'subscribed',
    ['yes', 'Ja', 'oui', 'sí', 'TRUE', 'WAHR', '1', 'x', '✔', '2023-01-01 10:00', '01.02.2023', '1672531200'],
  ],
  ['opt_in', 'unconfirmed', ['', '0']],
  ['opt_in', 'left', ['no', 'nein', 'FALSCH', 'non', 'false']],
  ['opt_in', 'unknown', ['vielleicht', '2', '0000-00-00', '✗']],
  [
    'opt_out',
    'subscribed',
    ['', '0', 'no', 'Nein', 'FALSE', 'faux', '-', '–', '0000-00-00 00:00:00', 'null', 'N/A', '0.0'],
  ],
  ['opt_out', 'left', ['1', 'yes', 'x', '✓', '2023-01-01', 'true', 'да', 'unknown', '3']],
];
test.each(CELLS)('a cell of a column %s says %s', (rule, state, cells) => {
  expect(cells.filter((cell) => stateOf(rule, cell) !== state)).toEqual([]);
});

test('what keeps mail from someone is told apart', () => {
  const said = ['UNSUB_TIME', 'Abgemeldet', 'hard bounced', 'cleaned', 'Spam', 'Plainte', 'inactive'].map(
    leavingOf,
  );
  expect(said).toEqual(['unsubscribe', 'unsubscribe', 'bounce', 'bounce', 'complaint', 'complaint', 'other']);
});

test('a name of a file says that all in it have left, unless it says that none has', () => {
  const names = [
    'unsubscribed_members_export_1a2b.csv',
    'Abgemeldete 2026.csv',
    'cleaned.csv',
    'ohne Abgemeldete.csv',
    'Praxis.csv',
    'non-subscribed_members.csv',
    null,
  ];
  expect(names.map(leavingByName)).toEqual([
    'unsubscribe',
    'unsubscribe',
    'bounce',
    null,
    null,
    'other',
    null,
  ]);
});

const rowsOf = (...lines: readonly string[]) =>
  lines.map((line, index) => ({
    line: index + 1,
    cells: line.split(';'),
    end: { byte: 0, line: index + 2 },
  }));

describe('columns', () => {
  const rolesOf = (...lines: readonly string[]) =>
    readHead(rowsOf(...lines), {}, false).columns.map(({ role }) => role);

  test('whose heading may mean something else count by what they say', () => {
    expect(rolesOf('Email;State', 'a@example.org;CA', 'b@example.org;NY')).toEqual(['address', 'value']);
    expect(rolesOf('Email;State', 'a@example.org;active', 'b@example.org;bounced')).toEqual([
      'address',
      'status',
    ]);
    expect(rolesOf('Email;Newsletter', 'a@example.org;ja', 'b@example.org;nein')).toEqual([
      'address',
      'opt_in',
    ]);
    expect(rolesOf('Email;Newsletter', 'a@example.org;Praxisbrief', 'b@example.org;Rundbrief')).toEqual([
      'address',
      'value',
    ]);
    expect(rolesOf('Newsletter E-Mail', 'a@example.org')).toEqual(['address']);
  });

  const stateBy = (heading: string, cell: string, others: readonly string[]) => {
    const rows = rowsOf(`Email;${heading}`, ...[cell, ...others].map((one) => `a@example.org;${one}`));
    return leftOutBy(rows[1]?.cells ?? [], subscriberLayout(readHead(rows, {}, false), null));
  };

  test.each([
    ['Newsletter', 'nein', ['wöchentlich']],
    ['Newsletter', '0', ['1']],
    ['Newsletter?', 'nein', ['ja', 'vielleicht']],
    ['Newsletter-Empfänger', 'nein', ['ja']],
    ['Newsletter erwünscht', '', ['ja']],
    ['Werbung erlaubt', 'nein', ['ja']],
    ['E-Mail-Werbung', 'nein', ['ja']],
    ['DOI', '0', ['1']],
    ['Abbestellt am', '2020-01-01', ['']],
    ['deabonniert', 'ja', ['nein']],
    ['Einwilligung zurückgezogen', 'ja', ['']],
    ['Consent withdrawal date', '2020-01-01', ['']],
    ['Date du retrait du consentement', '2020-01-01', ['']],
    ['Consentement refusé', 'oui', ['non']],
    ['Ne pas contacter', 'oui', ['non']],
    ['No enviar', 'sí', ['no']],
    ['nicht kontaktieren', 'x', ['']],
    ['Email address quarantined', 'true', ['']],
    ['Not subscribed', 'true', ['false']],
    ['Unverified', 'true', ['false']],
    ['Email Marketing Consent', 'Unsubscribed', ['Subscribed']],
  ] as const)('%s: %s is no subscriber', (heading, cell, others) => {
    expect(stateBy(heading, cell, others)).not.toBeNull();
  });

  test.each([
    ['Teléfono contacto', '030 1', ['']],
    ['Letztes Mailing am', '2024-01-01', ['']],
    ['Retraité', 'oui', ['non']],
    ['Marketing Score', '7', ['0']],
    ['constructor', 'ja', ['nein']],
  ] as const)('%s: %s says nothing of a subscription', (heading, cell, others) => {
    expect(stateBy(heading, cell, others)).toBeNull();
    expect(rolesOf(`Email;${heading}`, `a@example.org;${cell}`)).toEqual(['address', 'value']);
  });

  test("of the service's own export are values where only their cells would make them more", () => {
    const head = 'email;status;consent_id;newsletter';
    expect(rolesOf(head, 'a@example.org;active;1;ja', 'b@example.org;active;2;nein').at(-1)).toBe('value');
  });

  test('that agree tell also by their words that someone has left', () => {
    expect(stateBy('Email Marketing Consent', 'Unsubscribed', [])).toMatchObject({ leaving: 'unsubscribe' });
  });

  test('with the address of someone else are not read where that of the person is missing', () => {
    expect(rolesOf('Email;Betreuer', ';b@example.org', 'c@example.org;b@example.org')).toEqual([
      'address',
      'value',
    ]);
  });

  test('without headings are read where all that they say is a status', () => {
    expect(rolesOf('a@example.org;Erika;unsubscribed', 'b@example.org;Max;active')).toEqual([
      'address',
      'ignore',
      'status',
    ]);
    expect(rolesOf('a@example.org;Neu', 'b@example.org;On')).toEqual(['address', 'ignore']);
  });

  test('below a title are refused, because those of the title would count', () => {
    const rows = rowsOf('E-Mail-Verteiler;;', 'E-Mail;Name;Status', 'a@example.org;A;abgemeldet');
    expect(() => requireAddresses(readHead(rows, {}, false), rows)).toThrow(
      expect.objectContaining({ reason: ['above_head', 1] }),
    );
    const plain = rowsOf('E-Mail;;', 'a@example.org;A;B');
    expect(requireAddresses(readHead(plain, {}, false), plain).hasHead).toBe(true);
  });

  test('of addresses are found by their cells, and a street is none', () => {
    expect(rolesOf('Name;Adresse;Kontakt', 'A;Deich 4;a@example.org')).toEqual(['name', 'value', 'address']);
    expect(rolesOf('Email;Adresse', ';Deich 4')).toEqual(['address', 'value']);
  });

  test('are no heading where the first row is an address without an @', () => {
    const rows = rowsOf('erika.example.org', 'max@example.org');
    expect(readHead(rows, {}, false)).toMatchObject({ hasHead: false, columns: [{ role: 'address' }] });
  });

  test('have the role that the importer names, by numbers from 1', () => {
    const head = readHead(
      rowsOf('E-Mail;E-Mail 2;Status;Aus', 'a@example.org;b@example.org;VIP;nein'),
      { 2: 'address', 3: 'ignore', 4: 'opt_out' },
      false,
    );
    expect(head.columns.map(({ role }) => role)).toEqual(['ignore', 'address', 'ignore', 'opt_out']);
  });

  test('of an address book are no values', () => {
    expect(rolesOf('First Name;Nickname;Primary Email;Spouse', 'A;B;a@example.org;C')).toEqual([
      'first_name',
      'ignore',
      'address',
      'ignore',
    ]);
  });
});

test('of several columns the strictest counts', () => {
  const head = readHead(rowsOf('Email;Status;Opt-in;Bounced', 'a@example.org;active;yes;0'), {}, false);
  const layout = subscriberLayout(head, null);
  const said = (...cells: readonly string[]) => leftOutBy(['a@example.org', ...cells], layout);
  expect(said('active', 'yes', '0')).toBeNull();
  expect(said('VIP', '', '1')).toEqual({ reason: ['left', 'Bounced', '1'], leaving: 'bounce' });
  expect(said('VIP', '', '0')).toEqual({ reason: ['unconfirmed', 'Opt-in', ''], leaving: null });
  expect(said('VIP', 'ja', '0')).toEqual({ reason: ['unknown', 'Status', 'VIP'], leaving: null });
});
