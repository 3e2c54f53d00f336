// The check of a practice's mail: what it finds in real mails of both languages, where, and what it leaves alone.
import { describe, expect, test } from 'vitest';
import { createContentCheck } from '#src/content/check-content.ts';
import { draftWith } from '#src/intake/draft.ts';
import type { Facts } from '#src/intake/gate.ts';
import { runGates } from '#src/intake/gates.ts';
import { mailRules, type Place, type Severity } from '#src/intake/practice-mail/check-rules.ts';
import { type Issue, issuesOf } from '#src/intake/practice-mail/issues.ts';
import { presets as german } from '#src/intake/templates/presets/de.ts';
import { presets as english } from '#src/intake/templates/presets/en.ts';
import { wordsIn } from '#src/intake/words.ts';
import { type MemberLanguage, memberLanguages } from '#src/kernel/language.ts';
import type { Kind } from '#src/messages/kinds.ts';
import { kinds } from '#src/messages/kinds.ts';
import { makeDocument } from '#test/support/documents.ts';
import { factsFor } from '#test/support/facts.ts';

interface Mail {
  readonly kind?: Kind;
  readonly subject?: string;
  readonly text?: string | null;
  readonly html?: string | null;
  readonly settings?: { readonly track_opens?: boolean; readonly track_clicks?: boolean };
  readonly facts?: Partial<Facts>;
}

const { rate } = createContentCheck();
const ROUTES = {
  transactional: { id: 'r1', slug: 'outgoing', type: 'transactional' },
  marketing: { id: 'r2', slug: 'broadcast', type: 'marketing' },
} as const;

const check = (mail: Mail, language: MemberLanguage = 'de'): Issue[] => {
  const { kind = 'termin', subject = 'Ihr Termin am Montag', html = null, settings = {}, facts = {} } = mail;
  const { text = html === null ? 'Guten Tag,\n\nbis Montag um 9:30 Uhr.\n\nIhre Praxis' : null } = mail;
  const draft = draftWith({ to: [], kind, subject, text, html, settings });
  const content = rate(draft);
  const route = ROUTES[kinds[kind].stream];
  const result = runGates(['sender', 'content'], factsFor(draft, { content, route, ...facts }), draft, true);
  return issuesOf({ kind, subject, text, html, result }, content, language);
};

const page = (body: string): string => `<!doctype html><html><body>${body}</body></html>`;

type Found = readonly [id: string, severity: Severity, places: readonly Place[], mails: readonly Mail[]];

const subjects = (kind: Kind, ...lines: string[]): Mail[] => lines.map((subject) => ({ kind, subject }));
const texts = (kind: Kind, ...lines: string[]): Mail[] =>
  lines.map((line) => ({ kind, text: `Guten Tag,\n\n${line}\n\nIhre Praxis` }));

