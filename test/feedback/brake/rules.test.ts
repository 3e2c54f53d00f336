// The rule by which a token is slowed, as a table: what it usually sends, what it sends now, and what becomes of that.
import { describe, expect, test } from 'vitest';
import {
  type BrakeFacts,
  beyondUsualOutcomes,
  judge,
  LONGEST_LINE_MS,
  limitsFor,
  outcomeLimits,
  type TokenDay,
  usualOf,
} from '#src/feedback/brake/rules.ts';
import { bounceLimit, complaintLimit } from '#src/feedback/reputation/rules.ts';
import { HOUR, MINUTE } from '#src/kernel/time.ts';

const TODAY = 20_000;
const NOW = TODAY * 24 * HOUR + 9 * HOUR;
const LIMITS = { factor: 5, least_per_hour: 100, least_per_day: 250 };

const day = (ago: number, mails: number, more: Partial<TokenDay> = {}): TokenDay => ({
  day: TODAY - ago,
  mails,
  busiest_hour: Math.ceil(mails / 4),
  is_slowed: 0,
  is_approved: 0,
  ...more,
});
/** Four weeks of weekdays with so many mails each. */
const weeks = (mails: number): TokenDay[] =>
  Array.from({ length: 28 }, (_, index) => day(index + 1, index % 7 < 2 ? 0 : mails));

describe('the usual range', () => {
  test.each<[title: string, days: TokenDay[], perDay: number | null]>([
    ['is unknown in the first week', [day(1, 40), day(2, 40), day(3, 40), day(6, 40)], null],
    ['is unknown with fewer than three days of mail', [day(9, 40), day(2, 40)], null],
    ['is that of a busy day', weeks(40), 40],
    ['is not widened by one odd day', [...weeks(40), day(3, 4_000)], 40],
    ['is widened where it happens again', [...weeks(40), day(3, 400), day(10, 300)], 300],
    [
      'leaves out days on which the token was slowed',
      [...weeks(40), day(1, 4_000, { is_slowed: 1 }), day(2, 4_000, { is_slowed: 1 })],
      40,
    ],
    ['knows nothing of today', [...weeks(40), day(0, 4_000), day(0, 4_000)], 40],
  ])('%s', (_, days, perDay) => {
    expect(usualOf(days, TODAY)?.perDay ?? null).toBe(perDay);
  });

  test('what a person approved may come again a year later, and no factor multiplies it', () => {
    const usual = usualOf([...weeks(40), day(365, 800, { is_slowed: 1, is_approved: 1 })], TODAY);
    expect(usual).toMatchObject({ perDay: 40, approvedPerDay: 800 });
    expect(usual && limitsFor(usual, LIMITS)).toEqual({ perHour: 300, perDay: 1_200 });
  });
});

const facts = (
  usual: number | null,
  hour: number,
  today: number,
  more: Partial<BrakeFacts> = {},
): BrakeFacts => ({
  tokenId: 't',
  counted: { hour, day: today },
  usual: usual === null ? null : usualOf(weeks(usual), TODAY),
  limits: LIMITS,
  slowed: null,
  isLifted: false,
  lineNextAt: 0,
  ...more,
});

describe('a mail', () => {
  test.each<[title: string, BrakeFacts, mails: number, is: string, measure?: string]>([
    ['of a usual day passes', facts(40, 5, 39), 1, 'free'],
    ['of a busy Monday morning passes', facts(40, 60, 60), 1, 'free'],
    ['below the floor passes, however little is usual', facts(2, 99, 99), 1, 'free'],
    ['beyond the floor of an hour is slowed', facts(40, 100, 100), 1, 'slowed', 'mails_per_hour'],
    ['beyond the floor of a day is slowed', facts(40, 10, 250), 1, 'slowed', 'mails_per_day'],
    ['with many recipients counts as many', facts(40, 60, 60), 50, 'slowed', 'mails_per_hour'],
    ['of a token that sends much passes far beyond the floors', facts(2_000, 2_000, 9_000), 1, 'free'],
    ['beyond five times a busy hour is slowed', facts(2_000, 2_500, 2_500), 1, 'slowed', 'mails_per_hour'],
    ['in the first week passes', facts(null, 9_000, 9_000), 1, 'free'],
    ['of a token that a person has lifted passes', facts(40, 4_000, 4_000, { isLifted: true }), 1, 'free'],
    ['to no one who counts passes', facts(40, 4_000, 4_000), 0, 'free'],
  ])('%s', (_, given, mails, is, measure) => {
    const verdict = judge(given, mails, NOW);
    expect(verdict.is).toBe(is);
    expect(verdict.is === 'slowed' ? verdict.begins?.measure : undefined).toBe(measure);
  });

  test('that is slowed takes its place in the line, at the pace of a fifth of the floor', () => {
    const first = judge(facts(40, 100, 100), 1, NOW);
    expect(first).toMatchObject({ is: 'slowed', perHour: 20, dueAt: NOW, nextAt: NOW + 3 * MINUTE });
    const slowed = { perHour: 20, nextAt: NOW + 30 * MINUTE };
    expect(judge(facts(40, 1, 1, { slowed }), 2, NOW)).toEqual({
      is: 'slowed',
      begins: null,
      perHour: 20,
      dueAt: NOW + 30 * MINUTE,
      nextAt: NOW + 36 * MINUTE,
    });
  });

  test('is refused for now where the line is three days long', () => {
    const slowed = { perHour: 20, nextAt: NOW + LONGEST_LINE_MS };
    expect(judge(facts(40, 1, 1, { slowed }), 1, NOW)).toEqual({
      is: 'full',
      perHour: 20,
      retryAt: NOW + HOUR,
    });
  });
});

describe('bounces and complaints', () => {
  test.each<
    [
      title: string,
      recent: [number, number, number],
      before: [number, number, number],
      measure: string | null,
    ]
  >([
    ['few of them say nothing', [40, 4, 1], [1_000, 0, 0], null],
    ['five bounces of 200 slow it', [200, 5, 0], [1_000, 5, 0], 'hard_bounces'],
    ['five bounces of 1,000 do not', [1_000, 5, 0], [1_000, 5, 0], null],
    ['four in a hundred do not where three are usual', [200, 8, 0], [1_000, 30, 0], null],
    ['two complaints of 1,000 slow it', [1_000, 0, 2], [9_000, 0, 1], 'complaints'],
  ])('%s', (_, recent, before, measure) => {
    const outcomes = ([mails, hard_bounced, complaints]: [number, number, number]) => ({
      mails,
      hard_bounced,
      complaints,
    });
    expect(beyondUsualOutcomes(outcomes(recent), outcomes(before))?.measure ?? null).toBe(measure);
  });

  test('slow a token at half of what makes the guardrail pause', () => {
    expect(outcomeLimits.hard_bounces.share).toBe(bounceLimit.part / bounceLimit.whole / 2);
    expect(outcomeLimits.complaints.share).toBe(complaintLimit.part / complaintLimit.whole / 2);
  });
});
