// Opens the keys of an installation: by the master key, and by what the registry keeps of keys. A daemon with another master key than
// the one that sealed its data could not sign, and would seal new data that the right key cannot open: it is refused.
//
// A change of the master key begins with the first start that has the new key and the former one. In one transaction the registry
// notes that both are needed and keeps the lasting keys under the new one. It ends once everything is sealed again
// (operations/seal-again.ts); until then no start without both keys succeeds. The change may also be taken back, with the keys in
// each other's place.
import type { Base } from '#src/kernel/base.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import {
  type Keys,
  keysOf,
  lastingKeysOf,
  readTenantKeys,
  sealingKeyOf,
  type TenantKeys,
} from '#src/kernel/keys.ts';
import { type SealingKey, seal, unseal } from '#src/kernel/seal.ts';
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import { lastingKeysStore, type MasterKeyCheck, masterKeyStore } from './key-store.ts';

const CHECK = 'master key check';
const LASTING = 'lasting keys';

const bytesOf = (secret: { reveal: () => string }): Buffer => Buffer.from(secret.reveal(), 'base64');

const opened = (key: SealingKey, sealed: Buffer | null, context: string): Buffer | null => {
  try {
    return sealed && unseal(key, sealed, context);
  } catch {
    return null;
  }
};

interface Masters {
  readonly present: Buffer;
  readonly former: Buffer | null;
}

/** A key alone, without the former one. */
const alone = (master: Buffer): SealingKey => sealingKeyOf('lasting keys', master, null);

const WRONG =
  'the master key is not the one that these data were sealed under: restore the former key; to change it, name the former one too, in secrets.former_master_key_file';

/** What the registry is to note now; null: what it has. Throws DataError where the keys are others. */
const checked = (noted: MasterKeyCheck, { present, former }: Masters): MasterKeyCheck | null => {
  const opens = (master: Buffer | null, sealed: Buffer | null): boolean =>
    master !== null && opened(alone(master), sealed, CHECK) !== null;
  if (opens(present, noted.sealed)) {
    if (noted.former === null || opens(former, noted.former)) return null;
    throw new DataError(
      'a change of the master key has not ended: name the former key in secrets.former_master_key_file until `sendwerk secrets rotate` says that it can be removed',
    );
  }
  if (former === null || !opens(former, noted.sealed)) throw new DataError(WRONG);
  if (noted.former !== null && !opens(present, noted.former))
    throw new DataError(
      'a change of the master key has not ended, and these are not its two keys: end that one before the next one begins',
    );
  const lasting = noted.lasting ? unseal(alone(former), noted.lasting, LASTING) : lastingKeysOf(former);
  return {
    sealed: seal(alone(present), Buffer.from(CHECK), CHECK),
    former: seal(alone(former), Buffer.from(CHECK), CHECK),
    lasting: seal(alone(present), lasting, LASTING),
  };
};

/** The keys by a registry that the keys of `masters` are right for. */
const keysIn = (db: PlatformDb, { present, former }: Masters): Keys => {
  const store = masterKeyStore(db);
  const kept = store.check()?.lasting ?? null;
  const keys = keysOf({
    present,
    former,
    lasting: kept ? unseal(alone(present), kept, LASTING) : lastingKeysOf(present),
  });
  bringKeys(db, { key: keys.key, tenantKeys: keys });
  return keys;
};

/** Those that tenants have brought are used from now on. */
export const bringKeys = (db: PlatformDb, { key, tenantKeys }: Pick<Base, 'key' | 'tenantKeys'>): void => {
  for (const { tenant_id, number, sealed } of masterKeyStore(db).ofTenants())
    tenantKeys.bring(tenant_id, number, openTenantKeys(key('lasting keys'), tenant_id, sealed));
};

const mastersOf = ({ masterKey, formerMasterKey }: Config['secrets']): Masters => ({
  present: bytesOf(masterKey),
  former: formerMasterKey && bytesOf(formerMasterKey),
});

/**
 * Called in a transaction. Throws DataError where the data were sealed under another master key. The first start records the
 * key.
 */
export const openKeys = (db: PlatformDb, secrets: Config['secrets']): Keys => {
  const masters = mastersOf(secrets);
  const store = masterKeyStore(db);
  const noted = store.check();
  const next = noted
    ? checked(noted, masters)
    : { sealed: seal(alone(masters.present), Buffer.from(CHECK), CHECK), former: null, lasting: null };
  if (next) store.putCheck(next);
  return keysIn(db, masters);
};

/** Like `openKeys`, for a registry that may only be read; null: there is none. Throws DataError where the keys are others. */
export const readKeys = (db: PlatformDb | null, secrets: Config['secrets']): Keys => {
  const masters = mastersOf(secrets);
  const noted = db && masterKeyStore(db).check();
  if (!db || !noted) return keysOf({ ...masters, lasting: lastingKeysOf(masters.present) });
  if (checked(noted, masters) !== null)
    throw new DataError('the daemon was not yet started with the new master key');
  return keysIn(db, masters);
};

/** Whether it has not begun, because no daemon was started with both keys, or has begun and not ended. Throws as `openKeys` does. */
export const changeOfMasterKey = (
  db: PlatformDb,
  secrets: Config['secrets'],
): 'none' | 'not begun' | 'begun' => {
  const noted = masterKeyStore(db).check();
  if (noted === undefined) return 'none';
  if (checked(noted, mastersOf(secrets)) !== null) return 'not begun';
  return noted.former === null ? 'none' : 'begun';
};

/** Whether all values of the tenant's file are sealed under the present master key. */
export const isSealedUnder = (db: TenantDb, { masterKey }: Config['secrets'], tenantId: string): boolean =>
  tenantKeysIn(db, alone(bytesOf(masterKey)), tenantId) !== null;

/** The last value of a tenant's file that is sealed again when the master key changes. */
export const sealedLast: SealedPlace = {
  table: 'lasting_keys',
  keys: ['only'],
  column: 'sealed',
  purpose: 'lasting keys',
  boundTo: (_, tenantId) => tenantId,
};

export const sealTenantKeys = (key: SealingKey, tenantId: string, keys: TenantKeys): Buffer =>
  seal(key, Buffer.from(JSON.stringify(keys)), tenantId);

/** Throws where it was sealed under another key, or for another tenant. */
export const openTenantKeys = (key: SealingKey, tenantId: string, sealed: Buffer): TenantKeys =>
  readTenantKeys(unseal(key, sealed, tenantId));

/** The lasting keys that a tenant's file holds; null where they cannot be opened. */
export const tenantKeysIn = (db: TenantDb, key: SealingKey, tenantId: string): TenantKeys | null => {
  const sealed = lastingKeysStore(db).get();
  try {
    return sealed ? openTenantKeys(key, tenantId, sealed) : null;
  } catch {
    return null;
  }
};