const found: readonly Found[] = [
  [
    'subject_health_detail',
    'error',
    ['subject'],
    [
      ...subjects(
        'termin',
        'Ihre Diagnose liegt vor',
        'Ihr Befund ist da',
        'Termin zur Wurzelbehandlung am 3. Mai',
        'Chemotherapie am Montag',
        'Ihr OP-Termin',
        'Krebsvorsorge am Dienstag',
        'Verdacht auf F32.1',
        'Ihr Termin beim MRT',
        'Your diagnosis',
        'Your test results are in',
        'Colonoscopy on 3 May',
        'Your surgery on Monday',
        'Breast cancer screening',
        'Your next treatment',
      ),
      ...subjects('recall', 'Zeit für Ihre Darmspiegelung', 'Time for your mammogram'),
      ...subjects('transactional', 'Ihre Laborwerte', 'Your prescription is ready'),
      ...subjects('newsletter', 'Leben mit Diabetes', 'Living with epilepsy'),
    ],
  ],
  [
    'impressum_incomplete',
    'error',
    ['practice'],
    [
      { kind: 'newsletter', facts: { legal: { street: null, city: null, privacy_url: null } } },
      {
        kind: 'newsletter',
        subject: 'Updates from our practice',
        text: 'Hello,\n\nwe are open on Thursdays from January on.',
        facts: { legal: { street: 'Am Markt 1', city: '20095 Hamburg', privacy_url: null } },
      },
      { kind: 'custom', facts: { legal: { street: '', city: 'Hamburg', privacy_url: 'https://a.example' } } },
    ],
  ],
  [
    'tracking_on_kind',
    'warn',
    ['settings'],
    [
      { kind: 'termin', settings: { track_opens: true } },
      { kind: 'recall', settings: { track_clicks: true } },
      { kind: 'doi', settings: { track_opens: true, track_clicks: true } },
    ],
  ],
  [
    'no_text_part',
    'info',
    ['html'],
    [
      { html: page('<p>Guten Tag,</p><p>bis Montag um 9:30 Uhr.</p>') },
      { html: page('<p>Dear Ms Adler,</p><p>see you on Monday.</p>') },
    ],
  ],
  [
    'promo_discount',
    'error',
    ['text'],
    [
      ...texts(
        'termin',
        'Sparen Sie bis zu 20 % auf die nächste Zahnreinigung.',
        'Get 20 % off your next visit.',
      ),
      ...texts('recall', '15 % Rabatt auf alle Behandlungen.', 'Save up to 15 % on all services.'),
      ...texts('doi', '10 % Rabatt auf Ihre nächste Bestellung.', '10 % off your next order.'),
    ],
  ],
  [
    'promo_offer',
    'error',
    ['text'],
    [
      ...texts('termin', 'Beachten Sie auch unsere aktuellen Angebote.', 'Have a look at our special offer.'),
      ...texts('recall', 'Nur diesen Monat: unser Aktionspreis.', 'Our best offers are waiting for you.'),
      ...texts('doi', 'Danach bekommen Sie exklusive Angebote.', 'Then you get exclusive deals.'),
    ],
  ],
  [
    'promo_voucher',
    'error',
    ['text'],
    [
      ...texts('doi', 'Als Dank gibt es einen Gutscheincode.', 'You will get a discount code.'),
      ...texts('termin', 'Lösen Sie jetzt Ihren persönlichen Gutschein ein.', 'Bring your voucher.'),
    ],
  ],
  [
    'subject_advertising_words',
    'error',
    ['subject'],
    subjects('recall', 'Gratis Zahncheck', 'Ihr Rabatt wartet', 'Your special offer', 'A free gift for you'),
  ],
  [
    'subject_personal_data',
    'warn',
    ['subject'],
    subjects(
      'termin',
      'Anna Adler, geb. 01.02.1980',
      'Ihr Termin, Geburtsdatum: 1. Februar 1980',
      'Versichert unter A123456789',
      'Patientennummer 104711',
      'Your appointment, born 01/02/1980',
      'Appointment for patient no. 104711',
      'Date of birth: 1 February 1980',
      'Ihr Termin, anna.adler@example.org',
    ),
  ],
  [
    'subject_names_person',
    'warn',
    ['subject'],
    subjects(
      'termin',
      'Frau Müller, Ihr Termin am Montag',
      'Terminerinnerung für Herrn Kaya',
      'Guten Tag Frau Müller-Lüdenscheidt',
      'Mrs Hughes, your appointment',
      'Reminder for Mr. O’Neill',
    ),
  ],
  [
    'subject_shouting',
    'warn',
    ['subject'],
    subjects('termin', 'IHR TERMIN AM MONTAG', 'WICHTIGE NACHRICHT FÜR SIE', 'YOUR APPOINTMENT ON MONDAY'),
  ],
  [
    'subject_punctuation',
    'warn',
    ['subject'],
    subjects('termin', 'Ihr Termin!!', 'Haben Sie uns vergessen???', 'Your appointment!!!', 'Now! Or never!'),
  ],
  [
    'exclamations',
    'warn',
    ['text'],
    texts(
      'termin',
      'Bis Montag! Wir freuen uns! Sehr! Kommen Sie! Bald!',
      'See you! Soon! Really! Come! Now!',
    ),
  ],
  [
    'shouted_text',
    'warn',
    ['text'],
    texts(
      'termin',
      'BITTE BRINGEN SIE ZU IHREM TERMIN UNBEDINGT IHRE VERSICHERTENKARTE UND EINE LISTE IHRER ARZNEIEN MIT, SONST MÜSSEN WIR DEN TERMIN LEIDER VERSCHIEBEN.',
      'PLEASE BRING YOUR INSURANCE CARD AND A LIST OF WHAT YOU TAKE TO THE APPOINTMENT, OTHERWISE WE WILL HAVE TO MOVE IT TO ANOTHER DAY, WHICH WE REGRET.',
    ),
  ],
  [
    'link_host_differs',
    'error',
    ['html'],
    [
      { html: page('<p>Guten Tag,</p><a href="https://tracker.example.net/x">www.praxis-adler.de</a>') },
      { html: page('<p>Hello,</p><a href="https://evil.example.net">https://clinic.co.uk/book</a>') },
      {
        text: 'Guten Tag,\n\nzum Termin: https://praxis-adler.de',
        html: page('<p>Guten Tag,</p><a href="http://203.0.113.7/">praxis-adler.de</a>'),
      },
    ],
  ],
  [
    'subject_long',
    'info',
    ['subject'],
    subjects(
      'termin',
      'Sehr geehrte Damen und Herren, wir möchten Sie daran erinnern, dass Ihr Termin bevorsteht',
      'Please remember that your appointment at our practice in the High Street is on Monday at 9:30',
    ),
  ],
  [
    'no_greeting',
    'info',
    ['text'],
    [
      { text: 'Ihr Termin ist am Montag um 9:30 Uhr.' },
      { text: 'Liebevoll eingerichtet: unsere neuen Räume.' },
      { text: 'Your appointment is on Monday at 9:30.' },
      { text: 'High time: your check-up is due.' },
    ],
  ],
  ['no_greeting', 'info', ['html'], [{ html: page('<h1>Termin</h1><p>Montag, 9:30 Uhr</p>') }]],
];

