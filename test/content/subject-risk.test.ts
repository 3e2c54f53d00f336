import { describe, expect, test } from 'vitest';
import { subjectRisk, subjectRules } from '#src/content/subject-risk.ts';

const found: readonly (readonly [subject: string, rules: readonly string[]])[] = [
  ['Ihr Termin am 03.12.2026 um 9:30 Uhr', []],
  ['Erinnerung: Vorsorgeuntersuchung', []],
  ['Bitte bestätigen Sie Ihre Anmeldung', []],
  ['Nachricht Ihrer Praxis', []],
  ['Your appointment on 3 December', []],
  ['TERMIN', []],
  ['Überweisung an Dr. Pinkert, Tanja Adler', []],
  ['Wartezimmer-TV: neue Sprechzeiten?', []],
  ['Praxis Krebsmühle: Urlaub', []],
  ['', ['empty']],
  ['   ', ['empty']],
  ['Ihr Ter\u200bmin', ['hidden_characters']],
  ['Familie \u{1f468}\u200d\u{1f469}', []],
  ['P\u0430ypal', ['mixed_scripts']],
  ['β-Blocker', []],
  ['Guten Tag {{name}}', ['placeholder']],
  ['Guten Tag [Vorname], Ihr Termin', ['placeholder']],
  ['Guten Tag undefined', ['placeholder']],
  ['Guten Tag %FIRST_NAME%', ['placeholder']],
  ['Ihr Konto wurde gesperrt', ['phishing_words']],
  ['Verify your account', ['phishing_words']],
  ['Ihr Passwort läuft ab', ['phishing_words']],
  ['Ihr Befund liegt vor', ['health_detail']],
  ['Termin in der Onkologie', ['health_detail']],
  ['Your test results', ['health_detail']],
  ['Anna Adler, geb. 01.02.1980', ['personal_data']],
  ['Versichert unter A123456789', ['personal_data']],
  ['Konto DE89 3704 0044 0532 0130 00', ['personal_data']],
  ['G R A T I S für Sie', ['spaced_out']],
  ['WICHTIGE INFORMATION FÜR SIE', ['shouting']],
  ['50 % Rabatt', ['money', 'advertising_words']],
  ['Sie haben gewonnen', ['money']],
  ['Kostenlose Probe', ['advertising_words']],
  ['Nur noch heute', ['pressure']],
  ['Act now', ['pressure']],
  ['Mehr auf www.praxis.example', ['link']],
  ['=?utf-8?q?Termin?=', ['encoded_remains']],
  ['FÃ¼r Sie', ['encoded_remains']],
  ['Wirklich!!', ['punctuation']],
  ['Jetzt! Oder nie!', ['punctuation']],
  ['Wirklich?', []],
  ['AW: Ihr Termin', ['false_reply']],
  ['Awards: die Praxis', []],
  ['\u{1f381} \u{1f389} \u{1f38a} Frohes Fest', ['symbols']],
  ['Frohes Fest \u{1f381}', []],
  ['Sehr geehrte Damen und Herren, wir möchten Sie daran erinnern, dass Ihr Termin bevorsteht', ['long']],
];

describe('what is found in a subject', () => {
  test.each(found)('%j: %j', (subject, rules) => {
    expect(subjectRisk(subject).rules).toEqual(rules);
  });

  test('each rule of the table is found by some row here', () => {
    const covered = new Set(found.flatMap(([, rules]) => rules));
    expect(subjectRules.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
  });
});

describe('the score', () => {
  const scores: readonly (readonly [subject: string, score: number, level: string])[] = [
    ['Ihr Termin am Montag', 0, 'low'],
    ['AW: Ihr Termin', 8, 'low'],
    ['Sie haben gewonnen', 15, 'medium'],
    ['Jetzt gratis!! Sie haben gewonnen', 37, 'high'],
    [
      'AW: GRATIS!! {{NAME}} PASSWORT P\u0430YPAL\u200b BEFUND WWW.EXAMPLE.ORG NUR HEUTE 50 % RABATT',
      100,
      'high',
    ],
  ];
  test.each(scores)('%j: %i, %s', (subject, score, level) => {
    expect(subjectRisk(subject)).toMatchObject({ score, level });
  });
});

test('every rule has an id of its own', () => {
  expect(new Set(subjectRules.map(({ id }) => id)).size).toBe(subjectRules.length);
  for (const { id, weight } of subjectRules) {
    expect(weight, id).toBeGreaterThan(0);
    expect(weight, id).toBeLessThanOrEqual(100);
  }
});

test('a subject is rated by its first 500 characters, however long it is', () => {
  const pieces = ['\u{1f381}', '!', ' a', '[', '{{', 'A', '1 ', '%', 'k', 'konto ', '=?', '\u200d', 'geb. '];
  for (const piece of pieces) {
    const first = piece.repeat(500).slice(0, 500);
    expect(subjectRisk(`${first}{{ WIN $$$ !!! `.repeat(1_000)), piece).toEqual(subjectRisk(first));
  }
});
