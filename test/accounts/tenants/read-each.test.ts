import { expect, test } from 'vitest';
import { readEach } from '#src/accounts/tenants/read-each.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';

const tenants = Array.from({ length: 10 }, (_, index) => ({ id: `t${index}` }));

/** Files that answer with their id, later ones sooner; `failing` cannot be read. */
const files = (failing: string, onRead: (change: 1 | -1) => void): TenantFiles =>
  ({
    read: async (id: string, work: (db: unknown) => unknown) => {
      onRead(1);
      for (let turns = 20 - Number(id.slice(1)); turns > 0; turns--) await null;
      onRead(-1);
      if (id === failing) throw new Error(`${id} is broken`);
      return work(id);
    },
  }) as unknown as TenantFiles;

test('reads all in their order, few at a time, and reports what it leaves out', async () => {
  let reading = 0;
  let most = 0;
  const onRead = (change: 1 | -1): void => {
    reading += change;
    most = Math.max(most, reading);
  };
  const faults: string[] = [];
  const found = await readEach(
    files('t3', onRead),
    tenants,
    (db) => String(db),
    (error, { id }) => faults.push(`${id}: ${error}`),
  );
  expect(found).toEqual(tenants.map(({ id }) => (id === 't3' ? undefined : id)));
  expect(faults).toEqual(['t3: Error: t3 is broken']);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
});