describe('what is found', () => {
  const rows = found.flatMap(([id, severity, places, mails]) =>
    mails.map((mail) => ({ id, severity, places, mail, name: JSON.stringify(mail) })),
  );
  test.each(rows)('$id, $severity, in $name', ({ id, severity, places, mail }) => {
    expect(check(mail).find((issue) => issue.id === id)).toMatchObject({ severity, found_in: places });
  });

  test('what a send refuses has its code', () => {
    const codes = (mail: Mail) => check(mail).flatMap(({ id, code }) => (code === null ? [] : [[id, code]]));
    expect(
      codes({ kind: 'newsletter', facts: { legal: { street: null, city: null, privacy_url: null } } }),
    ).toEqual([['impressum_incomplete', 'impressum_incomplete']]);
    expect(codes({ kind: 'termin', facts: { route: ROUTES.marketing } })).toEqual([
      ['kind_not_allowed_on_route', 'kind_not_allowed_on_route'],
    ]);
    const [doi] = texts('doi', '10 % auf alles.');
    expect(codes(doi ?? {})).toEqual([['promo_discount', 'promotional_on_transactional']]);
    const spam = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
    expect(codes({ text: `Guten Tag,\n${spam}` })).toEqual([['content_blocked', 'content_blocked']]);
  });
});

