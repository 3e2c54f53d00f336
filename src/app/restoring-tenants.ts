// What the composition root joins so that the registry agrees with tenants' files, and so that one of them can be restored.
import { bringKeys } from '#src/accounts/tenants/master-key.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { openReadOnly, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { directoryRoute } from '#src/operations/directory-route.ts';
import { heldRoutes, type RecordAudit } from '#src/operations/held-routes.ts';
import { registration } from '#src/operations/register.ts';
import { restoreRoute } from '#src/operations/restore-route.ts';
import { createRestoreTenant } from '#src/operations/restore-tenant.ts';
import { restoringOf } from './closed-files.ts';

const record: RecordAudit = (db, ...entry) => auditStore(db).record(...entry);

/** `accounts` has the tenant's own row, and so comes first. */
export const openRestoring = (base: Base, accounts: Room, rooms: readonly Room[]) => {
  const { storage, clock, config, log } = base;
  const { platform, tenants: files } = storage;
  const registrationOf = registration(
    [accounts, ...rooms.filter((room) => room !== accounts)].flatMap((room) => room.registers ?? []),
  );
  const ofFile = (db: TenantDb, tenantId: string, number = tenantStore(db).practice().number) =>
    registrationOf(db, { tenantId, number, now: clock.now() });
  const registerTenant = async (
    tenantId: string,
    { number }: { readonly number?: number } = {},
  ): Promise<string[]> => {
    const notes = await platform.write(await files.read(tenantId, (db) => ofFile(db, tenantId, number)));
    await platform.read((db) => bringKeys(db, base));
    return notes;
  };
  const { restoreTenant, finish } = createRestoreTenant({
    storage,
    dataDirectory: config().data_dir,
    clock,
    restoring: () => restoringOf(config(), log),
    onFault: (error, tenant) =>
      log.error({ err: error, tenant }, 'the registry does not agree with a restored file: restore it again'),
    registrationOf: ofFile,
    register: registerTenant,
    wake: async (tenantId) => {
      for (const room of rooms) await room.reopened?.(tenantId);
    },
  });
  return {
    registrationOf: ofFile,
    /**
     * Makes the registry's rows of a tenant again from its file, with that number where it is given. Resolves with what the operator
     * should know; rejects with `conflict` where another tenant has what this one needs.
     */
    registerTenant,
    /** Does the same for a file that nobody uses: it is read where it lies, without being opened as the tenant's. */
    registerFile: async (tenantId: string, path: string): Promise<string[]> => {
      const db = openReadOnly<TenantDb>(path);
      let write: ReturnType<typeof registrationOf>;
      try {
        write = ofFile(db, tenantId);
      } finally {
        db.close();
      }
      return platform.write(write);
    },
    restoreTenant,
    /** At a start, before anything uses the files. */
    finish,
    routes: [
      ...heldRoutes(
        base,
        rooms.flatMap((room) => room.held ?? []),
        record,
      ),
      restoreRoute(base, restoreTenant, record),
      directoryRoute(
        base,
        (db, after, limit) => registryStore(db).list(after, limit),
        rooms.flatMap((room) => room.knownBy ?? []),
      ),
    ],
  };
};
