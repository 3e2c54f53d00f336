// @module-tag slow
import { beforeEach, describe, expect, test } from 'vitest';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { fold, hasWord, typedWords } from '#src/kernel/typed-words.ts';
import { searchIndexStore } from '#src/messages/search-index-store.ts';
import {
  everyMessage,
  type MessageFilter,
  messageSearchStore,
  type StatusCounts,
} from '#src/messages/search-store.ts';
import { messageStore } from '#src/messages/store.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

/** One batch per call. */
const IMPATIENT = { ms: 0, batch: 3 };
const PATIENT = { ms: 60_000, batch: 3 };

let tenant: SampleTenant;
let ids: string[];

beforeEach(async () => {
  tenant = await openTenantDb();
  const recipientOf = (n: number) => (n === 1 ? 'berta@example.org' : 'anna@example.org');
  ids = Array.from({ length: 10 }, (_, n) => queueMessage(tenant, { recipients: [recipientOf(n)] }).id);
});

const indexNext = (limit = 1_000): number => searchIndexStore(tenant.db).indexNext(limit);

/** What call after call finds, until nothing is left. */
const pages = (filter: Partial<MessageFilter>, limit: number, budget = PATIENT): string[][] => {
  const found: string[][] = [];
  for (let before: number | null = null; ; ) {
    const page = messageSearchStore(tenant.db).find({ ...everyMessage, ...filter }, before, limit, budget);
    found.push(page.rows.map(({ id }) => id));
    before = page.before;
    if (before === null) return found;
  }
};
const find = (filter: Partial<MessageFilter>): string[] => pages(filter, 1_000).flat();

describe.each([
  ['before they are in the index', 0],
  ['when half of them are in the index', 5],
  ['in the index', 1_000],
])('messages are found %s', (_, indexed) => {
  beforeEach(() => {
    indexNext(indexed);
  });

  test('in pages of the limit, newest first, each once', () => {
    const newestFirst = ids.toReversed();
    for (const filter of [{}, { text: 'example' }, { text: 'e' }, { statuses: ['queued'] as const }])
      expect(pages(filter, 4), JSON.stringify(filter)).toEqual([
        newestFirst.slice(0, 4),
        newestFirst.slice(4, 8),
        newestFirst.slice(8),
      ]);
  });

  test('with any budget: the next call continues where the last one ended', () => {
    const call = messageSearchStore(tenant.db).find({ ...everyMessage, text: 'ex' }, null, 9, IMPATIENT);
    expect({ found: call.rows.length, before: call.before }).toEqual({ found: 3, before: 8 });
    const berta = pages({ text: 'berta' }, 4, IMPATIENT);
    expect(berta.flat()).toEqual([ids[1]]);
    expect(pages({ text: 'anna' }, 1, IMPATIENT).flat()).toEqual(
      ids.toReversed().filter((id) => id !== ids[1]),
    );
    expect(pages({}, 3, IMPATIENT).flat()).toEqual(ids.toReversed());
    expect(pages({}, 2, IMPATIENT).flat()).toEqual(ids.toReversed());
  });

  test('within its time also of a large batch', () => {
    for (let count = 10; count < 150; count += 1) queueMessage(tenant);
    indexNext(indexed);
    const call = (before: number | null) =>
      messageSearchStore(tenant.db).find({ ...everyMessage, text: 'ex' }, before, 500, { ms: 0, batch: 500 });
    const first = call(null);
    expect({ found: first.rows.length, before: first.before }).toEqual({ found: 64, before: 87 });
    expect(call(first.before).rows[0]?.seq).toBe(86);
  });

  test('not after their deletion, and a reused number is another message', () => {
    tenant.db.prepare('DELETE FROM messages WHERE id IN (?, ?)').run(ids[1], ids[9]);
    expect(find({ text: 'berta' })).toEqual([]);
    expect(find({ text: 'anna' })).toEqual(
      ids
        .slice(2, 9)
        .toReversed()
        .concat(ids[0] ?? ''),
    );
    const { id, seq } = queueMessage(tenant, { recipients: ['berta@example.org'] });
    expect(seq).toBe(10);
    expect(find({ text: 'berta' })).toEqual([id]);
    indexNext();
    expect(find({ text: 'berta' })).toEqual([id]);
  });
});