const quiet: readonly (readonly [id: string, mails: readonly Mail[]])[] = [
  [
    'subject_health_detail',
    subjects(
      'termin',
      'Ihr Termin am 3. Dezember um 9:30 Uhr',
      'Erinnerung an Ihre Vorsorgeuntersuchung',
      'Ihr Termin bei Dr. Krebs',
      'Frau Krebs, Ihr Termin am Montag',
      'Praxis Dr. Anna Krebs: neue Sprechzeiten',
      'Ihr Termin bei Krebs & Partner',
      'Familie Krebs: Ihre Unterlagen',
      'Praxis Krebsmühle: Urlaub',
      'Mr Parkinson, your appointment',
      'Diagnosezentrum am Markt: neue Anschrift',
      'Wir haben Ihren Wunsch für gut befunden',
      'Unsere Prognose für die Wartezeit',
      'Kooperation mit der Apotheke',
      'Neue Behandlungszeiten ab Januar',
      'Gleichbehandlung im Wartezimmer',
      'OP-Masken sind nicht mehr nötig',
      'Zeit für Ihre Grippeschutzimpfung',
      'Park Road Surgery: new opening hours',
      'Our hours of operation',
      'Hearing aids: your appointment',
      'Special treatment for our members',
      'Your appointment in room B12',
      'Update to version V10.1',
    ),
  ],
  [
    'impressum_incomplete',
    [
      { kind: 'newsletter' },
      { kind: 'termin', facts: { legal: { street: null, city: null, privacy_url: null } } },
    ],
  ],
  [
    'tracking_on_kind',
    [
      { kind: 'termin' },
      { kind: 'recall', settings: { track_opens: false } },
      { kind: 'newsletter', settings: { track_opens: true, track_clicks: true } },
      { kind: 'transactional', settings: { track_opens: true } },
    ],
  ],
  ['no_text_part', [{ text: 'Guten Tag' }, { text: 'Guten Tag', html: page('<p>Guten Tag</p>') }]],
  [
    'subject_advertising_words',
    subjects('termin', 'Geschenke im Wartezimmer sind nicht nötig', 'Freedom Day: closed'),
  ],
  [
    'subject_personal_data',
    subjects(
      'termin',
      'Ihr Termin am 01.02.2027',
      'Haus 3, Raum 104',
      'Telefon 040 123456',
      'Patient portal: new address',
      'Falls Sie kommen',
    ),
  ],
  [
    'subject_names_person',
    subjects(
      'termin',
      'Ihr Termin bei Frau Dr. Müller',
      'Ihr Termin bei Herrn Kaya',
      'Frauen und Männer: Vorsorge',
      'Herr Dr. Adler geht in den Ruhestand',
      'Your appointment with Mrs Hughes',
      'Herrlich: der Frühling',
    ),
  ],
  [
    'subject_shouting',
    subjects('termin', 'TERMIN', 'Ihr CT am Montag', 'AOK, TK und DAK: neue Regeln für alle'),
  ],
  [
    'subject_punctuation',
    subjects('termin', 'Haben Sie an Ihren Termin gedacht?', 'Bis Montag!', 'St. Josef: Termin'),
  ],
  ['exclamations', texts('termin', 'Wir freuen uns auf Sie!', 'See you on Monday!')],
  [
    'link_host_differs',
    [
      { html: page('<p>Guten Tag,</p><a href="https://termine.praxis-adler.de/t">www.praxis-adler.de</a>') },
      { html: page('<p>Guten Tag,</p><a href="https://praxis.example/t">Termin ansehen</a>') },
      { html: page('<p>Hello,</p><a href="https://clinic.co.uk/book">clinic.co.uk</a>') },
    ],
  ],
  [
    'subject_long',
    subjects('termin', 'Ihr Termin am Donnerstag, dem 3. Dezember 2026, um 9:30 Uhr in unserer Praxis'),
  ],
  [
    'no_greeting',
    [
      { text: 'Guten Morgen Frau Adler,\n…' },
      { text: 'Sehr geehrter Herr Kaya,\n…' },
      { text: 'Liebe Frau Weber, es ist Zeit.' },
      { text: 'Liebes Mitglied,\n…' },
      { text: 'Grüß Gott,\n…' },
      { text: 'Frau Adler,\n…' },
      { text: 'Praxis am Markt\nAm Markt 1\n\nHallo Anna,\n…' },
      { text: '{{anrede}},\n…' },
      { text: 'Dear Ms Adler,\n…' },
      { text: 'Good morning,\n…' },
      { text: 'Hi Anna,\n…' },
      {
        html: page(
          '<table><tr><td><img src="https://praxis.example/logo.png" alt="Logo"></td></tr><tr><td>\n\n<p>&nbsp;</p><p>Guten&nbsp;Tag <b>Frau Adler</b>,</p></td></tr></table>',
        ),
      },
    ],
  ],
];

