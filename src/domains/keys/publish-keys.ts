// Brings what the DNS serves for a tenant's tokens into line with its file, which decides: the file is written first,
// so whatever a crash leaves, no key signs that the DNS does not hold.

import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { hostKeyRows } from '../records/host-facts.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DkimKeyRow, dkimKeyStore } from '../store.ts';
import { hostsOf } from './key-hosts.ts';
import { createHostKeys, type NewDkimKey, recordOf } from './keys.ts';

export interface PublishDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sealingKey: Buffer;
}

/**
 * In the tenant's turn. Resolves with the tokens whose record was not what it is now. Throws where a key was sealed
 * under another master key.
 */
export const publishKeys = async (
  { storage, clock, sealingKey }: PublishDeps,
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

// A custom domain's tokens: made when it is first asked for. The file is written first, the registry follows; a crash in
// between leaves keys that nobody serves yet, which the next look publishes. Domains asked for before there were such
// keys get them at the first need.

type KeyMakingDeps = Pick<DomainDeps, 'storage' | 'clock' | 'sealingKey' | 'generateKeyPair'>;

/** Whether the host has tokens that can sign or come to it: those of a lost domain only retire. */
const hasTokens = (db: TenantDb, host: string): boolean =>
  dkimKeyStore(db)
    .ofHost(host)
    .some(({ position, role }) => position > 0 && (role === 'active' || role === 'next'));

/** In the tenant's turn: keys for a host that has none, to be written by `insertKeys`; else none. */
export const missingKeys = async (
  { storage, clock, sealingKey, generateKeyPair }: KeyMakingDeps,
  tenantId: string,
  host: string,
): Promise<NewDkimKey[]> => {
  if (await storage.tenants.read(tenantId, (db) => hasTokens(db, host))) return [];
  return createHostKeys(tenantId, host, sealingKey, clock.now(), generateKeyPair);
};

/** Not published yet. */
export const insertKeys = (db: TenantDb, keys: readonly NewDkimKey[]): void => {
  for (const key of keys) dkimKeyStore(db).insert({ ...key, published_at: null });
};

/** In the tenant's turn: the host has tokens, and the registry serves them. */
export const ensureHostKeys = async (deps: KeyMakingDeps, tenantId: string, host: string): Promise<void> => {
  const keys = await missingKeys(deps, tenantId, host);
  if (keys.length > 0) await deps.storage.tenants.write(tenantId, (db) => insertKeys(db, keys));
  const isServed = await deps.storage.tenants.read(tenantId, (db) =>
    hostKeyRows(db, host).every(({ published_at, position }) => position === 0 || published_at !== null),
  );
  if (!isServed) await publishKeys(deps, tenantId);
};