test('a message that misses one clause is not found', () => {
  indexNext();
  expect(pages({ text: 'anna', statuses: ['hard_bounced'] }, 4)).toEqual([[]]);
  expect(pages({ text: 'xyz' }, 4)).toEqual([[]]);
  expect(pages({ projects: [] }, 4).flat()).toEqual([]);
});

test('periods are found by the order of the messages, and each message’s own time is checked', async () => {
  tenant = await openTenantDb();
  const at = [10, 20, 30, 25, 40];
  ids = at.map((now) => queueMessage(tenant, { now }).id);
  const times = (createdFrom: number | null, createdBefore: number | null) =>
    find({ createdFrom, createdBefore }).map((id) => at[ids.indexOf(id)]);
  expect(times(20, 40)).toEqual([25, 30, 20]);
  expect(times(null, 10)).toEqual([]);
  expect(times(41, null)).toEqual([]);
  expect(times(40, null)).toEqual([40]);
  // The clock was set back between two of them.
  expect(times(30, 40)).not.toContain(25);
});

test.each([0, 1_000])(
  'a search compares the current status, not that of the time of indexing: %d',
  (indexed) => {
    indexNext(indexed);
    const set = tenant.db.prepare('UPDATE messages SET status = ? WHERE id = ?');
    set.run('delivered', ids[1]);
    expect(find({ text: 'berta', statuses: ['queued'] })).toEqual([]);
    expect(find({ text: 'berta', statuses: ['delivered'] })).toEqual([ids[1]]);
  },
);

