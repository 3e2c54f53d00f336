// Puts the file of one tenant, which a command has prepared in `restoring/`, into the place of the present one, while the daemon runs.
//
// 1. What the registry will say of it is tried out and undone: a conflict refuses the restore before anything changes.
// 2. The present file is closed and moved away, the other one moved into its place. Whoever wants the tenant meanwhile waits.
// 3. The registry is made to agree with the file, and what works on tenants looks at it again.
//
// A crash before 2 leaves the former file; after it, the next start does the rest. What was on its way to a relay ends as it would:
// its outcome finds no claim in the restored file, where its recipient is held, or is unknown.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { UUID } from '#src/kernel/fields.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { endStaging, replacedName, stagingOf, swapTenant } from './staging.ts';

export interface RestoreTenantDeps {
  readonly storage: Pick<Storage, 'platform' | 'tenants'>;
  readonly dataDirectory: string;
  readonly clock: Clock;
  /** See `registration`. */
  readonly registrationOf: (tenant: TenantDb, tenantId: string) => (registry: PlatformDb) => string[];
  readonly register: (tenantId: string) => Promise<string[]>;
  /** What the daemon remembers of the tenant is read again. */
  readonly wake: (tenantId: string) => Promise<void>;
}

export interface RestoredTenant {
  /** What the operator should know. */
  readonly notes: readonly string[];
  /** Where the former file is, below the data directory; null: there was none. */
  readonly replaced: string | null;
}

const undone = Symbol('undone');

export const createRestoreTenant = (deps: RestoreTenantDeps) => {
  const { storage, dataDirectory, clock, registrationOf, register, wake } = deps;
  const { platform, tenants } = storage;

  const tryOut = async (id: string, path: string): Promise<void> => {
    const staged = openReadOnly<TenantDb>(path);
    try {
      const write = registrationOf(staged, id);
      await platform.write((db) => {
        write(db);
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    } finally {
      staged.close();
    }
  };

  const agree = async (id: string): Promise<string[]> => {
    const notes = await register(id);
    await wake(id);
    return notes;
  };

  return {
    /** Rejects with `not_found` where nothing was prepared, `conflict` where the tenant cannot be registered. */
    restoreTenant: async (id: string): Promise<RestoredTenant> => {
      const staged = join(stagingOf(dataDirectory), id, 'tenant.db');
      if (!existsSync(staged))
        throw new AppError('not_found', say`No file of that practice was prepared in the data directory.`, {
          hint: say`\`sendwerk restore\` prepares it, on this machine, and then asks for this.`,
        });
      try {
        await tryOut(id, staged);
      } catch (error) {
        await endStaging(dataDirectory);
        throw error;
      }
      const replaced = existsSync(join(dataDirectory, 'tenants', id))
        ? replacedName(dataDirectory, clock.now())
        : null;
      await tenants.replace(id, () => swapTenant(dataDirectory, id, replaced ?? ''));
      const notes = await agree(id);
      await endStaging(dataDirectory);
      return { notes, replaced: replaced && join(replaced, 'tenants', id) };
    },
    /** At a start: a restore of one tenant that was cut off is brought to its end. Resolves with the ids of those tenants. */
    finish: async (): Promise<string[]> => {
      const staging = stagingOf(dataDirectory);
      if (!existsSync(staging)) return [];
      const ids = readdirSync(staging).filter((name) => UUID.test(name));
      for (const id of ids)
        if (!existsSync(join(dataDirectory, 'tenants', id))) await swapTenant(dataDirectory, id, '');
      // The directory of one that is in its place already has left the staging: all are looked at.
      const present = (await tenants.directories()).filter((name) => UUID.test(name));
      for (const id of present) await agree(id).catch(() => undefined);
      await endStaging(dataDirectory);
      return ids;
    },
  };
};
