import { describe, expect, test } from 'vitest';
import {
  type HealthByRecord,
  type HostsToCheck,
  isInUseDue,
  judgeHealth,
  nextCheckAt,
  type WatchedRecord,
} from '#src/domains/custom/record-health.ts';
import type { RecordStatus } from '#src/domains/records/host-check.ts';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';

const NOW = 1_700_000_000_000;

const record = (status: RecordStatus, fields: Partial<WatchedRecord> = {}): WatchedRecord => ({
  purpose: 'spf',
  type: 'TXT',
  name: 'praxis.test',
  value: 'v=spf1 ~all',
  priority: null,
  required: true,
  found: [],
  status,
  ...fields,
});

/** `15 missing`: looked at after 15 minutes, found missing. Says what was told: `15 bad`, `30 right`. */
const run = (looks: readonly string[], fields: Partial<WatchedRecord> = {}): string[] => {
  let health: HealthByRecord = {};
  return looks.flatMap((look) => {
    const [minute = '', status] = look.split(' ');
    const found = record(status as RecordStatus, fields);
    const verdict = judgeHealth(health, [found], NOW + Number(minute) * MINUTE);
    health = verdict.health;
    return [...verdict.wentBad.map(() => `${minute} bad`), ...verdict.recovered.map(() => `${minute} right`)];
  });
};

const hours = (count: number): number => (count * HOUR) / MINUTE;

describe('the owners are told of a required record', () => {
  test('that should not be there: not while it cannot be found out', () => {
    const looks = ['0 ok', '15 error', `${hours(30)} error`, `${hours(60)} error`];
    expect(run(looks, { value: null })).toEqual([]);
    expect(run(looks)).toEqual([`${hours(30)} bad`]);
    expect(run(['0 ok', '15 mismatch', '30 mismatch'], { value: null })).toEqual(['30 bad']);
  });

  test.each([
    { says: 'that is right: nothing', looks: ['0 ok', '15 ok'], told: [] },
    { says: 'not at the first look', looks: ['0 ok', '15 missing'], told: [] },
    { says: 'at the second look in a row', looks: ['0 missing', '15 missing'], told: ['15 bad'] },
    ...['missing', 'mismatch', 'multiple', 'proxied'].map((status) => ({
      says: `that is ${status}`,
      looks: ['0 ok', `15 ${status}`, `30 ${status}`],
      told: ['30 bad'],
    })),
    { says: 'wrong in another way', looks: ['0 missing', '15 multiple'], told: ['15 bad'] },
    { says: 'not by two looks at one time', looks: ['0 missing', '1 missing', '9 missing'], told: [] },
    {
      says: 'once, however long it lasts',
      looks: ['0 missing', '15 missing', '30 missing', `${hours(48)} missing`],
      told: ['15 bad'],
    },
    {
      says: 'and that it is right again',
      looks: ['0 missing', '15 missing', '30 ok', '45 ok'],
      told: ['15 bad', '30 right'],
    },
    { says: 'not that it is right where they knew nothing', looks: ['0 missing', '5 ok'], told: [] },
    {
      says: 'again when it goes bad again',
      looks: ['0 missing', '15 missing', '30 ok', '45 missing', '60 missing'],
      told: ['15 bad', '30 right', '60 bad'],
    },
    {
      says: 'not where it was right between two looks',
      looks: ['0 missing', '15 ok', '30 missing', '40 ok'],
      told: [],
    },
    { says: 'not when the DNS does not answer', looks: ['0 ok', '15 error', `${hours(20)} error`], told: [] },
    {
      says: 'when the DNS does not answer for a day',
      looks: ['0 ok', '15 error', `${hours(24) + 14} error`, `${hours(24) + 15} error`],
      told: [`${hours(24) + 15} bad`],
    },
    {
      says: 'not when a day without answers has one in it',
      looks: ['0 error', `${hours(12)} ok`, `${hours(12) + 15} error`, `${hours(25)} error`],
      told: [],
    },
    {
      says: 'where two looks that found it wrong have one without an answer between them',
      looks: ['0 missing', '15 error', '30 missing'],
      told: ['30 bad'],
    },
    {
      says: 'not where a failure follows a single look that found it wrong',
      looks: ['0 missing', '15 error', '30 error'],
      told: [],
    },
  ])('$says', ({ looks, told }) => {
    expect(run(looks)).toEqual(told);
  });
});

