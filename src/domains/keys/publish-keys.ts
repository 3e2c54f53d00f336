// Makes a tenant's keys and publishes them. The tenant's file decides and is written first; then the records that the
// DNS serves follow. After a crash in between, no key signs that the DNS does not have, and the next check or look at
// the keys publishes the rest.

import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { hostKeyRows } from '../records/host-facts.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DkimKeyRow, dkimKeyStore } from '../store.ts';
import { hostsOf } from './key-hosts.ts';
import { createHostKeys, type NewDkimKey, recordOf } from './keys.ts';

/**
 * Runs in the tenant's queue. Resolves with the tokens whose record has changed. Throws if a key was sealed under
 * another master key.
 */
export const publishKeys = async (
  { storage, clock, sealingKey }: DomainDeps,
  tenantId: string,
): Promise<string[]> => {
  const wanted = await storage.tenants.read(tenantId, (db) =>
    hostsOf(db)
      .flatMap(({ rows }) => rows.filter(({ position }) => position > 0))
      .map((row) => ({ ...row, record: recordOf(tenantId, row, sealingKey) })),
  );
  const wrong = await storage.platform.read((db) =>
    wanted.filter(({ token, record }) => domainRegistryStore(db).tokenRecord(token) !== record),
  );
  if (wrong.length > 0) {
    await storage.platform.write((db) => {
      for (const key of wrong) domainRegistryStore(db).put(tenantId, key);
    });
  }
  const isNew = ({ token, published_at }: DkimKeyRow): boolean =>
    published_at === null || wrong.some((key) => key.token === token);
  if (wanted.some(isNew)) {
    const now = clock.now();
    await storage.tenants.write(tenantId, (db) => {
      for (const { record, ...row } of wanted.filter(isNew))
        dkimKeyStore(db).update({ ...row, published_at: now });
    });
  }
  return wrong.map(({ token }) => token);
};

/** Whether the host has tokens that sign or may sign later; the tokens of a lost domain only retire. */
const hasTokens = (db: TenantDb, host: string): boolean =>
  dkimKeyStore(db)
    .ofHost(host)
    .some(({ position, role }) => position > 0 && (role === 'active' || role === 'next'));

/**
 * Runs in the tenant's queue. New keys for a host that has none, to be stored by `insertKeys`; else empty.
 */
export const missingKeys = async (
  { storage, clock, sealingKey, generateKeyPair }: DomainDeps,
  tenantId: string,
  host: string,
): Promise<NewDkimKey[]> => {
  if (await storage.tenants.read(tenantId, (db) => hasTokens(db, host))) return [];
  return createHostKeys(tenantId, host, sealingKey, clock.now(), generateKeyPair);
};

/** Stores keys that are not published yet. */
export const insertKeys = (db: TenantDb, keys: readonly NewDkimKey[]): void => {
  for (const key of keys) dkimKeyStore(db).insert({ ...key, published_at: null });
};

/**
 * Runs in the tenant's queue. Afterwards the host has tokens, and the registry serves them; also for a domain that was
 * attached before domains had keys of their own.
 */
export const ensureHostKeys = async (deps: DomainDeps, tenantId: string, host: string): Promise<void> => {
  const keys = await missingKeys(deps, tenantId, host);
  if (keys.length > 0) await deps.storage.tenants.write(tenantId, (db) => insertKeys(db, keys));
  const isServed = await deps.storage.tenants.read(tenantId, (db) =>
    hostKeyRows(db, host).every(({ published_at, position }) => position === 0 || published_at !== null),
  );
  if (!isServed) await publishKeys(deps, tenantId);
};
