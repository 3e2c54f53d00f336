import { beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '#src/db/storage.ts';
import { auditRetentionJob } from '#src/events/audit-retention.ts';
import { createLog } from '#src/kernel/log.ts';
import { DAY } from '#src/kernel/time.ts';
import { registryStore } from '#src/tenants/registry-store.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';
import { recordAt, timesOf } from './audit-fixture.ts';

const KEEP = 100 * DAY;
const NOW = 1_700_000_000_000;
const CUTOFF = NOW - KEEP;
const OLD = [CUTOFF - 3, CUTOFF - 2, CUTOFF - 1];
const KEPT = [CUTOFF, NOW];

const log = createLog('silent');
let storage: Storage;
let tenants: string[];
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenants = [];
  for (const name of ['A', 'B', 'C']) tenants.push(await createSampleTenant(storage, name));
  await storage.platform.write((db) => recordAt(db, [...OLD, ...KEPT]));
  for (const id of tenants) await storage.tenants.write(id, (db) => recordAt(db, [...OLD, ...KEPT]));
});

const jobOn = (on: Storage, perTransaction?: number) =>
  auditRetentionJob(
    {
      platform: on.platform,
      files: on.tenants,
      // Pages of two, so that the next page is asked for.
      listTenants: (after) => on.platform.read((db) => registryStore(db).listAll(after, 2)),
      keep: () => KEEP,
      clock: createTestClock(NOW),
    },
    perTransaction,
  );

const left = async (): Promise<unknown[][]> => [
  await storage.platform.read(timesOf),
  ...(await Promise.all(tenants.map((id) => storage.tenants.read(id, timesOf)))),
];
const ALL = [...OLD, ...KEPT];

describe('the daily removal of old audit entries', () => {
  test('removes what is older than it is kept, in the registry and every tenant, and nothing else', async () => {
    await jobOn(storage).run(new AbortController().signal, log);
    expect(await left()).toEqual([KEPT, KEPT, KEPT, KEPT]);
  });

  test('takes several transactions where there is much', async () => {
    let writes = 0;
    const write: Storage['platform']['write'] = (work) => {
      writes += 1;
      return storage.platform.write(work);
    };
    await jobOn({ ...storage, platform: { ...storage.platform, write } }, 1).run(
      new AbortController().signal,
      log,
    );
    expect(await left()).toEqual([KEPT, KEPT, KEPT, KEPT]);
    expect(writes).toBe(OLD.length + 1);
  });

  test('writes nothing where nothing is old', async () => {
    await jobOn(storage).run(new AbortController().signal, log);
    const refuse = () => Promise.reject(new Error('written'));
    const reading: Storage = {
      ...storage,
      platform: { ...storage.platform, write: refuse },
      tenants: { ...storage.tenants, write: refuse },
    };
    await jobOn(reading).run(new AbortController().signal, log);
  });

  test('passes over a tenant whose file fails, and fails at its end', async () => {
    const [first] = tenants;
    const read: Storage['tenants']['read'] = (id, work) =>
      id === first ? Promise.reject(new Error('EIO')) : storage.tenants.read(id, work);
    const faulty = { ...storage, tenants: { ...storage.tenants, read } };
    await expect(jobOn(faulty).run(new AbortController().signal, log)).rejects.toThrow(AggregateError);
    expect(await left()).toEqual([KEPT, ALL, KEPT, KEPT]);
  });

  test('stops when the daemon stops', async () => {
    const stop = new AbortController();
    const looked: string[] = [];
    const read: Storage['tenants']['read'] = (id, work) => {
      looked.push(id);
      stop.abort();
      return storage.tenants.read(id, work);
    };
    await jobOn({ ...storage, tenants: { ...storage.tenants, read } }).run(stop.signal, log);
    expect(looked).toEqual(tenants.slice(0, 1));
    expect(await left()).toEqual([KEPT, ALL, ALL, ALL]);
  });
});
