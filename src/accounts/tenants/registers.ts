// The registry's rows of a tenant and its projects, made again from its file.
import type { Base } from '#src/kernel/base.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Registers } from '#src/kernel/registers.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { masterKeyStore } from './key-store.ts';
import { sealTenantKeys, tenantKeysIn } from './master-key.ts';
import { registryStore } from './registry-store.ts';
import { type PracticeRow, tenantStore } from './store.ts';
import { summaryIn } from './summary.ts';
import { summaryStore } from './summary-store.ts';

const conflict = (text: Text, hint: Text): AppError => new AppError('conflict', text, { hint });

const requireFree = (db: PlatformDb, number: number, { id, slug, purpose }: PracticeRow): void => {
  const registry = registryStore(db);
  const known = registry.any({ id });
  if (known !== undefined && known.number !== number)
    throw conflict(
      say`The registry has practice ${id} under number ${known.number}, and its file has number ${number}.`,
      say`The backup is older than the return of the practice to this host, or of another host. Restore it into another directory, export the practice from there, erase the one that is here, and import the file.`,
    );
  const numbered = registry.any({ number });
  if (numbered !== undefined && numbered.id !== id)
    throw conflict(
      say`Number ${number} belongs to practice ${numbered.slug} (${numbered.id}).`,
      say`Return paths and links name a practice by its number. Restore the backup into another directory, export the practice from there, and import the file: it gets a new number.`,
    );
  const named = registry.any({ slug });
  if (named !== undefined && named.id !== id)
    throw conflict(
      say`The short name ${slug} belongs to practice ${named.id}.`,
      say`It is part of the managed host. Erase that practice first; export it before, if it is still needed.`,
    );
  const system = registry.any({ purpose: 'system' });
  if (purpose === 'system' && system !== undefined && system.id !== id)
    throw conflict(
      say`Practice ${system.id} sends the service's own mail already.`,
      say`An installation has one such practice.`,
    );
};

/** `base`: the keys that the tenant has brought are written too. */
export const createRegisters =
  (base: Pick<Base, 'key' | 'tenantKeys'>): Registers =>
  (tenant, { tenantId, number, now }) => {
    const key = base.key('lasting keys');
    const keys = tenantKeysIn(tenant, key, tenantId);
    const practice = tenantStore(tenant).practice();
    const projects = tenantStore(tenant).projects();
    const summary = summaryIn(tenant, now);
    if (practice.id !== tenantId)
      throw conflict(
        say`The file of practice ${tenantId} is that of practice ${practice.id}.`,
        say`Give its directory the name of that practice.`,
      );
    return (db) => {
      requireFree(db, number, practice);
      const registry = registryStore(db);
      registry.register({ ...practice, number });
      summaryStore(db).put(tenantId, summary);
      if (keys && !base.tenantKeys.isOwn(tenantId, number, keys))
        masterKeyStore(db).putTenant(tenantId, sealTenantKeys(key, tenantId, keys));
      for (const { id } of projects) {
        const holder = registry.tenantOfProject(id) ?? tenantId;
        if (holder !== tenantId)
          throw conflict(
            say`Project ${id} belongs to practice ${holder}.`,
            say`Two practices cannot have one project.`,
          );
        registry.addProject(id, tenantId);
      }
    };
  };