describe('what is left alone', () => {
  const rows = quiet.flatMap(([id, mails]) =>
    mails.map((mail) => ({ id, mail, name: JSON.stringify(mail) })),
  );
  test.each(rows)('no $id in $name', ({ id, mail }) => {
    expect(check(mail).map((issue) => issue.id)).not.toContain(id);
  });

  const ordinary: readonly Mail[] = [
    ...texts(
      'termin',
      'wir erinnern Sie an Ihren Termin zur Zahnaufhellung am Montag um 9:30 Uhr. Sie können ihn kostenlos verschieben.',
      'Jetzt buchen oder verschieben: https://termine.praxis-adler.de/t/4711',
      'this is a reminder of your appointment on Monday at 9:30. You can reschedule it free of charge.',
    ),
    ...texts(
      'recall',
      'Ihre letzte Kontrolle liegt ein Jahr zurück. Jetzt buchen: https://termine.praxis-adler.de',
    ),
    ...texts(
      'doi',
      'Sie möchten unseren Newsletter abonnieren? Dann bestätigen Sie bitte hier: https://a.example/c',
    ),
    ...texts('newsletter', 'Nur diese Woche: 20 % Rabatt auf alle Cremes, unser Sonderangebot im Januar.'),
    ...texts('quality', 'Nur diese Woche: 20 % Rabatt auf alle Cremes.'),
  ];
  test.each(ordinary)('nothing in %j', (mail) => {
    expect(check(mail)).toEqual([]);
  });

  test.each([...german, ...english])(
    'nothing in the starter template $name but its placeholders',
    (preset) => {
      const { kind, subject } = preset;
      const { text, html } = makeDocument(preset.document, { subject });
      const mail = { kind, subject, text, html };
      expect(check(mail).filter(({ id }) => !/placeholder/.test(id))).toEqual([]);
    },
  );
});

test('what is advertising in other transactional mail is a warning until a send refuses it', () => {
  const [mild] = texts('transactional', 'Beachten Sie auch unsere aktuellen Angebote.');
  expect(check(mild ?? {})).toMatchObject([{ id: 'promo_offer', severity: 'warn', code: null }]);
  const [strong] = texts('transactional', 'Sonderangebote! 20 % Rabatt auf alles mit Ihrem Gutscheincode.');
  for (const { severity, code } of check(strong ?? {}))
    expect([severity, code]).toEqual(['error', 'promotional_on_transactional']);
});

test('something in both parts is found in both, and the worst comes first', () => {
  const line = '20 % auf alles.';
  const issues = check({ subject: 'IHR TERMIN AM MONTAG', text: line, html: page(`<p>${line}</p>`) });
  expect(issues.map(({ id, severity, found_in }) => [id, severity, found_in])).toEqual([
    ['promo_discount', 'error', ['text', 'html']],
    ['subject_shouting', 'warn', ['subject']],
    ['no_greeting', 'info', ['text', 'html']],
  ]);
});

test('each rule has whole sentences in both languages, which differ', () => {
  for (const { id } of mailRules.filter((rule) => rule.id !== 'no_text_part')) {
    const [german, english] = memberLanguages.map((language) => wordsIn(language).findings[id as 'held']);
    for (const words of [german, english].flatMap((one) => [one?.why, one?.advice]))
      expect(words, id).toMatch(/^.{10,}\.$/s);
    expect(german?.why, id).not.toBe(english?.why);
  }
  const [german, english] = memberLanguages.map(
    (language) => check({ subject: 'Ihre Diagnose' }, language)[0],
  );
  expect([german?.why, english?.why]).toEqual([
    expect.stringContaining('Sperrbildschirmen'),
    expect.stringContaining('lock screens'),
  ]);
});
