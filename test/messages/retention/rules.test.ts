import { describe, expect, test } from 'vitest';
import type { Each } from '#src/kernel/db/sqlite.ts';
import type { StoredRow } from '#src/kernel/old-rows.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import {
  mostDays,
  nextBatch,
  nextOldMessages,
  type OldMessage,
  periodsInForce,
} from '#src/messages/retention/rules.ts';

const MIB = 1_024 * 1_024;
const installation = {
  bodies: 30 * DAY,
  attachments: 30 * DAY,
  events: 400 * DAY,
  messages: 400 * DAY,
  consent_ip: 90 * DAY,
  consent_user_agent: 90 * DAY,
};
const nothing = {
  bodies: null,
  attachments: null,
  events: null,
  messages: null,
  consent_ip: null,
  consent_user_agent: null,
};

describe('the period in force', () => {
  test.each([
    ['as the installation where nothing is chosen', nothing, installation],
    ['shorter where that is chosen', { ...nothing, bodies: 7 }, { ...installation, bodies: 7 * DAY }],
    [
      'of the client in the consent ledger, whatever that of messages is',
      { ...nothing, consent_ip: 0, consent_user_agent: 7 },
      { ...installation, consent_ip: 0, consent_user_agent: 7 * DAY },
    ],
    ['not at all with 0', { ...nothing, attachments: 0 }, { ...installation, attachments: 0 }],
    [
      'no longer than that of the message itself',
      { ...nothing, bodies: 20, messages: 10 },
      {
        ...installation,
        bodies: 10 * DAY,
        attachments: 10 * DAY,
        events: 10 * DAY,
        messages: 10 * DAY,
      },
    ],
    ['no longer than the installation, lowered since', { ...nothing, events: 500 }, installation],
  ])('%s', (_, choice, expected) => {
    expect(periodsInForce(choice, installation)).toEqual(expected);
  });

  test('a practice may choose whole days, no more than the installation', () => {
    expect([mostDays(30 * DAY), mostDays(36 * HOUR)]).toEqual([30, 1]);
  });
});

const eachOf =
  <R>(rows: readonly R[]): Each<R> =>
  (visit) => {
    rows.every((row) => visit(row) !== false);
  };

describe('the next batch', () => {
  const times = { before: 100, now: 200 };
  const row = (key: number, fields: Partial<StoredRow> = {}): StoredRow => {
    const at = fields.at ?? key;
    return { key, at, since: at, bytes: 1, held: 0, ...fields };
  };

  test.each<[string, StoredRow[], number[], number | null]>([
    ['what was written before, to the millisecond', [row(99), row(100)], [99], null],
    ['not what is held', [row(1, { held: 1 }), row(2)], [2], null],
    ['not what counts from later', [row(1, { since: 100 }), row(2, { since: 99 })], [2], null],
    ['as many as one transaction takes, and where to go on', [row(1), row(2), row(3), row(4)], [1, 2, 3], 3],
    ['no more than are looked at, held or not', [1, 2, 3, 4].map((key) => row(key, { held: 1 })), [], 3],
    ['as many bytes as one transaction takes', [row(1, { bytes: MIB }), row(2)], [1], 1],
    ['one that is larger, alone', [row(1), row(2, { bytes: 30 * MIB }), row(3)], [1, 2], 2],
    ['a row after one from the future', [row(1, { at: 201 }), row(2)], [2], null],
    ['nothing of nothing', [], [], null],
  ])('%s', (_, rows, keys, after) => {
    expect(nextBatch(eachOf(rows), times, 3)).toEqual({ keys, after });
  });

  test('reading ends at the first younger row', () => {
    const read: number[] = [];
    const rows: Each<StoredRow> = (visit) =>
      [99, 100, 101].every((key) => {
        read.push(key);
        return visit(row(key)) !== false;
      });
    nextBatch(rows, times);
    expect(read).toEqual([99, 100]);
  });
});

describe('the next old messages', () => {
  const times = { before: 1_000, now: 2_000 };
  const row = (key: number, fields: Partial<OldMessage> = {}): OldMessage => {
    const at = fields.at ?? key;
    return { key, at, since: at, held: 0, done: 0, ...fields };
  };
  const range = (from: number, to: number, fields: Partial<OldMessage> = {}) =>
    Array.from({ length: to - from + 1 }, (_, index) => row(from + index, fields));

  test.each<[string, OldMessage[], ReturnType<typeof nextOldMessages>]>([
    ['are none of none', [], { keys: [], firstLeft: null, last: null, isMore: false }],
    [
      'are those written before, to the millisecond',
      [row(999), row(1_000)],
      { keys: [999], firstLeft: null, last: 999, isMore: false },
    ],
    [
      'are not those that are done, nor those left for later',
      [row(1, { done: 1 }), row(2), row(3, { held: 1 }), row(4, { since: 1_000 }), row(5)],
      { keys: [2, 5], firstLeft: 3, last: 5, isMore: false },
    ],
    [
      'leave one from the future',
      [row(1, { at: 2_001 }), row(2)],
      { keys: [2], firstLeft: 1, last: 2, isMore: false },
    ],
    [
      'are as many as one transaction takes',
      range(1, 60),
      { keys: range(1, 25).map(({ key }) => key), firstLeft: null, last: 25, isMore: true },
    ],
    [
      'are looked for in a bounded number',
      range(1, 600, { done: 1 }),
      { keys: [], firstLeft: null, last: 500, isMore: true },
    ],
  ])('%s', (_, rows, expected) => {
    expect(nextOldMessages(eachOf(rows), times)).toEqual(expected);
  });
});
