// Pages of the log against all of it, read row by row and sifted in plain code.
// @module-tag slow
import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type FollowedEvent, followStore } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import { type ActivityFilter, activityStore, findActivity } from '#src/followers/activity/store.ts';
import { newId } from '#src/kernel/id.ts';
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

const START = 1_700_000_000_000;
const EVENTS = 6_000;
const everything: ActivityFilter = {
  types: null,
  message: null,
  from: null,
  before: null,
  projects: null,
  withMail: true,
};

let sample: SampleTenant;
let otherProject: string;
let otherRoute: string;
let messages: number[];

const suppression = (place: { project_id?: string; route_id?: string }): EventData => ({
  suppression: {
    id: newId(),
    address: 'x@example.org',
    scope: 'team',
    project_id: null,
    route_id: null,
    project_slug: null,
    route_slug: null,
    reason: 'manual',
    ...place,
  },
});

/** A number that looks like chance and is the same each time. */
const scattered = (index: number, below: number): number =>
  (Math.imul(index + 7, 2_654_435_761) % below) >>> 0;

beforeEach(async () => {
  sample = await openTenantDb();
  const { db, routeId } = sample;
  otherProject = newId();
  otherRoute = newId();
  const store = tenantStore(db);
  store.insertProject({
    id: otherProject,
    name: 'Other',
    slug: 'other',
    is_default: 0,
    archived_at: null,
    created_at: 0,
  });
  store.insertRoute({
    id: otherRoute,
    slug: 'of-other',
    name: 'Of other',
    type: 'transactional',
    project_id: otherProject,
    is_default: 0,
    track_opens: 0,
    track_clicks: 0,
    plain_text_fallback: 1,
    created_at: 0,
  });
  const places = [{}, { project_id: otherProject }, { route_id: otherRoute }, { route_id: routeId }];
  db.transaction(() => {
    messages = Array.from({ length: 40 }, (_, index) => {
      const projectId = index % 4 === 0 ? otherProject : sample.projectId;
      return queueMessage({ ...sample, projectId }).seq;
    });
    const events = eventStore(db);
    for (let index = 0; index < EVENTS; index += 1) {
      // A click is written minutes after it now and then.
      const at = START + index * 5_000 - (index % 50 === 0 ? 5 * MINUTE : 0);
      const place = places[scattered(index, 4)] ?? {};
      if (index % 9 === 0)
        events.append({
          type: 'suppression.added',
          messageSeq: 0,
          recipientId: null,
          at,
          data: suppression(place),
        });
      else if (index % 600 === 5)
        receiveMail(db, {}, { messageSeq: index % 1_200 === 5 ? 0 : (messages[3] ?? 0), at });
      else
        events.append({
          type: index % 700 === 1 ? 'message.clicked' : 'message.sent',
          messageSeq: messages[scattered(index, 40)] ?? 0,
          recipientId: null,
          at,
        });
    }
  })();
});

const all = (): FollowedEvent[] =>
  followStore(sample.db)
    .after(0, EVENTS * 2)
    .toReversed();

/** What `filter` means, once more. */
const sifted = (filter: ActivityFilter): number[] => {
  const mine = (row: FollowedEvent): boolean => {
    if (filter.projects === null) return true;
    const { suppression: about } = JSON.parse(row.data_json ?? '{}') as EventData;
    const project =
      about === undefined ? row.project_id : about.route_id === otherRoute ? otherProject : about.project_id;
    return project !== null && filter.projects.includes(project);
  };
  return all()
    .filter(
      (row) =>
        (filter.types?.includes(row.type) ?? true) &&
        (filter.message === null || row.message_seq === filter.message) &&
        row.at >= (filter.from ?? 0) &&
        row.at < (filter.before ?? Number.POSITIVE_INFINITY) &&
        (filter.withMail || row.type !== 'inbound.received') &&
        mine(row),
    )
    .map(({ seq }) => seq);
};

