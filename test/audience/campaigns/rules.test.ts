// The rules of campaigns, by table.
import { describe, expect, test } from 'vitest';
import {
  campaignVerbs,
  effectOf,
  type Look,
  lookedAt,
  nextHandOver,
  nextStep,
  pageSize,
  roomFor,
  statusAfter,
  stopReason,
  waitsUntil,
} from '#src/audience/campaigns/rules.ts';
import { campaignStatuses } from '#src/audience/campaigns/store.ts';
import type { Counts } from '#src/feedback/reputation/rules.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const nothing: Counts = { sent: 0, refused: 0, hard_bounced: 0, soft_bounced: 0, complaints: 0 };
const clean: Counts = { ...nothing, sent: 100_000 };

test('what can be done in each status', () => {
  const table = Object.fromEntries(
    campaignVerbs.map((verb) => [
      verb,
      campaignStatuses.flatMap((status) => {
        const after = statusAfter(status, verb);
        return after === null ? [] : [`${status} → ${after}`];
      }),
    ]),
  );
  expect(table).toEqual({
    send: ['draft → sending', 'scheduled → sending'],
    schedule: ['draft → scheduled', 'scheduled → scheduled'],
    pause: ['sending → paused'],
    resume: ['paused → sending'],
    cancel: ['scheduled → cancelled', 'sending → cancelled', 'paused → cancelled', 'sent → cancelled'],
  });
});

test.each([
  ['two begin', 0, 0, 2],
  ['no more before these were tried', 0, 2, 0],
  ['a fifth of those tried', 100, 0, 20],
  ['less those that wait', 105, 15, 6],
  ['at most 300 wait', 100_000, 0, 300],
])('slow start: %s', (_, tried, waiting, room) => {
  expect(roomFor(tried, waiting)).toBe(room);
});

describe('a limit an hour', () => {
  test.each([
    ['no limit', null, 25],
    ['one an hour', 1, 1],
    ['one a second', 3_600, 1],
    ['ten a second', 36_000, 10],
    ['many', 1_000_000, 25],
  ])('%s: so many in one transaction', (_, max, size) => {
    expect(pageSize(max)).toBe(size);
  });

  test.each([60, 3_600, 36_000, 1_000_000])('%i in an hour, evenly, although each turn is late', (max) => {
    let dueAt = NOW;
    let count = 0;
    for (let now = NOW; dueAt < NOW + HOUR; now = dueAt + 7) {
      const size = pageSize(max);
      dueAt = nextHandOver(max, { dueAt, count: size, now: Math.max(now, dueAt) });
      count += size;
    }
    expect(count).toBeGreaterThan(max * 0.98);
    expect(count).toBeLessThanOrEqual(max + pageSize(max));
  });

  test('what was missed in a pause does not go out at once', () => {
    expect(nextHandOver(60, { dueAt: NOW - HOUR, count: 1, now: NOW })).toBe(NOW);
    expect(nextHandOver(60, { dueAt: NOW, count: 1, now: NOW })).toBe(NOW + MINUTE);
  });
});

test.each([
  ['the warm-up waits for the next day', 'warmup_cap_reached', false, NOW + DAY / 2],
  ['the plan may be changed', 'plan_cap_reached', false, NOW + 15 * MINUTE],
  ['a pause is looked at again', 'tenant_paused', false, NOW + MINUTE],
  ['a route that is gone ends it', 'not_found', false, 'fail'],
  ['content that no one gets ends it', 'content_blocked', true, 'fail'],
  ['content that one person does not get leaves them out', 'content_blocked', false, 'leave_out'],
  ['an address that cannot be reached is left out', 'invalid_recipient', true, 'leave_out'],
] as const)('refusals: %s', (_, code, isFirst, expected) => {
  const effect = effectOf(code, { ofContent: new Set(['content_blocked']), isFirst, now: NOW });
  expect(effect).toEqual(
    typeof expected === 'number' ? { kind: 'wait', until: expected } : { kind: expected },
  );
});

const stopAt = { bounce_percent: 3, complaint_percent: 0.08 };
test.each([
  ['nothing bad', { tried: 1_000, hardBounced: 0, complained: 0 }, clean, null],
  ['two of the first fifty prove nothing', { tried: 50, hardBounced: 2, complained: 0 }, clean, null],
  ['three of a hundred', { tried: 100, hardBounced: 3, complained: 0 }, clean, 'bounces'],
  ['below its share', { tried: 1_000, hardBounced: 29, complained: 0 }, clean, null],
  ['reaching its share', { tried: 1_000, hardBounced: 30, complained: 0 }, clean, 'bounces'],
  ['a complaint proves nothing', { tried: 100, hardBounced: 0, complained: 1 }, clean, null],
  ['two of 2,500', { tried: 2_500, hardBounced: 0, complained: 2 }, clean, 'complaints'],
  [
    'one more would pause the practice, but its first one proves nothing',
    { tried: 10, hardBounced: 1, complained: 0 },
    { ...nothing, sent: 9, refused: 1, hard_bounced: 1 },
    null,
  ],
  [
    'one more would pause the practice',
    { tried: 10, hardBounced: 2, complained: 0 },
    { ...nothing, sent: 48, refused: 2, hard_bounced: 2 },
    'bounces',
  ],
  [
    'two more would pause the practice',
    { tried: 10, hardBounced: 2, complained: 0 },
    { ...nothing, sent: 190, refused: 10, hard_bounced: 8 },
    null,
  ],
  [
    'one more complaint would pause the practice',
    { tried: 10, hardBounced: 0, complained: 1 },
    { ...nothing, sent: 5_000, complaints: 4 },
    'complaints',
  ],
  [
    'two more complaints would pause the practice',
    { tried: 10, hardBounced: 0, complained: 1 },
    { ...nothing, sent: 5_000, complaints: 3 },
    null,
  ],
  [
    'others brought the practice near its limit',
    { tried: 10, hardBounced: 0, complained: 0 },
    { ...nothing, sent: 30, hard_bounced: 1 },
    null,
  ],
] as const)('stops by itself: %s', (_, own, window, reason) => {
  expect(stopReason(own, window, stopAt)).toBe(reason);
});

