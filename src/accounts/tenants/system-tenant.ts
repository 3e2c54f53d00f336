// The tenant by which the service itself sends mail: codes, invitations, notices. The first start creates it.
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { type CreateTenantDeps, createTenant } from './create.ts';
import { registryStore } from './registry-store.ts';

/**
 * Id of the system tenant, which is created if there is none. Its host gets its label from `name`, the service's. Safe
 * mode is off, because it writes to people who asked for it.
 */
export const ensureSystemTenant = async (deps: CreateTenantDeps, name: string): Promise<string> => {
  const present = await deps.storage.platform.read((db) => registryStore(db).system());
  if (present) return present.id;
  const wanted = { name, plan: 'gruppe', customDomain: null, purpose: 'system', safeMode: false } as const;
  return (await createTenant(deps, wanted)).id;
};

/**
 * Throws `conflict` for the system tenant: in safe mode or at the cap of a small plan no one would get their codes, and
 * its members could read them.
 */
export const refuseSystemTenant = async (
  { platform }: Pick<Storage, 'platform'>,
  id: string,
): Promise<void> => {
  const system = await platform.read((db) => registryStore(db).system());
  if (system?.id !== id) return;
  throw new AppError('conflict', say`The service sends its own mail as this practice.`, {
    hint: say`It has no members, and keeps its plan and its safe mode.`,
  });
};
