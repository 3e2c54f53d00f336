import { expect, onTestFinished, test } from 'vitest';
import { forgetMemory } from '#src/kernel/db/memory.ts';
import { createHandOver } from '#src/messages/hand-over.ts';
import { openTenantDb } from '#test/support/storage.ts';

/** Eight of them fit in 8 MiB and 34 in 32, with room for what other tests of this process have left. */
const SIZE = 960_000;

const open = async () => {
  const { db } = await openTenantDb();
  onTestFinished(() => forgetMemory(db));
  return { db, handOver: createHandOver<string>(db) };
};

/** How many entries of that size find room. */
const kept = ({ handOver }: Awaited<ReturnType<typeof open>>, size: number, tried: number): number => {
  let count = 0;
  for (let seq = 1; seq <= tried; seq++) {
    handOver.put(seq, size, 'rows');
    if (handOver.get(seq) !== undefined) count += 1;
  }
  return count;
};

test('one tenant has 8 MiB, and all together 32', async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, open));
  const counts = tenants.map((tenant) => kept(tenant, SIZE, 12));
  expect(counts).toEqual([8, 8, 8, 8, 2, 0]);
});

test('what is removed, cleared or forgotten leaves its room to others', async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, open));
  const [first, second, third, , fifth] = tenants;
  if (!first || !second || !third || !fifth) throw new Error('five tenants');
  for (const tenant of tenants) kept(tenant, SIZE, 12);
  first.handOver.remove(1);
  first.handOver.remove(1);
  expect(first.handOver.get(1)).toBeUndefined();
  expect(kept(fifth, SIZE, 12)).toBe(3);
  second.handOver.clear();
  forgetMemory(third.db);
  expect(kept(fifth, SIZE, 12)).toBe(8);
});