const look = (campaign: Partial<Look['campaign']> = {}, facts: Partial<Look> = {}): Look => ({
  campaign: {
    status: 'sending',
    reason: null,
    due_at: NOW,
    progress_at: NOW,
    looked_at: null,
    alarmed_at: null,
    finished_at: null,
    file_identity: 'a',
    notice_json: null,
    ...campaign,
  },
  identity: 'a',
  isFirst: false,
  isPracticePaused: false,
  queued: 0,
  tried: 1_000,
  waiting: 0,
  deferred: 0,
  own: { tried: 1_000, hardBounced: 0, complained: 0 },
  window: clean,
  stopAt,
  stallAfter: 30 * MINUTE,
  now: NOW,
  ...facts,
});

const old = { progress_at: NOW - 2 * HOUR, due_at: NOW - 2 * HOUR };
test.each([
  ['goes on', look(), { kind: 'hand_over', room: 200 }],
  ['owners come first', look({ notice_json: '{}' }), { kind: 'notify' }],
  ['its time has not come', look({ due_at: NOW + 1 }), { kind: 'nothing' }],
  ['it is paused', look({ status: 'paused' }), { kind: 'nothing' }],
  ['its time has come', look({ status: 'scheduled' }), { kind: 'begin' }],
  ['another file', look({}, { identity: 'b' }), { kind: 'pause', reason: 'restored' }],
  [
    'scheduled in another file',
    look({ status: 'scheduled' }, { identity: 'b' }),
    { kind: 'pause', reason: 'restored' },
  ],
  ['old at the first look', look(old, { isFirst: true }), { kind: 'pause', reason: 'restored' }],
  [
    'rested until the start',
    look({ ...old, looked_at: NOW - MINUTE }, { isFirst: true }),
    { kind: 'hand_over', room: 200 },
  ],
  [
    'waits for a person for long',
    look({ ...old, due_at: NOW, reason: 'impressum_incomplete' }),
    { kind: 'report_stall' },
  ],
  [
    'that was reported too',
    look({ ...old, due_at: NOW, reason: 'impressum_incomplete', alarmed_at: NOW - HOUR }),
    { kind: 'hand_over', room: 200 },
  ],
  [
    'sent, and not all counted',
    look({ status: 'sent', notice_json: '{}', finished_at: NOW }, { queued: 1 }),
    { kind: 'rest' },
  ],
  [
    'sent long ago',
    look({ status: 'sent', notice_json: '{}', finished_at: NOW - HOUR }, { queued: 1 }),
    { kind: 'notify' },
  ],
  ['killed and started again at once', look({}, { isFirst: true }), { kind: 'hand_over', room: 200 }],
  [
    'waited for the next day at the first look',
    look({ progress_at: NOW - DAY, due_at: NOW - SECOND, reason: 'warmup_cap_reached' }, { isFirst: true }),
    { kind: 'hand_over', room: 200 },
  ],
  [
    'the practice is paused',
    look({}, { isPracticePaused: true }),
    { kind: 'wait', reason: 'tenant_paused', until: NOW + MINUTE },
  ],
  ['some are deferred', look({}, { deferred: 199 }), { kind: 'hand_over', room: 200 }],
  [
    'too many are deferred',
    look({}, { deferred: 200 }),
    { kind: 'wait', reason: 'deferred', until: NOW + 10 * SECOND },
  ],
  ['it is cancelled', look({ status: 'cancelled' }), { kind: 'take_out' }],
  ['enough wait', look({}, { waiting: 300 }), { kind: 'rest' }],
  ['enough have waited for long', look(old, { waiting: 300 }), { kind: 'report_stall' }],
  ['that was reported', look({ ...old, reason: 'stalled' }, { waiting: 300 }), { kind: 'rest' }],
  [
    'it has bounced too often',
    look({}, { own: { tried: 1_000, hardBounced: 30, complained: 0 } }),
    { kind: 'pause', reason: 'bounces' },
  ],
] as const)('next: %s', (_, given, step) => {
  expect(nextStep(given)).toEqual(step);
});

test('what a look changes: a reason whose time has passed is gone, and the time is kept every few minutes', () => {
  const { campaign } = look();
  expect(lookedAt(campaign, NOW)).toBeNull();
  expect(lookedAt({ ...campaign, reason: 'warmup_cap_reached' }, NOW)).toEqual({
    reason: null,
    looked_at: NOW,
  });
  expect(lookedAt({ ...campaign, reason: 'stalled' }, NOW + 6 * MINUTE)).toEqual({
    reason: 'stalled',
    looked_at: NOW + 6 * MINUTE,
  });
});

test('a campaign at the cap of its plan shows the next month, though it is looked at before', () => {
  const month = Date.parse('2026-12-01T00:00:00Z');
  expect(waitsUntil('plan_cap_reached', NOW)).toBe(month);
  expect(waitsUntil('plan_cap_reached', month)).toBe(month);
  expect(waitsUntil('warmup_cap_reached', NOW)).toBe(NOW);
});
