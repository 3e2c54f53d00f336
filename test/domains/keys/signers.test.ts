import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createHostKeys, type NewDkimKey } from '#src/domains/keys/keys.ts';
import { changeKeys, createSigners } from '#src/domains/keys/signers.ts';
import { dkimKeyStore } from '#src/domains/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { testSealingKey } from '#test/support/keys.ts';
import { MANAGED_HOST, openTenantDb, type SampleTenant, SEALING_KEY } from '#test/support/storage.ts';

let tenant: SampleTenant;
beforeEach(async () => {
  tenant = await openTenantDb();
});

const addKeys = async (host: string): Promise<NewDkimKey[]> => {
  const pair = async () => generateKeyPairSync('ed25519');
  const keys = await createHostKeys(tenant.tenantId, host, SEALING_KEY, 0, pair);
  for (const key of keys) dkimKeyStore(tenant.db).insert(key);
  return keys;
};

const selectors = (signers: ReturnType<typeof createSigners>, host = MANAGED_HOST) =>
  signers.of(tenant.db, tenant.tenantId, host).map(({ selector }) => selector);

describe('who signs for a host', () => {
  test('its active keys, RSA first', async () => {
    const [rsa, , ed25519] = await addKeys(MANAGED_HOST);
    expect(selectors(createSigners(SEALING_KEY, { ed25519: true }))).toEqual([rsa?.token, ed25519?.token]);
  });

  test('RSA alone where Ed25519 is switched off', async () => {
    const [rsa] = await addKeys(MANAGED_HOST);
    expect(selectors(createSigners(SEALING_KEY, { ed25519: false }))).toEqual([rsa?.token]);
  });

  test('none for a host without keys, nor for one below or above', async () => {
    await addKeys(MANAGED_HOST);
    const signers = createSigners(SEALING_KEY, { ed25519: true });
    expect(selectors(signers, 'other.example')).toEqual([]);
    expect(selectors(signers, `sub.${MANAGED_HOST}`)).toEqual([]);
  });
});

describe('opened keys', () => {
  test('are kept: the second time is the first', async () => {
    await addKeys(MANAGED_HOST);
    const signers = createSigners(SEALING_KEY, { ed25519: true });
    const first = signers.of(tenant.db, tenant.tenantId, MANAGED_HOST);
    expect(signers.of(tenant.db, tenant.tenantId, MANAGED_HOST)).toBe(first);
  });

  test('are not kept for another tenant with the same host', async () => {
    await addKeys(MANAGED_HOST);
    const signers = createSigners(SEALING_KEY, { ed25519: true });
    expect(selectors(signers)).toHaveLength(2);
    const other = await openTenantDb();
    expect(signers.of(other.db, other.tenantId, MANAGED_HOST)).toEqual([]);
  });

  test('are forgotten if it is unknown whether the change was stored', async () => {
    const [former, next] = await addKeys(MANAGED_HOST);
    const signers = createSigners(SEALING_KEY, { ed25519: false });
    expect(selectors(signers)).toEqual([former?.token]);
    const write = async (_id: string, work: (db: TenantDb) => unknown): Promise<never> => {
      work(tenant.db);
      throw new Error('the sync failed');
    };
    const storage = { tenants: { write } as unknown as Storage['tenants'] };
    const rotate = (db: TenantDb): void => {
      if (!former || !next) throw new Error('a host has three keys');
      dkimKeyStore(db).update({ ...former, role: 'retiring' });
      dkimKeyStore(db).update({ ...next, role: 'active' });
    };
    await expect(changeKeys({ storage, signers }, tenant.tenantId, [MANAGED_HOST], rotate)).rejects.toThrow(
      'the sync failed',
    );
    expect(selectors(signers)).toEqual([next?.token]);
  });

  test('a host that gets its keys later signs from then on', async () => {
    const signers = createSigners(SEALING_KEY, { ed25519: true });
    expect(selectors(signers)).toEqual([]);
    await addKeys(MANAGED_HOST);
    expect(selectors(signers)).toHaveLength(2);
  });

  test('under another master key are refused, not skipped', async () => {
    await addKeys(MANAGED_HOST);
    const signers = createSigners(testSealingKey(9), { ed25519: true });
    expect(() => signers.of(tenant.db, tenant.tenantId, MANAGED_HOST)).toThrow();
  });
});
