// Brings what the DNS serves for a tenant's tokens into line with its file, which decides: the file is written first,
// so whatever a crash leaves, no key signs that the DNS does not hold.
import type { Storage } from '#src/kernel/db/storage.ts';
import type { Clock } from '#src/kernel/time.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DkimKeyRow, dkimKeyStore } from '../store.ts';
import { hostsOf } from './key-hosts.ts';
import { recordOf } from './keys.ts';

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
