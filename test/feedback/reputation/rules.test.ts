import { describe, expect, test } from 'vitest';
import {
  type Counts,
  type Finding,
  findingOf,
  lookAgainOn,
  nearnessOf,
  rate,
  reasonOf,
  since,
  windowDay,
  windowFrom,
} from '#src/feedback/reputation/rules.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';

const none: Counts = { sent: 0, refused: 0, hard_bounced: 0, soft_bounced: 0, complaints: 0 };
const counts = (some: Partial<Counts>): Counts => ({ ...none, ...some });

describe('whether a limit is reached', () => {
  const cases: readonly (readonly [says: string, Partial<Counts>, Finding['measure'] | null])[] = [
    ['nothing', {}, null],
    ['20 messages, none came back', { sent: 20 }, null],
    ['19 messages, one came back', { sent: 19, hard_bounced: 1 }, null],
    ['20 messages, one came back: 5 %', { sent: 20, hard_bounced: 1 }, 'hard_bounces'],
    [
      '19 sent and one refused for good at our connection',
      { sent: 19, refused: 1, hard_bounced: 1 },
      'hard_bounces',
    ],
    ['20 refused, none of them hard', { refused: 20 }, null],
    ['21 messages, one came back', { sent: 21, hard_bounced: 1 }, null],
    ['39 messages, two came back', { sent: 39, hard_bounced: 2 }, 'hard_bounces'],
    ['41 messages, two came back', { sent: 41, hard_bounced: 2 }, null],
    ['a million, one too few', { sent: 1_000_000, hard_bounced: 49_999 }, null],
    ['a million, exactly 5 %', { sent: 1_000_000, hard_bounced: 50_000 }, 'hard_bounces'],
    ['19 messages, one complaint', { sent: 19, complaints: 1 }, null],
    ['20 messages, one complaint', { sent: 20, complaints: 1 }, 'complaints'],
    ['1,000 messages, one complaint: 0.1 %', { sent: 1_000, complaints: 1 }, 'complaints'],
    ['1,001 messages, one complaint', { sent: 1_001, complaints: 1 }, null],
    ['2,000 messages, two complaints', { sent: 2_000, complaints: 2 }, 'complaints'],
    ['2,001 messages, two complaints', { sent: 2_001, complaints: 2 }, null],
    [
      'complaints are of what did not bounce, softly or for good',
      { sent: 1_000, refused: 21, hard_bounced: 10, soft_bounced: 11, complaints: 1 },
      'complaints',
    ],
    [
      'one bounce fewer',
      { sent: 1_000, refused: 21, hard_bounced: 10, soft_bounced: 10, complaints: 1 },
      null,
    ],
    [
      'a complaint of older mail, all of it bounced since',
      { refused: 20, soft_bounced: 20, complaints: 1 },
      null,
    ],
    ['both: bounces come first', { sent: 20, hard_bounced: 1, complaints: 1 }, 'hard_bounces'],
  ];
  test.each(cases)('%s', (_, some, measure) => {
    expect(findingOf(counts(some))?.measure ?? null).toBe(measure);
  });

  test('the result has the figures', () => {
    expect(findingOf(counts({ sent: 15, refused: 5, hard_bounced: 3 }))).toEqual({
      measure: 'hard_bounces',
      count: 3,
      whole: 20,
    });
    const complained = counts({ sent: 900, soft_bounced: 100, complaints: 1 });
    expect(findingOf(complained)).toMatchObject({ count: 1, whole: 800 });
  });
});

describe('the guardrail is evaluated again', () => {
  const TODAY = 20_000;
  const cases: readonly (readonly [says: string, Partial<Counts>, number | null])[] = [
    ['never where nothing came back', { sent: 5 }, null],
    ['at each while there are fewer than 20', { sent: 19, hard_bounced: 1 }, TODAY],
    ['tomorrow, when a day has passed out of the window', { sent: 21, hard_bounced: 1 }, TODAY + 1],
    [
      'at each mail while there is nothing to measure a complaint by',
      { refused: 20, soft_bounced: 20, complaints: 1 },
      TODAY,
    ],
  ];
  test.each(cases)('%s', (_, some, on) => {
    expect(lookAgainOn(counts(some), TODAY)).toBe(on);
  });
});

