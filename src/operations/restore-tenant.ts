// Puts the file of one tenant, which a command has prepared in `restoring/`, into the place of the present one, while the daemon runs.
//
// 1. What the registry will say of it is tried out and undone: a conflict refuses the restore before anything changes.
// 2. The present file is closed. What became due since the other one was prepared is held there too: the present one may have sent it.
// 3. The present file is moved away, the other one moved into its place. Work that needs the tenant waits meanwhile.
// 4. The registry is made to agree with the file, and what works on tenants looks at it again.
//
// A crash before 3 leaves the former file; after it, the next start does the rest. What was on its way to a relay ends as it would:
// its outcome finds no claim in the restored file, where its recipient is held, or is unknown.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import {
  cutOff,
  endStaging,
  holdStaged,
  type Restoring,
  replacedName,
  stagedFile,
  stagingOf,
  swapTenant,
} from './staging.ts';

export interface RestoreTenantDeps {
  readonly storage: Pick<Storage, 'platform' | 'tenants'>;
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly restoring: () => Restoring;
  /** A registry that could not be made to agree: the log says so, and a person restores again. */
  readonly onFault: (error: unknown, tenantId: string) => void;
  /** See `registration`. */
  readonly registrationOf: (tenant: TenantDb, tenantId: string) => (registry: PlatformDb) => string[];
  readonly register: (tenantId: string) => Promise<string[]>;
  /** What the daemon remembers of the tenant is read again. */
  readonly wake: (tenantId: string) => Promise<void>;
}

export interface RestoredTenant {
  /** Mails and forwards that wait for a person. */
  readonly held: number;
  /** What the operator should know. */
  readonly notes: readonly string[];
  /** Where the former file is, below the data directory; null: there was none. */
  readonly replaced: string | null;
}

const undone = Symbol('undone');

export const createRestoreTenant = (deps: RestoreTenantDeps) => {
  const { storage, dataDirectory, clock, restoring, onFault, registrationOf, register, wake } = deps;
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
    /**
     * `resume`: nothing is held. Rejects with `not_found` where nothing was prepared, `conflict` where the tenant cannot be
     * registered.
     */
    restoreTenant: async (id: string, { resume }: { resume: boolean }): Promise<RestoredTenant> => {
      const staged = stagedFile(dataDirectory, id);
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
      let held = 0;
      await tenants.replace(id, async () => {
        if (!resume) held = await holdStaged(dataDirectory, id, restoring(), clock.now());
        await swapTenant(dataDirectory, id, replaced ?? '');
      });
      const notes = await agree(id);
      await endStaging(dataDirectory);
      return { held, notes, replaced: replaced && join(replaced, 'tenants', id) };
    },
    /**
     * Called at a start: restores of single tenants that were cut off are brought to their end. Resolves with the ids of those
     * tenants.
     */
    finish: async (): Promise<string[]> => {
      if (!existsSync(stagingOf(dataDirectory))) return [];
      const { staged, swapped } = await cutOff(dataDirectory);
      const moved = staged.filter((id) => !existsSync(join(dataDirectory, 'tenants', id)));
      for (const id of moved) await swapTenant(dataDirectory, id, '');
      const ids = [...new Set([...moved, ...swapped])];
      for (const id of ids) await agree(id).catch((error) => onFault(error, id));
      await endStaging(dataDirectory);
      return ids;
    },
  };
};
