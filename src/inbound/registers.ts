// The registry's rows of whether a tenant receives mail, and of its inbound hooks, made again from its file.
import type { Registers } from '#src/kernel/registers.ts';
import { hookKeyStore, hookStore } from './hooks/store.ts';
import { inboundRegistryStore, inboundSettingsStore } from './settings-store.ts';

export const registers: Registers = (tenant, { tenantId }) => {
  const { enabledAt } = inboundSettingsStore(tenant).current();
  const hooks = hookStore(tenant).list();
  return (db) => {
    if (enabledAt === null) inboundRegistryStore(db).remove(tenantId);
    else inboundRegistryStore(db).add(tenantId);
    hookKeyStore(db).register(
      tenantId,
      hooks.map(({ id, project_id, hash, former_hash, former_until }) => ({
        ...{ id, tenant_id: tenantId, project_id, hash, former_hash },
        // The registry has no time until which a former secret would be valid where there is none.
        former_until: former_hash && former_until,
      })),
    );
  };
};
