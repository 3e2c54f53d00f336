import { describe, expect, test } from 'vitest';
import {
  providerOf,
  providerReport,
  subjectReport,
  testerReport,
  withoutSimulator,
  worstSubjects,
} from '#src/insight/placement.ts';
import type { RecipientOutcomeRow } from '#src/insight/store.ts';
import type { Status } from '#src/messages/rules.ts';

const subjects = (...list: string[]) => list.map((subject) => ({ subject }));
const outcome = (address: string, status: Status = 'processed'): RecipientOutcomeRow => ({
  address,
  status,
  smtp_code: 250,
  enhanced_code: '2.0.0',
  updated_at: 1_000,
});

describe('the report on subjects', () => {
  test('counts messages, not spellings, and says why in the language', () => {
    const rows = subjects('Ihr Termin', 'AW: Ihr Termin', 'AW: Ihr Termin', 'Sie haben gewonnen');
    const { rated, ...report } = subjectReport(rows, 'en');
    expect(report).toMatchObject({
      sampled: 4,
      average_score: (8 + 8 + 15) / 4,
      levels: { low: 3, medium: 1, high: 0 },
      rules: [
        { id: 'false_reply', messages: 2, share: 0.5, why: expect.stringContaining('reply') },
        { id: 'money', messages: 1, share: 0.25 },
      ],
    });
    expect(subjectReport(rows, 'de').rules[0]?.why).toContain('Antwort');
    expect(worstSubjects(rated)).toEqual([
      { subject: 'Sie haben gewonnen', messages: 1, score: 15, level: 'medium', rules: ['money'] },
      { subject: 'AW: Ihr Termin', messages: 2, score: 8, level: 'low', rules: ['false_reply'] },
    ]);
  });

  test('of no messages has no average', () => {
    const { rated, ...report } = subjectReport([], 'en');
    expect(report).toEqual({
      sampled: 0,
      average_score: null,
      levels: { low: 0, medium: 0, high: 0 },
      rules: [],
    });
    expect(worstSubjects(rated)).toEqual([]);
  });

  test('names ten subjects at most', () => {
    const rows = subjects(...Array.from({ length: 30 }, (_, number) => `AW: Termin ${number}`));
    expect(worstSubjects(subjectReport(rows, 'en').rated)).toHaveLength(10);
  });
});

test('recipients are counted by provider and by outcome', () => {
  const rows = [
    outcome('a@gmail.com', 'delivered'),
    outcome('b@gmail.com', 'opened'),
    outcome('c@gmail.com', 'spam_complaint'),
    outcome('d@gmail.com', 'hard_bounced'),
    outcome('e@gmail.com', 'soft_bounced'),
    outcome('f@gmail.com', 'suppressed'),
    outcome('a@web.de', 'delivery_delayed'),
    outcome('b@web.de', 'queued'),
    outcome('c@web.de', 'failed'),
    outcome('a@example.org'),
  ];
  const none = { waiting: 0, delayed: 0, processed: 0, delivered: 0, bounced: 0, failed: 0, complaints: 0 };
  const report = providerReport(rows);
  expect(report.map(({ provider }) => provider)).toEqual([
    'gmail',
    'microsoft',
    'yahoo',
    'gmx_webde',
    't_online',
    'icloud',
    'other',
  ]);
  expect(report.filter(({ recipients }) => recipients > 0)).toEqual([
    { provider: 'gmail', recipients: 5, ...none, delivered: 3, bounced: 2, complaints: 1 },
    { provider: 'gmx_webde', recipients: 3, ...none, delayed: 1, waiting: 1, failed: 1 },
    { provider: 'other', recipients: 1, ...none, processed: 1 },
  ]);
});

test('recipients at the simulator are left out', () => {
  const rows = [outcome('success@simulator.mail.example.com'), outcome('a@mail.example.com')];
  expect(withoutSimulator(rows, 'simulator.mail.example.com')).toEqual([rows[1]]);
});

test('each tester has the newest mail to its address or domain', () => {
  const rows = [
    outcome('Seed@example.net', 'delivered'),
    outcome('seed@example.net', 'hard_bounced'),
    outcome('any@seeds.example', 'delivery_delayed'),
    outcome('any@other.seeds.example', 'failed'),
  ];
  const last = (status: Status) => ({
    status,
    smtp_code: 250,
    enhanced_code: '2.0.0',
    at: '1970-01-01T00:00:01.000Z',
  });
  expect(testerReport(['seed@example.net', '@seeds.example', 'never@example.net'], rows)).toEqual([
    { tester: 'seed@example.net', last: last('delivered') },
    { tester: '@seeds.example', last: last('delivery_delayed') },
    { tester: 'never@example.net', last: null },
  ]);
});

const domainsOfProviders: readonly (readonly [domains: string, provider: string])[] = [
  ['gmail.com googlemail.com', 'gmail'],
  ['outlook.com outlook.de hotmail.co.uk hotmail.fr live.de live.com msn.com', 'microsoft'],
  ['yahoo.com yahoo.de yahoo.co.uk aol.com aol.de ymail.com', 'yahoo'],
  ['gmx.de gmx.net gmx.at gmx.ch gmx.com web.de', 'gmx_webde'],
  ['t-online.de magenta.de', 't_online'],
  ['icloud.com me.com mac.com', 'icloud'],
  [
    'example.org notgmail.com gmail.com.example.org mygmx.de outlook.example.org live.example mail.web.de',
    'other',
  ],
];
test.each(domainsOfProviders)('%s: %s', (list, provider) => {
  for (const domain of list.split(' '))
    expect(`${domain} ${providerOf(domain)}`).toBe(`${domain} ${provider}`);
});