test('an optional record is told of only where it was right before', () => {
  const optional = { required: false };
  expect(run(['0 missing', '15 missing', '30 missing'], optional)).toEqual([]);
  expect(run(['0 ok', '15 missing', '30 missing'], optional)).toEqual(['30 bad']);
  expect(run(['0 error', `${hours(30)} error`], optional)).toEqual([]);
  expect(run(['0 ok', '15 error', `${hours(30)} error`], optional)).toEqual([`${hours(30)} bad`]);
});

test('records are told apart by purpose, type and name, and those no longer wanted are forgotten', () => {
  const records = [record('missing'), record('ok', { name: 'bounce.praxis.test' })];
  const first = judgeHealth({}, records, NOW);
  expect(Object.keys(first.health)).toEqual(['spf TXT praxis.test', 'spf TXT bounce.praxis.test']);
  const second = judgeHealth(first.health, [record('missing')], NOW + 15 * MINUTE);
  expect(second.wentBad).toEqual([record('missing')]);
  expect(Object.keys(second.health)).toEqual(['spf TXT praxis.test']);
});

const looked = (before: HealthByRecord, ...records: readonly WatchedRecord[]) => ({
  at: NOW,
  health: judgeHealth(before, records, NOW).health,
  records,
});
const told: HealthByRecord = {
  'spf TXT praxis.test': { wasOk: true, badSince: NOW - DAY, errorSince: null, notifiedAt: NOW - HOUR },
};
const nothing: HostsToCheck = { pending: null, inUse: null };
const inUse = (...records: readonly WatchedRecord[]): HostsToCheck => ({
  ...nothing,
  inUse: { last: looked({}, ...records) },
});
const pending = (days: number) => ({ attachedAt: NOW - days * DAY });

describe('a practice is looked at next', () => {
  test.each([
    { says: 'never where it has no domain of its own', hosts: nothing, minutes: null },
    { says: 'soon where a domain is pending', hosts: { ...nothing, pending: pending(0) }, minutes: 15 },
    { says: 'soon for 30 days', hosts: { ...nothing, pending: pending(29.9) }, minutes: 15 },
    { says: 'daily after that', hosts: { ...nothing, pending: pending(30) }, minutes: 1_440 },
    {
      says: 'soon where the domain was never looked at',
      hosts: { ...nothing, inUse: { last: null } },
      minutes: 15,
    },
    { says: 'daily where all is right', hosts: inUse(record('ok')), minutes: 1_440 },
    { says: 'soon where a record is wrong', hosts: inUse(record('missing')), minutes: 15 },
    { says: 'soon where the DNS does not answer', hosts: inUse(record('error')), minutes: 15 },
    {
      says: 'daily where only what should not be there cannot be asked for',
      hosts: inUse(record('ok'), record('error', { value: null, purpose: 'apex_mx' })),
      minutes: 1_440,
    },
    {
      says: 'daily where what is wrong has been told',
      hosts: { ...nothing, inUse: { last: looked(told, record('missing')) } },
      minutes: 1_440,
    },
    {
      says: 'daily if only optional records are wrong',
      hosts: inUse(record('ok'), record('missing', { required: false, purpose: 'bimi' })),
      minutes: 1_440,
    },
    {
      says: 'soon for the pending domain, however good the other is',
      hosts: { ...inUse(record('ok')), pending: pending(1) },
      minutes: 15,
    },
  ])('$says', ({ hosts, minutes }) => {
    expect(nextCheckAt(hosts, NOW, 0.5)).toBe(minutes === null ? null : NOW + minutes * MINUTE);
  });

  test('within a tenth of a day before or after, so that not all come together', () => {
    expect(nextCheckAt(inUse(record('ok')), NOW, 0)).toBe(NOW + 0.9 * DAY);
    expect(nextCheckAt(inUse(record('ok')), NOW, 0.999_999_999)).toBe(NOW + 1.1 * DAY);
  });
});

describe('beside a pending domain the one in use is looked at', () => {
  test.each([
    { says: 'at once where it never was', hosts: { ...nothing, inUse: { last: null } }, after: 0, due: true },
    { says: 'not for most of a day', hosts: inUse(record('ok')), after: 21 * HOUR, due: false },
    { says: 'daily', hosts: inUse(record('ok')), after: 22 * HOUR, due: true },
    { says: 'soon where a record is wrong', hosts: inUse(record('missing')), after: 15 * MINUTE, due: true },
    { says: 'never where there is none', hosts: nothing, after: 9 * DAY, due: false },
  ])('$says', ({ hosts, after, due }) => {
    expect(isInUseDue(hosts, NOW + after)).toBe(due);
  });
});
