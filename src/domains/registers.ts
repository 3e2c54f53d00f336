// The registry's rows of a tenant's hosts and of the keys that the DNS serves for them, made again from its file. Another tenant
// that has proved one of its custom domains keeps it: the check, which is due at once, finds that this one has lost it. Tokens that
// the file does not know stay published, for mail that was signed by their keys.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Registers } from '#src/kernel/registers.ts';
import { say } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { hostsOf } from './keys/key-hosts.ts';
import { recordOf } from './keys/keys.ts';
import { domainRegistryStore } from './registry-store.ts';
import { sendingDomainStore } from './store.ts';

/** `sealingKey` is that of the DKIM keys in the file. */
export const createRegisters =
  (sealingKey: SealingKey): Registers =>
  (tenant, { tenantId, now, note }) => {
    const practice = tenantStore(tenant).practice();
    const { managed_host, custom_domain, custom_verified_at, pending_domain } = practice;
    const proved = sendingDomainStore(tenant)
      .all()
      .flatMap(({ name, verified_at }) => (verified_at === null ? [] : { name, verified_at }));
    const keys = hostsOf(tenant)
      .flatMap(({ rows }) => rows.filter(({ position }) => position > 0))
      .map((row) => ({ ...row, record: recordOf(tenantId, row, sealingKey) }));
    return (db) => {
      const registry = domainRegistryStore(db);
      registry.registerDomain(managed_host, tenantId, 'managed', practice.created_at);
      if (registry.holderOf(managed_host) !== tenantId)
        throw new AppError('conflict', say`The host ${managed_host} belongs to another practice.`);
      registry.removeOtherDomains(
        tenantId,
        proved.map(({ name }) => name),
      );
      for (const { name, verified_at } of proved) {
        const since = name === custom_domain ? (custom_verified_at ?? verified_at) : verified_at;
        registry.registerDomain(name, tenantId, 'custom', since);
        const holder = registry.holderOf(name);
        if (holder !== tenantId)
          note(`The domain ${name} stays with practice ${holder}, the last one that proved to have it.`);
      }
      // The records in the DNS that lead to a token prove to whom the domain belongs.
      for (const key of keys)
        if (!registry.put(tenantId, key))
          throw new AppError('conflict', say`A DKIM token of ${key.domain} belongs to another practice.`);
      registry.registerWork(tenantId, custom_domain === null && pending_domain === null ? null : now, now);
    };
  };
