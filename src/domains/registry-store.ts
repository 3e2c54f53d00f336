// What platform.db holds about domains: the owner of each name, the DKIM records that the DNS serves, and the times at
// which each tenant's checks and keys are due.

import { rememberedBy } from '#src/kernel/db/memory.ts';
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import { organizationalDomain } from '#src/mail/organizational-domain.ts';
import type { NewDkimKey } from './keys/keys.ts';

export const domainRegistryStore = perConnection((db: PlatformDb) => {
  const insertDomain = db.prepare<[string, string | null, string, string, number]>(
    'INSERT INTO domains (name, organization, tenant_id, kind, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const registerDomain = db.prepare<[string, string | null, string, string, number]>(
    `INSERT INTO domains (name, organization, tenant_id, kind, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const removeOtherDomains = db.prepare<[string, string]>(
    "DELETE FROM domains WHERE tenant_id = ? AND kind = 'custom' AND name NOT IN (SELECT value FROM json_each(?))",
  );
  const registerWork = db.prepare<[string, number | null, number]>(
    `INSERT INTO domain_work (tenant_id, check_at, keys_at) VALUES (?, ?, ?)
     ON CONFLICT (tenant_id) DO UPDATE SET check_at = excluded.check_at, keys_at = excluded.keys_at`,
  );
  const insertToken = db.prepare<[string, string, string, string, number, number]>(
    'INSERT INTO dkim_tokens (token, tenant_id, domain, record, position, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const putToken = db.prepare<[string, string, string, string, number, number]>(
    `INSERT INTO dkim_tokens (token, tenant_id, domain, record, position, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (token) DO UPDATE SET record = excluded.record WHERE tenant_id = excluded.tenant_id`,
  );
  const withdraw = db.prepare<[string, string]>('DELETE FROM dkim_tokens WHERE token = ? AND tenant_id = ?');
  const owner = db
    .prepare<[string], string>("SELECT tenant_id FROM domains WHERE name = ? AND kind = 'custom'")
    .pluck();
  const taken = db
    .prepare<[string, string, number], number>(
      "SELECT 1 FROM domains WHERE name = ? AND kind = 'custom' AND tenant_id <> ? AND created_at > ?",
    )
    .pluck();
  const claim = db.prepare<[string, string | null, string, number]>(
    `INSERT INTO domains (name, organization, tenant_id, kind, created_at) VALUES (?, ?, ?, 'custom', ?)
     ON CONFLICT (name) DO UPDATE SET tenant_id = excluded.tenant_id, created_at = excluded.created_at
     WHERE kind = 'custom'`,
  );
  const removeDomain = db.prepare<[string, string]>(
    "DELETE FROM domains WHERE name = ? AND tenant_id = ? AND kind = 'custom'",
  );
  const addWork = db.prepare<[string, number | null, number]>(
    'INSERT INTO domain_work (tenant_id, check_at, keys_at) VALUES (?, ?, ?)',
  );
  const setCheckAt = db.prepare<[number | null, string]>(
    'UPDATE domain_work SET check_at = ? WHERE tenant_id = ?',
  );
  const checksBeyond = db.prepare<[number, number]>('UPDATE domain_work SET check_at = ? WHERE check_at > ?');
  const keysBeyond = db.prepare<[number, number]>('UPDATE domain_work SET keys_at = ? WHERE keys_at > ?');
  const setKeysAt = db.prepare<[number, string]>('UPDATE domain_work SET keys_at = ? WHERE tenant_id = ?');
  const dueChecks = db
    .prepare<[number, number], string>(
      `SELECT tenant_id FROM domain_work JOIN tenants ON id = tenant_id AND state = 'active'
       WHERE check_at <= ? ORDER BY check_at LIMIT ?`,
    )
    .pluck();
  const dueKeys = db
    .prepare<[number, number], string>(
      `SELECT tenant_id FROM domain_work JOIN tenants ON id = tenant_id AND state = 'active'
       WHERE keys_at <= ? ORDER BY keys_at LIMIT ?`,
    )
    .pluck();
  const tokenRecord = db.prepare<[string], string>('SELECT record FROM dkim_tokens WHERE token = ?').pluck();
  const domain = db.prepare<[string], number>('SELECT 1 FROM domains WHERE name = ?').pluck();
  const holder = db.prepare<[string], string>('SELECT tenant_id FROM domains WHERE name = ?').pluck();
  /** Asked for each recipient of mail from the world. */
  const holderOf = rememberedBy(db, (name: string) => holder.get(name));
  const namesOf = db
    .prepare<[string], string>('SELECT name FROM domains WHERE tenant_id = ? ORDER BY name')
    .pluck();
  const holdersBelow = db
    .prepare<[string, number], string>(
      'SELECT DISTINCT tenant_id FROM domains WHERE organization = ? ORDER BY tenant_id LIMIT ?',
    )
    .pluck();
  const tokensOf = db
    .prepare<[string], string>('SELECT token FROM dkim_tokens WHERE domain = ? ORDER BY position')
    .pluck();
  const organizationOf = (name: string, kind: 'managed' | 'custom'): string | null =>
    kind === 'custom' ? organizationalDomain(name) : null;
  return {
    insertDomain: (name: string, tenantId: string, kind: 'managed' | 'custom', now: number): void => {
      holderOf.forget();
      insertDomain.run(name, organizationOf(name, kind), tenantId, kind, now);
    },
    /** Makes the row again; a tenant that has the name keeps it. */
    registerDomain: (name: string, tenantId: string, kind: 'managed' | 'custom', since: number): void => {
      holderOf.forget();
      registerDomain.run(name, organizationOf(name, kind), tenantId, kind, since);
    },
    /** Removes the tenant's custom domains but these. */
    removeOtherDomains: (tenantId: string, names: readonly string[]): void => {
      holderOf.forget();
      removeOtherDomains.run(tenantId, JSON.stringify(names));
    },
    /** Makes the row again, due at these times. */
    registerWork: (tenantId: string, checkAt: number | null, keysAt: number): void => {
      registerWork.run(tenantId, checkAt, keysAt);
    },
    publish: (tenantId: string, key: NewDkimKey): void => {
      insertToken.run(key.token, tenantId, key.domain, key.record, key.position, key.created_at);
    },
    /** Sets the record that the DNS serves for the token; a token of another tenant stays unchanged, and the result is false. */
    put: (tenantId: string, key: NewDkimKey): boolean =>
      putToken.run(key.token, tenantId, key.domain, key.record, key.position, key.created_at).changes > 0,
    withdraw: (token: string, tenantId: string): void => {
      withdraw.run(token, tenantId);
    },
    /** Id of the tenant that was the last to verify the custom domain. */
    ownerOf: (domain: string): string | null => owner.get(domain) ?? null,
    /** Id of the tenant that sends from the host, managed or custom. */
    holderOf: (name: string): string | null => holderOf(name) ?? null,
    /** The hosts that the tenant sends from, managed and custom. */
    namesOf: (tenantId: string): string[] => namesOf.all(tenantId),
    /** Ids of tenants with custom domains that belong to the organizational domain. */
    holdersBelow: (domain: string, limit: number): string[] => holdersBelow.all(domain, limit),
    /** Whether a tenant other than this one was the last to verify the custom domain, after `since`. */
    isTaken: (domain: string, tenantId: string, since: number): boolean =>
      taken.get(domain, tenantId, since) !== undefined,
    /**
     * Makes the tenant the owner of a custom domain, also if another one owned it. False for a managed host.
     */
    claim: (domain: string, tenantId: string, now: number): boolean => {
      holderOf.forget();
      return claim.run(domain, organizationalDomain(domain), tenantId, now).changes === 1;
    },
    removeDomain: (domain: string, tenantId: string): void => {
      holderOf.forget();
      removeDomain.run(domain, tenantId);
    },
    addWork: (tenantId: string, checkAt: number | null, keysAt: number): void => {
      addWork.run(tenantId, checkAt, keysAt);
    },
    setCheckAt: (tenantId: string, at: number | null): void => {
      setCheckAt.run(at, tenantId);
    },
    setKeysAt: (tenantId: string, at: number): void => {
      setKeysAt.run(at, tenantId);
    },
    /** Makes due now what is due later than any check sets it: the clock was set back. */
    bringForward: (now: number, longestWait: number): void => {
      checksBeyond.run(now, now + longestWait);
      keysBeyond.run(now, now + longestWait);
    },
    /** Ids of tenants whose records are due to be checked, longest due first. */
    dueChecks: (now: number, limit: number): string[] => dueChecks.all(now, limit),
    /** Ids of tenants whose keys are due, longest due first. */
    dueKeys: (now: number, limit: number): string[] => dueKeys.all(now, limit),
    tokenRecord: (token: string): string | null => tokenRecord.get(token) ?? null,
    /** Tokens of a host in the order of their positions; null for an unknown host. */
    tokensOf: (name: string): string[] | null => (domain.get(name) === undefined ? null : tokensOf.all(name)),
  };
});

// What the operator's zones and policy hosts serve: single names for answers, and pages for whole zones, so that no
// transaction stays open while a slow reader takes them.

export const servedStore = perConnection((db: PlatformDb) => {
  const kindOf = db
    .prepare<[string], 'managed' | 'custom'>('SELECT kind FROM domains WHERE name = ?')
    .pluck();
  const tokens = db.prepare<[string, number], { token: string; text: string }>(
    'SELECT token, record AS text FROM dkim_tokens WHERE token > ? ORDER BY token LIMIT ?',
  );
  const managedHosts = db
    .prepare<[string, number], string>(
      "SELECT name FROM domains WHERE kind = 'managed' AND name > ? ORDER BY name LIMIT ?",
    )
    .pluck();
  return {
    /** Null for an unknown name and for a custom domain that was never verified. */
    kindOf: (name: string): 'managed' | 'custom' | null => kindOf.get(name) ?? null,
    /** The tokens after `after`, in their order. */
    tokens: (after: string, limit: number): { token: string; text: string }[] => tokens.all(after, limit),
    /** The hosts after `after`, in the order of their names. */
    managedHosts: (after: string, limit: number): string[] => managedHosts.all(after, limit),
  };
});
