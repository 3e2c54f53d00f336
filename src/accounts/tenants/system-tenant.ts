// The tenant by which the service itself sends mail: codes, invitations, notices. Made once, at the first start.
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type CreateTenantDeps, createTenant } from './create.ts';
import { registryStore } from './registry-store.ts';

/**
 * Id of the system tenant; made where there is none. `name` is the service's, from which its host gets its label. Safe
 * mode is off, for it writes to people who asked for it.
 */
export const ensureSystemTenant = async (deps: CreateTenantDeps, name: string): Promise<string> => {
  const present = await deps.storage.platform.read((db) => registryStore(db).system());
  if (present) return present.id;
  const wanted = { name, plan: 'gruppe', customDomain: null, purpose: 'system', safeMode: false } as const;
  return (await createTenant(deps, wanted)).id;
};

/**
 * Throws `conflict` for the system tenant: in safe mode or at a small plan's cap it would keep everyone's codes from
 * them, and its members could read them.
 */
export const refuseSystemTenant = async (
  { platform }: Pick<Storage, 'platform'>,
  id: string,
): Promise<void> => {
  const system = await platform.read((db) => registryStore(db).system());
  if (system?.id !== id) return;
  throw new AppError('conflict', 'The service sends its own mail as this practice.', {
    hint: 'It has no members, and keeps its plan and its safe mode.',
  });
};