describe('the window', () => {
  const NOW = 20_000 * DAY + 5 * HOUR;
  const cases: readonly (readonly [says: string, resumedAt: number | null, day: number, from: number])[] = [
    ['is 30 UTC days, today among them', null, 19_971, 19_971 * DAY],
    ['begins with the resumption', NOW - HOUR, 20_000, NOW - HOUR],
    ['begins with the resumption days ago', NOW - 3 * DAY, 19_997, NOW - 3 * DAY],
    ['is not longer for one long ago', NOW - 40 * DAY, 19_971, 19_971 * DAY],
    ['holds the day of a resumption just within it', 19_971 * DAY + HOUR, 19_971, 19_971 * DAY + HOUR],
  ];
  test.each(cases)('%s', (_, resumedAt, day, from) => {
    expect([windowDay(NOW, resumedAt), windowFrom(NOW, resumedAt)]).toEqual([day, from]);
  });

  test('leaves out earlier counts', () => {
    const all = counts({ sent: 10, refused: 4, hard_bounced: 3, soft_bounced: 8, complaints: 2 });
    const earlier = counts({ sent: 9, refused: 4, hard_bounced: 1, soft_bounced: 5 });
    const after = { sent: 1, refused: 0, hard_bounced: 2, soft_bounced: 3, complaints: 2 };
    expect([since(all, earlier), since(all, undefined)]).toEqual([after, all]);
  });
});

describe('nearness to the limit', () => {
  const cases: readonly (readonly [Partial<Counts>, string, bounces: number, complaints: number])[] = [
    [{}, 'ok', 1, 1],
    [{ sent: 3, hard_bounced: 1 }, 'watch', 0, 1],
    [{ sent: 100 }, 'ok', 5, 1],
    [{ sent: 100, hard_bounced: 2 }, 'ok', 3, 1],
    [{ sent: 100, hard_bounced: 3 }, 'watch', 2, 1],
    [{ sent: 1_001, complaints: 1 }, 'watch', 51, 1],
    [{ sent: 3_000, complaints: 1 }, 'ok', 150, 2],
  ];
  test.each(cases)('%j: %s', (some, nearness, hardBouncesLeft, complaintsLeft) => {
    expect(nearnessOf(counts(some))).toEqual({ nearness, hardBouncesLeft, complaintsLeft });
  });

  test.each([20, 21, 39, 100, 999, 1_000, 1_001])(
    'the bounces left are exactly those that pause: %i messages',
    (sent) => {
      const { hardBouncesLeft, complaintsLeft } = nearnessOf(counts({ sent }));
      expect(findingOf(counts({ sent, hard_bounced: hardBouncesLeft }))?.measure).toBe('hard_bounces');
      expect(findingOf(counts({ sent, hard_bounced: hardBouncesLeft - 1 }))).toBeNull();
      expect(findingOf(counts({ sent, complaints: complaintsLeft }))?.measure).toBe('complaints');
      expect(findingOf(counts({ sent, complaints: complaintsLeft - 1 }))).toBeNull();
    },
  );
});

test('a rate is a share of at most 1, and null if there is nothing to divide by', () => {
  expect([rate(0, 0), rate(1, 0), rate(0, 5), rate(1, 4), rate(3, 2)]).toEqual([null, null, 0, 0.25, 1]);
});

test('the reason names route, figures, window and limit', () => {
  const from = Date.UTC(2026, 9, 23);
  const bounced = { measure: 'hard_bounces', count: 3, whole: 59 } as const;
  const complained = { measure: 'complaints', count: 2, whole: 2_000 } as const;
  expect([reasonOf(bounced, 'broadcast', from), reasonOf(complained, 'outgoing', from)]).toEqual([
    'Hard bounces on the route broadcast: 3 of 59 messages since 2026-10-23 (5.08%). The limit is 5%.',
    'Complaints on the route outgoing: 2 of 2,000 messages that did not bounce since 2026-10-23 (0.1%). The limit is 0.1%.',
  ]);
});
