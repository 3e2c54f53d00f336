// What the messages of alerts say, word for word, in both languages.

import { describe, expect, test } from 'vitest';
import type { AlertEvent } from '#src/events/catalogue.ts';
import { alertEvents, type Count, defaultEvents } from '#src/followers/alerts/rules.ts';
import { alertMessage, testMessage } from '#src/followers/alerts/words.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { DAY, MINUTE } from '#src/kernel/time.ts';

const AT = Date.UTC(2026, 10, 28, 14, 30);
const setting = (language: MemberLanguage) => ({
  practice: 'Praxis am Markt',
  language,
  service: 'Sendwerk',
  link: 'https://mail.example.com/app/p1/overview',
});
const count = (number: number, fields: Partial<Count> = {}): Count => ({
  count: number,
  firstAt: AT,
  lastAt: AT,
  samples: [],
  ...fields,
});
const messageOf = (counts: readonly (readonly [AlertEvent, Count])[], language: MemberLanguage) =>
  alertMessage(new Map(counts), setting(language));

const lines: Readonly<Record<AlertEvent, readonly [one: string, many: string, eins: string, viele: string]>> =
  {
    'message.created': [
      '1 email accepted',
      '1,000 emails accepted',
      '1 angenommene E-Mail',
      '1.000 angenommene E-Mails',
    ],
    'message.sent': ['1 email sent', '1,000 emails sent', '1 versendete E-Mail', '1.000 versendete E-Mails'],
    'message.delivered': [
      '1 email delivered',
      '1,000 emails delivered',
      '1 zugestellte E-Mail',
      '1.000 zugestellte E-Mails',
    ],
    'message.hard_bounced': [
      '1 hard bounce',
      '1,000 hard bounces',
      '1 abgewiesene E-Mail',
      '1.000 abgewiesene E-Mails',
    ],
    'message.soft_bounced': [
      '1 soft bounce',
      '1,000 soft bounces',
      '1 vorerst abgewiesene E-Mail',
      '1.000 vorerst abgewiesene E-Mails',
    ],
    'message.auto_replied': [
      '1 automatic reply',
      '1,000 automatic replies',
      '1 automatische Antwort',
      '1.000 automatische Antworten',
    ],
    'message.spam_complaint': [
      '1 spam complaint',
      '1,000 spam complaints',
      '1 als Spam gemeldete E-Mail',
      '1.000 als Spam gemeldete E-Mails',
    ],
    'message.failed': [
      '1 failed email',
      '1,000 failed emails',
      '1 fehlgeschlagene E-Mail',
      '1.000 fehlgeschlagene E-Mails',
    ],
    'message.content_blocked': [
      '1 email refused because of its content',
      '1,000 emails refused because of their content',
      '1 wegen ihres Inhalts blockierte E-Mail',
      '1.000 wegen ihres Inhalts blockierte E-Mails',
    ],
    'message.suppressed': [
      '1 email to a suppressed address not sent',
      '1,000 emails to suppressed addresses not sent',
      '1 nicht versendete E-Mail an eine gesperrte Adresse',
      '1.000 nicht versendete E-Mails an gesperrte Adressen',
    ],
    'message.unsubscribed': ['1 unsubscription', '1,000 unsubscriptions', '1 Abmeldung', '1.000 Abmeldungen'],
    'message.delivery_delayed': [
      '1 delayed email',
      '1,000 delayed emails',
      '1 verzögerte E-Mail',
      '1.000 verzögerte E-Mails',
    ],
    'message.subscription': [
      '1 changed subscription',
      '1,000 changed subscriptions',
      '1 geändertes Abonnement',
      '1.000 geänderte Abonnements',
    ],
    'suppression.added': [
      '1 newly suppressed address',
      '1,000 newly suppressed addresses',
      '1 neu gesperrte Adresse',
      '1.000 neu gesperrte Adressen',
    ],
    'suppression.removed': [
      '1 address no longer suppressed',
      '1,000 addresses no longer suppressed',
      '1 entsperrte Adresse',
      '1.000 entsperrte Adressen',
    ],
    'inbound.received': [
      '1 email received',
      '1,000 emails received',
      '1 empfangene E-Mail',
      '1.000 empfangene E-Mails',
    ],
  };

