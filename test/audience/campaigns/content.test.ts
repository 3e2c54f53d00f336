import { expect, test } from 'vitest';
import { compileMailing } from '#src/audience/campaigns/content.ts';
import { valuesOf } from '#src/audience/campaigns/filter.ts';
import { type CampaignContent, campaignBody, scheduleOf } from '#src/audience/campaigns/schema.ts';

const NOW = Date.parse('2026-10-01T12:00:00Z');

const mailing = (content: Partial<CampaignContent>) =>
  compileMailing(
    JSON.stringify({
      subject: 'Für {{name}}',
      text: 'Guten Tag {{name}}',
      html: null,
      template: null,
      ...content,
    }),
    { message_kind: 'newsletter', route_id: 'route' },
    { 'practice.name': 'Praxis am Markt' },
  );
const erika = { address: 'erika@example.org', name: 'Erika', data_json: '{"seite":"javascript:x"}' };

test('each message has the values of its subscriber, and the shared content those that it needs', () => {
  const { draftFor, unfitValues } = mailing({ reply_to: 'a@example.org, b@example.org', tags: ['herbst'] });
  const values = valuesOf(erika);
  expect(unfitValues(values)).toBeNull();
  expect(draftFor(erika, values, 7)).toMatchObject({
    to: [{ address: 'erika@example.org', name: 'Erika' }],
    replyTo: [{ address: 'a@example.org' }, { address: 'b@example.org' }],
    subject: 'Für Erika',
    text: 'Guten Tag Erika',
    kind: 'newsletter',
    route: 'route',
    tags: ['herbst'],
    shared: { id: 7, data: { name: 'Erika' } },
  });
});

test('a value that is missing or cannot be where it would be leaves the subscriber out', () => {
  const values = valuesOf(erika);
  expect(mailing({ text: '{{ort}}' }).unfitValues(values)).toBe('missing_value');
  expect(mailing({ html: '<a href="{{seite}}">Seite</a>' }).unfitValues(values)).toBe('unusable_value');
});

test('content that cannot be used is refused with its place', () => {
  expect(() => mailing({ html: '{{#if x}}' })).toThrow('`body.html`');
  expect(() => mailing({ from: 'no address' })).toThrow(
    expect.objectContaining({ extra: { fields: [expect.objectContaining({ path: 'body.from' })] } }),
  );
});

const times: readonly [says: string, schedule: Parameters<typeof scheduleOf>[0], at: string][] = [
  ['an instant', { schedule_at: '2026-11-02T08:00:00+01:00' }, '2026-11-02T07:00:00.000Z'],
  ['local time in winter', { schedule_at: '2026-11-02T08:00:00' }, '2026-11-02T07:00:00.000Z'],
  ['local time in summer', { schedule_at: '2026-10-02T08:00' }, '2026-10-02T06:00:00.000Z'],
  [
    'another zone',
    { schedule_at: '2026-11-02T08:00', time_zone: 'america/new_york' },
    '2026-11-02T13:00:00.000Z',
  ],
];
test.each(times)('a schedule: %s', (_, schedule, at) => {
  expect(new Date(scheduleOf(schedule, NOW).at).toISOString()).toBe(at);
});

const wrongTimes: readonly [says: string, schedule: Parameters<typeof scheduleOf>[0], path: string][] = [
  ['clocks skip it', { schedule_at: '2027-03-28T02:30' }, 'body.schedule_at'],
  ['it has passed', { schedule_at: '2026-10-01T11:00:00Z' }, 'body.schedule_at'],
  ['too far away', { schedule_at: '2028-10-01T11:00:00Z' }, 'body.schedule_at'],
  ['no such zone', { schedule_at: '2026-11-02T08:00', time_zone: 'Mars/Base' }, 'body.time_zone'],
];
test.each(wrongTimes)('a wrong schedule: %s', (_, schedule, path) => {
  expect(() => scheduleOf(schedule, NOW)).toThrow(path);
});

test('a condition is taken with what its comparison needs', () => {
  const isTaken = (condition: unknown): boolean => campaignBody.safeParse({ filter: [condition] }).success;
  expect(isTaken({ field: 'ort', op: 'is', value: 'Bonn' })).toBe(true);
  expect(isTaken({ field: 'ort', op: 'exists' })).toBe(true);
  expect(isTaken({ field: 'ort', op: 'is' })).toBe(false);
  expect(isTaken({ field: 'ort', op: 'exists', value: 'Bonn' })).toBe(false);
  expect(isTaken({ field: 'seit', op: 'before', value: 'gestern' })).toBe(false);
  expect(isTaken({ field: 'seit', op: 'sometimes', value: 'x' })).toBe(false);
});
