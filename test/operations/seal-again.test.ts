// A change of the master key: nothing opens with the former key afterwards, everything with the new one, and what was sent or kept
// before works as it did, also where the change was cut off on its way.
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { masterKeyStore } from '#src/accounts/tenants/key-store.ts';
import { changeOfMasterKey, openKeys, sealedLast } from '#src/accounts/tenants/master-key.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { MASTER_KEY_JOB } from '#src/app/master-key-job.ts';
import { loadSchema } from '#src/app/schema.ts';
import { sealedRowsAfter } from '#src/kernel/db/sealed-rows.ts';
import { type AnyDb, openReadOnly, type PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { sealingKeyOf } from '#src/kernel/keys.ts';
import { createLog } from '#src/kernel/log.ts';
import { unseal } from '#src/kernel/seal.ts';
import type { SealedPlace, SealedPlaces } from '#src/kernel/sealed-place.ts';
import { Secret } from '#src/kernel/secret.ts';
import { sealAgain } from '#src/operations/seal-again.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { masterKeyIn } from '#test/support/keys.ts';
import { expectLasting, type Lasting, makeLasting } from '#test/support/lasting.ts';
import { openTestStorage } from '#test/support/storage.ts';

/** Columns of bytes that are nothing sealed, or are not gone through, and why. */
const OTHER_BYTES: Readonly<Record<string, string>> = {
  'master_key_check.sealed': 'written by the first start with the new key',
  'master_key_check.former': 'as sealed',
  'master_key_check.lasting': 'as sealed',
  'lasting_keys.sealed': 'the last one, after those of all rooms',
  'abuse_ticket_sources.content': 'a mail',
  'attachments.content': 'a file',
  'consent_documents.content': 'what people were shown',
  'import_pieces.content': 'a file',
  'images.content': 'a picture',
  'inbound_pieces.content': 'a mail',
  'page_settings.logo': 'a picture',
};
const HASH = /(?:hash|_mac|\.mac)$/;

const config = { smtp: { inbound: { listen: '127.0.0.1:0' } } };
let app: TestApp;
let lasting: Lasting;
let sealed: readonly SealedPlaces[];
let before: Buffer;
let after: Buffer;

const file = (...names: string[]): string => path.join(app.home, ...names);
const secrets = () => ({
  masterKey: new Secret(after.toString('base64')),
  formerMasterKey: new Secret(before.toString('base64')),
  evidenceKey: null,
});

/** What each key alone opens of all sealed values of all files. */
const opened = (): { count: number; former: string[]; notPresent: string[] } => {
  const found = { count: 0, former: [] as string[], notPresent: [] as string[] };
  const tenants = app.sql<{ id: string }>(null, "SELECT id FROM tenants WHERE state = 'active'");
  const look = (name: string, id: string, places: readonly SealedPlace[]): void => {
    const db = openReadOnly<AnyDb>(file('data', name));
    for (const place of places)
      for (let rows = sealedRowsAfter(db, place, null); rows.length > 0; ) {
        for (const row of rows) {
          const opens = (master: Buffer): boolean => {
            try {
              const key = sealingKeyOf(place.purpose, master, null);
              return unseal(key, row.sealed, place.boundTo(row.values, id)).length > 0;
            } catch {
              return false;
            }
          };
          found.count++;
          if (opens(before)) found.former.push(`${name} ${place.table}.${place.column}`);
          if (!opens(after)) found.notPresent.push(`${name} ${place.table}.${place.column}`);
        }
        rows = sealedRowsAfter(db, place, rows.at(-1)?.key ?? null);
      }
    db.close();
  };
  for (const { id } of tenants)
    look(path.join('tenants', id, 'tenant.db'), id, [
      ...sealed.flatMap(({ tenant = [] }) => tenant),
      sealedLast,
    ]);
  look(
    'platform.db',
    '',
    sealed.flatMap(({ platform = [] }) => platform),
  );
  return found;
};

const change = () => {
  const db = openReadOnly<PlatformDb>(file('data', 'platform.db'));
  try {
    return changeOfMasterKey(db, secrets());
  } finally {
    db.close();
  }
};

beforeAll(async () => {
  app = await startApp({ config });
  lasting = await makeLasting(app);
  ({ sealed } = app);
  await app.createSender();
  await app.stop();
  before = masterKeyIn(app.home);
  after = randomBytes(32);
});
afterAll(() => app?.remove());

test('each column of bytes is a hash, content, or a sealed value that a room speaks for', () => {
  const spoken = sealed
    .flatMap(({ tenant = [], platform = [] }) => [...tenant, ...platform])
    .map(({ table, column }) => `${table}.${column}`);
  const found = (['tenant', 'platform'] as const).flatMap((kind) => {
    const db = new Database(':memory:');
    for (const { sql } of loadSchema()[kind]) db.exec(sql);
    return db
      .prepare<[], string>(
        `SELECT tables.name || '.' || columns.name FROM pragma_table_list AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.schema = 'main' AND tables.type = 'table' AND columns.type = 'BLOB'`,
      )
      .pluck()
      .all();
  });
  const silent = found.filter((one) => !spoken.includes(one) && !HASH.test(one) && !(one in OTHER_BYTES));
  expect(silent).toEqual([]);
  expect([...spoken, ...Object.keys(OTHER_BYTES)].filter((one) => !found.includes(one))).toEqual([]);
});

test('a start with the new key alone is refused, and changes nothing', async () => {
  renameSync(file('master.key'), file('former.key'));
  writeFileSync(file('master.key'), after.toString('base64'), { mode: 0o600 });
  await expect(startApp({ home: app.home, config })).rejects.toThrow('secrets.former_master_key_file');
  expect(opened().former).toHaveLength(opened().count);
});

describe('the change', () => {
  /** Everything that a crash at a write leaves, of storage that fails from that write on. */
  const cutOff = (storage: Storage, writes: { left: number }): Storage => {
    const counted = <T>(write: () => Promise<T>): Promise<T> => {
      if (writes.left-- <= 0) throw new Error('cut off');
      return write();
    };
    return {
      ...storage,
      platform: { ...storage.platform, write: (work) => counted(() => storage.platform.write(work)) },
      tenants: { ...storage.tenants, write: (id, work) => counted(() => storage.tenants.write(id, work)) },
    };
  };

  test('goes on after it was cut off at any write, and says when it has ended', async () => {
    const log = createLog('silent');
    const total = opened().count;
    expect(total).toBeGreaterThan(12);
    for (let allowed = 0; change() !== 'none'; allowed++) {
      expect(allowed).toBeLessThan(50);
      const storage = await openTestStorage(file('data'));
      const { key } = await storage.platform.write((db) => openKeys(db, secrets()));
      // Each time one write further than before.
      const failing = cutOff(storage, { left: 1 });
      const deps = {
        storage: failing,
        key,
        log,
        places: sealed,
        last: sealedLast,
        tenantsAfter: (number: number) => storage.platform.read((db) => registryStore(db).listAll(number, 1)),
        ended: () => storage.platform.write((db) => masterKeyStore(db).endChange()),
      };
      await sealAgain(deps, new AbortController().signal, (work) => work()).catch(() => undefined);
      await storage.close();
      const { count, former, notPresent } = opened();
      expect(count).toBe(total);
      expect(former).toEqual(notPresent);
      if (allowed === 2) {
        // Neither key alone opens all of it.
        await expect(startApp({ home: app.home, config })).rejects.toThrow('has not ended');
      }
    }
    expect(opened()).toEqual({ count: total, former: [], notPresent: [] });
  });

  test('leaves what lasts as it was, without the former key', async () => {
    app = await startApp({ home: app.home, config });
    await expectLasting(app, lasting);
    await app.stop();
  });

  test('may be followed by another one, done by the job of the daemon', async () => {
    renameSync(file('master.key'), file('former.key'));
    before = after;
    after = randomBytes(32);
    writeFileSync(file('master.key'), after.toString('base64'), { mode: 0o600 });
    const both = { ...config, secrets: { former_master_key_file: file('former.key') } };
    app = await startApp({ home: app.home, config: both });
    expect(change()).toBe('begun');
    const next = await app.createSender();
    await app.runJob(MASTER_KEY_JOB);
    expect(change()).toBe('none');
    await app.send(next);
    await app.stop();
    const { count, ...wrong } = opened();
    expect(count).toBeGreaterThan(12);
    expect(wrong).toEqual({ former: [], notPresent: [] });
    app = await startApp({ home: app.home, config });
    onTestFinished(() => app.stop());
    await app.untilStatus(lasting.sender, await app.send(lasting.sender), 'processed');
    expect((await app.request('GET', lasting.unsubscribe)).status).toBe(200);
  });
});
