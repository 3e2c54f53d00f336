// Two practices share platform.db: what one of them changes there leaves every row of the other as it was. Names of
// domains and tokens come from requests and from the DNS, so the store must not rely on its callers for this.
import { beforeEach, describe, expect, test } from 'vitest';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { loadSchema } from '#src/app/schema.ts';
import type { NewDkimKey } from '#src/domains/keys/keys.ts';
import { domainRegistryStore } from '#src/domains/registry-store.ts';
import { migrate } from '#src/kernel/db/migrate.ts';
import { openSqlite, type PlatformDb } from '#src/kernel/db/sqlite.ts';

let db: PlatformDb;
let store: ReturnType<typeof domainRegistryStore>;

const key = (token: string, domain: string, record = `v=DKIM1; p=${token}`): NewDkimKey => ({
  token,
  domain,
  record,
  algorithm: 'rsa-sha256',
  role: 'active',
  position: 1,
  sealed_key: Buffer.alloc(0),
  created_at: 1,
  published_at: 1,
  activated_at: 1,
  retired_at: null,
});

/** All rows that belong to a practice. */
const rowsOf = (tenantId: string): unknown =>
  ['domains', 'dkim_tokens', 'domain_work'].map((table) =>
    db.prepare(`SELECT * FROM ${table} WHERE tenant_id = ? ORDER BY 1`).all(tenantId),
  );

beforeEach(() => {
  db = openSqlite(':memory:', { create: true, busyTimeoutMs: 0 }) as PlatformDb;
  migrate(db, loadSchema().platform);
  store = domainRegistryStore(db);
  for (const id of ['a', 'b']) {
    db.prepare(
      "INSERT INTO tenants (id, slug, state, created_at, purpose) VALUES (?, ?, 'active', 0, 'practice')",
    ).run(id, id);
    store.insertDomain(`${id}.send.example.com`, id, 'managed', 1);
    store.claim(`${id}.example`, id, 1);
    store.publish(id, key(`${id}1`, `${id}.send.example.com`));
    store.publish(id, key(`${id}2`, `${id}.example`));
    store.addWork(id, 10, 10);
  }
});

describe('a change by practice a', () => {
  test.each<[what: string, change: () => void]>([
    ['removes its domain', () => store.removeDomain('a.example', 'a')],
    ['withdraws its token', () => store.withdraw('a1', 'a')],
    [
      'publishes another record behind its token',
      () => store.put('a', key('a1', 'a.example', 'v=DKIM1; p=')),
    ],
    ['publishes a new token', () => store.put('a', key('a3', 'a.example'))],
    ['sets the time of its next check', () => store.setCheckAt('a', 20)],
    ['needs no check any more', () => store.setCheckAt('a', null)],
    ['sets the time when its keys are due', () => store.setKeysAt('a', 20)],
    ['claims another domain', () => store.claim('other.example', 'a', 5)],
    ['claims its own domain again', () => store.claim('a.example', 'a', 5)],
  ])('%s, and changes no row of practice b', (_what, change) => {
    const [own, others] = [rowsOf('a'), rowsOf('b')];
    change();
    expect(rowsOf('a')).not.toEqual(own);
    expect(rowsOf('b')).toEqual(others);
  });

  test.each<[what: string, change: () => void]>([
    ['cannot remove the custom domain of b', () => store.removeDomain('b.example', 'a')],
    ['cannot remove the managed host of b', () => store.removeDomain('b.send.example.com', 'a')],
    ['cannot remove its own managed host', () => store.removeDomain('a.send.example.com', 'a')],
    ['cannot withdraw a token of b', () => store.withdraw('b1', 'a')],
    [
      'cannot change the record behind a token of b',
      () => store.put('a', key('b1', 'b.example', 'v=DKIM1; p=')),
    ],
    ['cannot claim the managed host of b', () => store.claim('b.send.example.com', 'a', 5)],
  ])('%s', (_what, change) => {
    const before = [rowsOf('a'), rowsOf('b')];
    change();
    expect([rowsOf('a'), rowsOf('b')]).toEqual(before);
  });

  test('takes the custom domain of b by claiming it, and nothing else of b', () => {
    const [domains, ...rest] = rowsOf('b') as unknown[][];
    expect(store.claim('b.example', 'a', 5)).toBe(true);
    expect(store.ownerOf('b.example')).toBe('a');
    expect(rowsOf('b')).toEqual([domains?.slice(1), ...rest]);
  });
});

test('what is due later than any look sets it is due now, and nothing earlier is moved', () => {
  store.setCheckAt('b', 30);
  store.setKeysAt('b', 30);
  store.bringForward(5, 15);
  expect([store.dueChecks(5, 9), store.dueKeys(5, 9)]).toEqual([['b'], ['b']]);
  expect([store.dueChecks(10, 9), store.dueKeys(10, 9)]).toEqual([
    ['b', 'a'],
    ['b', 'a'],
  ]);
});

test('who holds a host is known at once when it changes, and when its tenant is removed', () => {
  const holders = () => ['a.example', 'b.example', 'new.example'].map((name) => store.holderOf(name));
  expect(holders()).toEqual(['a', 'b', null]);
  store.claim('a.example', 'b', 2);
  store.removeDomain('b.example', 'b');
  store.insertDomain('new.example', 'a', 'custom', 2);
  expect(holders()).toEqual(['b', null, 'a']);
  registryStore(db).remove('b');
  expect(holders()).toEqual([null, null, 'a']);
  store.removeOtherDomains('a', []);
  store.registerDomain('b.example', 'a', 'custom', 3);
  expect(holders()).toEqual([null, 'a', null]);
});