describe('a line', () => {
  test.each(alertEvents)('of %s is right for one and for many, in both languages', (event) => {
    const lineOf = (number: number, language: MemberLanguage) =>
      messageOf([[event, count(number)]], language).lines.map(({ text }) => text);
    const [one, many, eins, viele] = lines[event];
    expect([lineOf(1, 'en'), lineOf(1_000, 'en')]).toEqual([[one], [many]]);
    expect([lineOf(1, 'de'), lineOf(1_000, 'de')]).toEqual([[eins], [viele]]);
  });

  test('shows some of what it counts, and why', () => {
    const samples = [
      { who: 'e…@example.org', why: ['5.1.1', 'unknown_address'] },
      { who: 'b…@example.org', why: [] },
      { who: null, why: ['risk.dangerous_link'] },
    ];
    const { lines: told } = messageOf([['message.failed', count(3, { samples })]], 'de');
    expect(told[0]?.samples).toEqual([
      'e…@example.org (5.1.1, unknown_address)',
      'b…@example.org',
      'risk.dangerous_link',
    ]);
  });

  test('about what calls for action comes first', () => {
    const all = alertEvents.toReversed().map((event) => [event, count(1)] as const);
    const { lines: told } = messageOf(all, 'en');
    const first = defaultEvents.map((event) => lines[event][0]);
    expect(told.map(({ text }) => text).slice(0, first.length)).toEqual(first);
    expect(told).toHaveLength(alertEvents.length);
  });
});

describe('the title', () => {
  test('names the practice and the one thing that happened', () => {
    expect(messageOf([['message.hard_bounced', count(1_000)]], 'de').title).toBe(
      'Praxis am Markt: 1.000 abgewiesene E-Mails',
    );
  });
  test('says how many events there were where they are of several kinds', () => {
    const several = [
      ['message.hard_bounced', count(1_000)],
      ['message.spam_complaint', count(1)],
    ] as const;
    expect(messageOf(several, 'de').title).toBe('Praxis am Markt: 1.001 Ereignisse');
    expect(messageOf(several, 'en').title).toBe('Praxis am Markt: 1,001 events');
  });
});

describe('the time', () => {
  test.each([
    ['of one minute', 59_000, '28. November 2026, 15:30 Uhr MEZ', '28 November 2026, 14:30 UTC'],
    [
      'of one day',
      12 * MINUTE,
      '28. November 2026, 15:30–15:42 Uhr MEZ',
      '28 November 2026, 14:30–14:42 UTC',
    ],
    [
      'of several days',
      2 * DAY,
      '28. November 2026, 15:30 Uhr MEZ – 30. November 2026, 15:30 Uhr MEZ',
      '28 November 2026, 14:30 UTC – 30 November 2026, 14:30 UTC',
    ],
  ])('%s', (_, span, german, english) => {
    const counts = [
      ['message.failed', count(1, { firstAt: AT + span, lastAt: AT + span })],
      ['message.hard_bounced', count(2)],
    ] as const;
    expect(messageOf(counts, 'de').when).toBe(german);
    expect(messageOf(counts, 'en').when).toBe(english);
  });
});

test('a test says what it is and what the alert reports', () => {
  const alert = { name: 'Empfang', events: ['suppression.added', 'message.hard_bounced'] as const };
  expect(testMessage(alert, setting('de'))).toEqual({
    title: 'Praxis am Markt',
    lines: [
      { text: 'Dies ist ein Test: Die Meldung im Chat „Empfang“ kommt hier an.', samples: [] },
      { text: 'Sie meldet: abgewiesene E-Mails, neu gesperrte Adressen.', samples: [] },
    ],
    when: null,
    link: { text: 'In Sendwerk ansehen', url: 'https://mail.example.com/app/p1/overview' },
  });
  expect(testMessage(alert, setting('en')).lines.map(({ text }) => text)).toEqual([
    'This is a test: the chat alert “Empfang” arrives here.',
    'It reports: hard bounces, newly suppressed addresses.',
  ]);
});
