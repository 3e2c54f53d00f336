// Tokens are remembered beside the registry: whatever happens to the row, the next answer is what the file says.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { credentialStore } from '#src/accounts/entry/token-store.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { anonymous } from '#src/kernel/access.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { hashBearer } from '#src/kernel/credentials.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { createAuthenticate } from '#src/people/authenticate.ts';
import { revokeToken } from '#src/people/tokens.ts';
import { createTestDisk, type TestDisk } from '#test/kernel/db/test-disk.ts';
import { until } from '#test/support/process.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';
import { byOperator, mintToken } from './practice.ts';

const START = 1_700_000_000_000;
const ENDS = START + 60_000;

let directory: string;
let disk: TestDisk;
let clock: TestClock;
let storage: Storage;
let tenantId: string;
let token: string;
let tokenId: string;

/** Whether a request with it is let in. */
const letsIn = async (bearer = token): Promise<boolean> => {
  const ask = createAuthenticate({
    platform: storage.platform,
    clock,
    adminToken: null,
    lastUsed: {
      note: () => undefined,
      notedAt: () => undefined,
      forget: () => undefined,
      flush: async () => undefined,
    },
    sessions: { byBearer: async () => anonymous, byCookie: async () => anonymous },
  });
  const nothing = { adminToken: null, cookie: null, csrfToken: null, isWrite: false, isOnceMore: false };
  return ask({ ...nothing, bearer }, '192.0.2.7').then(
    () => true,
    () => false,
  );
};

const revoke = () =>
  revokeToken({ storage, clock, queue: createKeyedQueue() }, tenantId, tokenId, byOperator());

const find = (db: PlatformDb) => credentialStore(db).find(hashBearer(token));

beforeEach(async () => {
  directory = await temporaryDirectory();
  disk = createTestDisk();
  clock = createTestClock(START);
  storage = await openTestStorage(directory, { disk, runsTwice: false });
  tenantId = await createSampleTenant(storage);
  const minted = await mintToken(storage, clock, tenantId, { expiresAt: ENDS });
  token = minted.token;
  tokenId = minted.row.id;
  expect(await letsIn()).toBe(true);
});

describe('a token that has let in', () => {
  test('is not read again', async () => {
    await storage.platform.write((db) => void db.prepare('DELETE FROM credentials').run());
    expect(await letsIn()).toBe(true);
  });

  test('ends with its time', async () => {
    clock.set(ENDS - 1);
    expect(await letsIn()).toBe(true);
    clock.set(ENDS);
    expect(await letsIn()).toBe(false);
  });

  test('ends with its revocation, from its transaction on', async () => {
    disk.hold();
    onTestFinished(disk.release);
    const revoked = revoke();
    await until('the revocation was committed', () => storage.platform.peek(find)?.revoked_at === START);
    expect(await letsIn()).toBe(false);
    disk.release();
    await revoked;
    expect(await letsIn()).toBe(false);
  });

  test('lets in without waiting for what others store', async () => {
    disk.hold();
    onTestFinished(disk.release);
    const other = storage.platform.write((db) => registryStore(db).reserve(newId(), 'other', START));
    await until('it was committed', () =>
      storage.platform.peek((db) => registryStore(db).isSlugTaken('other')),
    );
    expect(await letsIn()).toBe(true);
    disk.release();
    await other;
  });

  test('ends with its practice', async () => {
    await storage.platform.write((db) => registryStore(db).remove(tenantId));
    expect(await letsIn()).toBe(false);
  });

  test('lets in again where its revocation was undone', async () => {
    const failed = storage.platform.write((db) => {
      credentialStore(db).revoke(tokenId, tenantId, START);
      expect(find(db)).toMatchObject({ revoked_at: START });
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    expect(await letsIn()).toBe(true);
  });

  test('is what the file says after a failed sync of its revocation', async () => {
    disk.failNextSync(new Error('no disk'));
    await expect(revoke()).rejects.toMatchObject({ code: 'unavailable' });
    await until('the registry was opened again', () => !storage.platform.broken());
    const rows = storage.platform.peek((db) =>
      db.prepare('SELECT 1 FROM credentials WHERE revoked_at IS NULL').all(),
    );
    expect(await letsIn()).toBe(rows.length === 1);
  });

  test('is asked for anew after a restart', async () => {
    await revoke();
    await storage.close();
    storage = await openTestStorage(directory, { disk, runsTwice: false });
    expect(await letsIn()).toBe(false);
    token = (await mintToken(storage, clock, tenantId)).token;
    expect(await letsIn()).toBe(true);
    await storage.close();
    storage = await openTestStorage(directory, { disk, runsTwice: false });
    expect(await letsIn()).toBe(true);
  });
});

describe('a token that is being made', () => {
  const other = `svc_team_${'7'.repeat(43)}`;
  const insert = (db: PlatformDb) => {
    const limits = { project_id: null, name: 'other', expires_at: null, allowed_json: null };
    credentialStore(db).insert(
      hashBearer(other),
      { token_id: 'other', tenant_id: tenantId, ...limits },
      START,
    );
    expect(credentialStore(db).find(hashBearer(other))).toMatchObject({ token_id: 'other' });
  };

  test('lets in at once when it is made, also where it was tried before', async () => {
    expect(await letsIn(other)).toBe(false);
    await storage.platform.write(insert);
    expect(await letsIn(other)).toBe(true);
  });

  test('lets no one in where that was undone', async () => {
    const failed = storage.platform.write((db) => {
      insert(db);
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    expect(await letsIn(other)).toBe(false);
  });
});