describe('a text among messages of a common status', () => {
  /** More than are rather looked at one by one. */
  const MANY = 8_100;
  beforeEach(() => {
    const { db } = tenant;
    db.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 11 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
       INSERT INTO messages SELECT i, 'm' || i, internet_message_id, project_id, route_id, message_kind, channel, source,
         from_json, to_json, cc_json, bcc_json, reply_to_json, 'Termin ' || i, tag, tags_json, metadata_json, settings_json,
         decisions_json, CASE WHEN i % 2 THEN 'delivered' ELSE status END, score, size_bytes, scheduled_at, created_at,
         updated_at, is_pseudonymous, campaign_seq, template_id, token_id FROM n JOIN messages ON seq = 1`,
    ).run();
    db.prepare("UPDATE messages SET status = 'delivered' WHERE seq > 10").run();
    db.prepare("UPDATE messages SET status = 'opened' WHERE seq % 100 = 0").run();
    indexNext(MANY);
  });

  test('is found by trigrams', () => {
    const has = (text: string) => find({ text, statuses: ['delivered'] });
    const named = (from: number, to: number) =>
      Array.from({ length: from - to + 1 }, (_, n) => `m${from - n}`);
    expect(has('"TERMIN 77"')).toEqual([...named(7_799, 7_701), ...named(779, 770), 'm77']);
    expect(find({ text: '"termin 77"', statuses: ['opened'] })).toEqual(['m7700']);
    expect(has('termin 7700')).toEqual([]);
    expect(has('berta')).toEqual([]);
  });

  test('is found with several statuses, newest first', () => {
    const one = find({ text: '"termin 77"', statuses: ['delivered'] });
    const other = find({ text: '"termin 77"', statuses: ['opened'] });
    const both = find({ text: '"termin 77"', statuses: ['opened', 'delivered'] });
    expect(both.toSorted()).toEqual([...one, ...other].toSorted());
    expect(both[0]).toBe('m7799');
    expect(both.indexOf('m7700')).toBe(99);
    const few = pages({ statuses: ['queued', 'opened'] }, 7);
    expect(few.flat().slice(0, 2)).toEqual(['m8100', 'm8000']);
    expect(few.flat()).toHaveLength(81 + 10);
    expect(new Set(few.flat()).size).toBe(81 + 10);
    expect(find({ statuses: [] })).toEqual([]);
  });

  test('is counted by status, slice by slice', () => {
    const store = messageSearchStore(tenant.db);
    const counted: Record<string, number> = {};
    let slices = 0;
    for (let before: number | null = null; slices === 0 || before !== null; slices += 1) {
      const page: StatusCounts = store.count(
        { ...everyMessage, text: '"termin 77"' },
        before,
        1_000,
        IMPATIENT,
      );
      for (const [status, count] of page.counts) counted[status] = (counted[status] ?? 0) + count;
      before = page.before;
    }
    expect(counted).toEqual({ delivered: 110, opened: 1 });
    expect(slices).toBeGreaterThan(30);
    expect(store.countOfStatus(everyMessage, 'delivered', 100)).toBe(100);
    expect(store.countOfStatus(everyMessage, 'opened', 100)).toBe(81);
  });

  test('is found by one or two characters', () => {
    expect(find({ text: 't', statuses: ['delivered'] })).toHaveLength(8_090 - 81);
    expect(find({ text: '§', statuses: ['delivered'] })).toEqual([]);
  });
});

test('another project, route or kind is never found, even if it shares a facet', () => {
  indexNext();
  const { db, projectId, routeId } = tenant;
  const text = db.prepare('SELECT text FROM search_texts WHERE seq = 1').pluck().get();
  expect(text).toContain('anna@example.org');
  // As if what was compared as a whole had one value for all.
  const others = { projects: [newId()], routeId: newId() };
  for (const filter of [
    { projects: others.projects },
    { routeId: others.routeId },
    { kind: 'recall' as const },
  ])
    expect(find(filter)).toEqual([]);
  expect(find({ projects: [newId(), projectId], routeId, kind: 'transactional' })).toHaveLength(10);
  const many = Array.from({ length: 60 }, newId);
  expect(find({ projects: many, text: 'anna' })).toEqual([]);
  expect(find({ projects: [...many, projectId], text: 'anna' })).toHaveLength(9);
});

test('for every filter the index finds the same messages as reading all of them', () => {
  const letters = [...'aAäÄsß"\'*()^-+:%_\\\t ', 'OR', 'NEAR', '\u0308', '🍎', '\ud800', '\x1f', '字'];
  let state = 1;
  const random = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const text = (length: number) => Array.from({ length }, () => letters[random(letters.length)]).join('');
  const set = tenant.db.prepare('UPDATE messages SET subject = ? WHERE id = ?');
  const subjects = new Map(ids.map((id) => [id, text(30)]));
  for (const [id, subject] of subjects) set.run(subject, id);
  const asked = Array.from({ length: 400 }, (_, n) => {
    const from = random(20);
    return n % 2
      ? text(1 + random(6))
      : (subjects.get(ids[n % 10] ?? '') ?? '').slice(from, from + 1 + random(8));
  });
  const looked = asked.map((q) => find({ text: q }));
  indexNext();
  for (const [n, q] of asked.entries()) expect(find({ text: q }), JSON.stringify(q)).toEqual(looked[n]);
  const has = (subject: string | undefined, q: string) =>
    typedWords(q).every((word) => hasWord(fold(subject ?? ''), word));
  for (const [n, q] of asked.entries())
    for (const id of ids) if (has(subjects.get(id), q)) expect(looked[n], JSON.stringify(q)).toContain(id);
});

test('no statement scans a table or sorts one', () => {
  const { db } = tenant;
  const ofOthers = new Set(plansOf(db, messageStore).map(({ sql }) => sql));
  const steps = [messageSearchStore, searchIndexStore]
    .flatMap((store) => plansOf<TenantDb>(db, store))
    .filter(({ sql }) => !ofOthers.has(sql))
    .flatMap((plan) => plan.steps);
  expect(steps).toContain(
    'SEARCH messages USING COVERING INDEX messages_status (status=? AND rowid>? AND rowid<?)',
  );
  expect(steps.filter((step) => /^SCAN search_trigrams VIRTUAL TABLE INDEX .*M/.test(step))).toHaveLength(1);
  expect(
    steps.filter((step) => /^SCAN (?!search_trigrams|json_each|CONSTANT|\(subquery)|TEMP B-TREE/.test(step)),
  ).toEqual([]);
});