const walked = (
  filter: ActivityFilter,
  limit: number,
  budgetMs?: number,
): { seqs: number[]; calls: number } => {
  const seqs: number[] = [];
  let before: number | null = null;
  for (let calls = 1; ; calls += 1) {
    const { rows, next } = findActivity(sample.db, filter, before, limit, budgetMs);
    expect(rows.length).toBeLessThanOrEqual(limit);
    seqs.push(...rows.map(({ seq }) => seq));
    if (next === null) return { seqs, calls };
    before = next;
  }
};

const filters: readonly (readonly [name: string, filter: () => Partial<ActivityFilter>, some: number])[] = [
  ['nothing', () => ({}), EVENTS],
  ['a name that is seldom', () => ({ types: ['message.clicked'] }), 5],
  ['two names', () => ({ types: ['message.clicked', 'suppression.added'] }), 500],
  ['a name that never comes', () => ({ types: ['message.opened'] }), 0],
  ['a message', () => ({ message: messages[3] ?? 0 }), 50],
  ['a message and a name', () => ({ message: messages[2] ?? 0, types: ['message.clicked'] }), 0],
  ['a message that has none', () => ({ message: 9_999 }), 0],
  ['a time', () => ({ from: START + HOUR, before: START + 2 * HOUR }), 600],
  ['an end', () => ({ before: START + 30 * MINUTE }), 300],
  ['a time when nothing was', () => ({ from: START + 3 * HOUR + 1, before: START + 3 * HOUR + 2 }), 0],
  ['a project', () => ({ projects: [otherProject] }), 900],
  [
    'a project, a name and a time',
    () => ({ projects: [otherProject], types: ['suppression.added'], from: START + HOUR }),
    50,
  ],
  ['no project at all', () => ({ projects: [] }), 0],
  ['a message, without mail received', () => ({ message: messages[3] ?? 0, withMail: false }), 50],
  ['nothing, without mail received', () => ({ withMail: false }), EVENTS - 10],
  ['mail received', () => ({ types: ['inbound.received'] }), 10],
  ['mail received, without mail received', () => ({ types: ['inbound.received'], withMail: false }), 0],
];

describe('page after page', () => {
  test.each(filters)('all that is asked for by %s comes once, newest first', (_, filter, some) => {
    const wanted = { ...everything, ...filter() };
    const expected = sifted(wanted);
    expect(expected.length).toBeGreaterThanOrEqual(some);
    for (const limit of [7, 200]) expect(walked(wanted, limit).seqs).toEqual(expected);
  });

  test.each(filters)('a call without time looks once and the next one goes on, by %s', (_, filter) => {
    const wanted = { ...everything, ...filter() };
    expect(walked(wanted, 200, 0).seqs).toEqual(sifted(wanted));
  });

  test('a call without time does not look through all of it', () => {
    const { calls, seqs } = walked({ ...everything, types: ['message.opened'] }, 50, 0);
    expect([seqs, calls]).toEqual([[], Math.ceil(EVENTS / 4_096)]);
  });

  test('what retention has removed is not looked for', () => {
    sample.db.prepare('DELETE FROM events WHERE seq <= 5000').run();
    expect(walked({ ...everything, types: ['message.opened'] }, 50, 0).calls).toBe(1);
    expect(walked(everything, 200).seqs).toEqual(sifted(everything));
    sample.db.prepare('DELETE FROM events').run();
    expect(findActivity(sample.db, everything, null, 50)).toEqual({ rows: [], next: null, end: EVENTS });
  });
});

test('every statement finds its rows by a key', () => {
  const plans = plansOf(sample.db, activityStore);
  expect(plans).toHaveLength(8);
  for (const { sql, steps } of plans) {
    expect([sql, steps.filter((step) => /^SCAN (?!json_each)|TEMP B-TREE/.test(step))]).toEqual([sql, []]);
    expect(steps.join('\n')).toMatch(
      sql.includes('events.message_seq = :message')
        ? /SEARCH events USING INDEX events_message \(message_seq=\? AND seq>\? AND seq<\?\)/
        : /^SEARCH events(?! USING INDEX)/,
    );
  }
});
