// What counting the people of lists costs: it is asked again while someone builds the conditions.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { countSegment } from '#src/audience/segments/count.ts';
import { countStore } from '#src/audience/segments/count-store.ts';
import { readingsStore } from '#src/audience/subscribers/readings-store.ts';
import { subscriberStore } from '#src/audience/subscribers/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { newId } from '#src/kernel/id.ts';
import { insertList } from '#test/support/audience.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { createTestClock, openTenantDb } from '#test/support/storage.ts';

/** The file with its statements counted as they run. */
const counting = (db: TenantDb) => {
  let ran = 0;
  const counted = new Proxy(db, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name);
      return (sql: string) =>
        new Proxy(target.prepare(sql), {
          get: (statement, method) => {
            const value = Reflect.get(statement, method);
            if (typeof value !== 'function') return value;
            return (...given: unknown[]) => {
              if (method === 'all' || method === 'get' || method === 'run') ran += 1;
              return value.apply(statement, given);
            };
          },
        });
    },
  });
  return { db: counted, ran: () => ran };
};

test('runs the same number of statements whatever the number of people, and finds each once', async () => {
  const { db } = await openTenantDb();
  const lists = ['Eins', 'Zwei'].map((name) => insertList(db, { name }));
  const subscribe = (listSeq: number, address_hash: Buffer): void => {
    subscriberStore(db).insert({
      ...{ id: newId(), list_seq: listSeq, address_hash, address: 'erika@example.org', name: null },
      ...{ data_json: '{}', status: 'active', consent_seq: 1, tracking_seq: null, asked_at: null },
      ...{ created_at: 0, confirmed_at: 0, updated_at: 0 },
    });
  };
  const ask = async (filter: Parameters<typeof countSegment>[3]) => {
    const { db: counted, ran } = counting(db);
    const files = { read: async (_: string, work: (db: TenantDb) => unknown) => work(counted) };
    const context = { files: files as unknown as TenantFiles, clock: createTestClock(1_000) };
    const count = await countSegment(
      context,
      'tenant',
      lists.map(({ id }) => id),
      filter,
    );
    return { count, ran: ran() };
  };
  const empty = await ask([]);
  // Hashes at both ends of what there can be are found too.
  const people = [
    Buffer.alloc(32),
    Buffer.alloc(32, 0xff),
    ...Array.from({ length: 600 }, () => randomBytes(32)),
  ];
  for (const person of people) for (const { seq } of lists) subscribe(seq, person);
  const all = await ask([]);
  expect(all.count).toEqual({ people: 602, matching: 602, active: 602, untracked: 602 });
  expect(all.ran).toBe(empty.ran);
  expect((await ask([{ field: 'email', op: 'contains', value: 'erika' }])).ran).toBe(empty.ran);
});

test('reads an index, as does what retention looks for', async () => {
  const { db } = await openTenantDb();
  const steps = (store: (db: TenantDb) => unknown) => plansOf(db, store).flatMap((plan) => plan.steps);
  expect(steps(countStore)).toContainEqual(
    expect.stringMatching(/subscribers_once \(list_seq=\? AND address_hash>\? AND address_hash<\?\)/),
  );
  expect(steps(readingsStore).filter((step) => /SCAN (?!json_each)|TEMP B-TREE/.test(step))).toEqual([]);
  expect(steps(readingsStore)).toContainEqual(expect.stringContaining('subscribers_read'));
});
