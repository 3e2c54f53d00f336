// Reads from many tenants' files, few at a time, because requests that wait for an answer need places for open files too.
// A file that cannot be read does not hide the others.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';

const AT_A_TIME = 4;

/** The results in the order of `tenants`; undefined if the file failed, which is reported to `onFault`. */
export const readEach = async <R extends { readonly id: string }, T>(
  files: Pick<TenantFiles, 'read'>,
  tenants: readonly R[],
  read: (db: TenantDb, tenant: R) => T,
  onFault: (error: unknown, tenant: R) => void,
): Promise<(T | undefined)[]> => {
  const results = new Array<T | undefined>(tenants.length).fill(undefined);
  const rest = tenants.entries();
  const work = async (): Promise<void> => {
    for (const [index, tenant] of rest) {
      try {
        results[index] = await files.read(tenant.id, (db) => read(db, tenant));
      } catch (error) {
        onFault(error, tenant);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
};
