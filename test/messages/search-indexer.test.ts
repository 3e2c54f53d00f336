import { Writable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createLog } from '#src/kernel/log.ts';
import { searchIndexStore } from '#src/messages/search-index-store.ts';
import { createSearchIndexer, type SearchIndexer } from '#src/messages/search-indexer.ts';
import { everyMessage, messageSearchStore } from '#src/messages/search-store.ts';
import { createTestDisk, type TestDisk } from '#test/kernel/db/test-disk.ts';
import {
  createSampleTenant,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const WORTH_A_TURN = 10;

let directory: string;
let disk: TestDisk;
let storage: Storage;
let tenant: string;
let indexer: SearchIndexer;
let warnings: string[];

const start = async (): Promise<void> => {
  disk = createTestDisk();
  storage = await openTestStorage(directory, { disk });
  const lines = new Writable({
    write: (line, _, done) => {
      warnings.push(JSON.parse(String(line)).msg);
      done();
    },
  });
  indexer = createSearchIndexer(storage.tenants, createLog('warn', lines), WORTH_A_TURN);
};

beforeEach(async () => {
  warnings = [];
  directory = await temporaryDirectory();
  await start();
  tenant = await createSampleTenant(storage);
});

const store = (count: number, of = tenant): Promise<void> =>
  storage.tenants.write(of, (db) => {
    const projectId = tenantStore(db).defaultProject().id;
    const routeId = db.prepare<[], string>('SELECT id FROM routes LIMIT 1').pluck().get() ?? '';
    for (let number = 0; number < count; number++) queueMessage({ db, tenantId: of, projectId, routeId });
  });
const read = <T>(work: (db: TenantDb) => T, of = tenant): Promise<T> => storage.tenants.read(of, work);
const behind = (of = tenant): Promise<number> => read((db) => searchIndexStore(db).behind(), of);
const segments = (): Promise<number> =>
  read(
    (db) =>
      db.prepare<[], number>('SELECT count(DISTINCT segid) FROM search_trigrams_idx').pluck().get() ?? 0,
  );
const found = (text: string): Promise<number> =>
  read((db) => {
    const filter = { ...everyMessage, text };
    return messageSearchStore(db).find(filter, null, 10_000, { ms: 60_000, batch: 10_000 }).rows.length;
  });

test('a practice is indexed when enough messages wait, and not before', async () => {
  await store(WORTH_A_TURN);
  for (let number = 1; number < WORTH_A_TURN; number++) indexer.accepted(tenant);
  await indexer.settled();
  expect(await behind()).toBe(WORTH_A_TURN);
  indexer.accepted(tenant);
  await indexer.settled();
  expect(await behind()).toBe(0);
  await store(1);
  indexer.accepted(tenant);
  await indexer.settled();
  expect(await behind()).toBe(1);
});

test('look finds messages that have waited since before the start', async () => {
  await store(WORTH_A_TURN - 1);
  await indexer.look(tenant);
  await indexer.settled();
  expect(await behind()).toBe(WORTH_A_TURN - 1);
  await store(1);
  await indexer.look(tenant);
  await indexer.settled();
  expect(await behind()).toBe(0);
});

test('a search that reads many unindexed messages brings the index up to date', async () => {
  await store(WORTH_A_TURN);
  indexer.waiting(tenant, await behind());
  await indexer.settled();
  expect(await behind()).toBe(0);
});

test('thousands of messages are indexed and merged in short transactions, practices in turns', async () => {
  const other = await createSampleTenant(storage, 'Andere');
  await store(5_000);
  await store(500, other);
  const before = disk.syncs();
  indexer.waiting(tenant, 5_000);
  indexer.waiting(other, 500);
  await indexer.settled();
  expect([await behind(), await behind(other)]).toEqual([0, 0]);
  expect(disk.syncs() - before).toBeGreaterThan(22);
  expect(await segments()).toBeLessThan(10);
  expect(await found('anna@')).toBe(5_000);
});

test('a failing disk blocks no one, and the next look continues', async () => {
  await store(WORTH_A_TURN);
  disk.failNextSync(new Error('the disk is gone'));
  indexer.waiting(tenant, WORTH_A_TURN);
  await indexer.settled();
  expect(warnings).toEqual(['the search index could not be brought up to date']);
  await indexer.look(tenant);
  await indexer.settled();
  expect(await behind()).toBe(0);
  expect(await found('anna@')).toBe(WORTH_A_TURN);
});

test('a stop ends between two transactions, and the next start continues', async () => {
  await store(2_000);
  indexer.waiting(tenant, 2_000);
  await indexer.stop();
  const left = await behind();
  expect(left).toBeGreaterThan(0);
  indexer.waiting(tenant, left);
  await indexer.settled();
  expect(await behind()).toBe(left);
  await storage.close();
  await start();
  expect(await found('anna@')).toBe(2_000);
  await indexer.look(tenant);
  await indexer.settled();
  expect(await behind()).toBe(0);
  expect(await found('anna@')).toBe(2_000);
});
