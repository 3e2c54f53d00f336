// A custom domain's tokens: made when it is first asked for. The file is written first, the registry follows; a crash in
// between leaves keys that nobody serves yet, which the next look publishes. Domains asked for before there were such
// keys get them at the first need.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { hostKeyRows } from '../records/host-facts.ts';
import { dkimKeyStore } from '../store.ts';
import { createHostKeys, type NewDkimKey } from './keys.ts';
import { publishKeys } from './publish-keys.ts';

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
