// Who owns which domain, and what the DNS serves for it, in platform.db.
import { type PlatformDb, perConnection } from '#src/db/sqlite.ts';
import type { NewDkimKey } from './keys.ts';

export const domainRegistryStore = perConnection((db: PlatformDb) => {
  const insertDomain = db.prepare<[string, string, string, number]>(
    'INSERT INTO domains (name, tenant_id, kind, created_at) VALUES (?, ?, ?, ?)',
  );
  const insertToken = db.prepare<[string, string, string, string, number, number]>(
    'INSERT INTO dkim_tokens (token, tenant_id, domain, record, position, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const tokenRecord = db.prepare<[string], string>('SELECT record FROM dkim_tokens WHERE token = ?').pluck();
  const domain = db.prepare<[string], number>('SELECT 1 FROM domains WHERE name = ?').pluck();
  const tokensOf = db
    .prepare<[string], string>('SELECT token FROM dkim_tokens WHERE domain = ? ORDER BY position')
    .pluck();
  const tokens = db.prepare<[], { token: string; text: string }>(
    'SELECT token, record AS text FROM dkim_tokens ORDER BY token',
  );
  const managedHosts = db
    .prepare<[], string>("SELECT name FROM domains WHERE kind = 'managed' ORDER BY name")
    .pluck();
  return {
    insertDomain: (name: string, tenantId: string, kind: 'managed' | 'custom', now: number): void => {
      insertDomain.run(name, tenantId, kind, now);
    },
    publish: (tenantId: string, key: NewDkimKey): void => {
      insertToken.run(key.token, tenantId, key.domain, key.record, key.position, key.created_at);
    },
    tokenRecord: (token: string): string | null => tokenRecord.get(token) ?? null,
    tokens: (): { token: string; text: string }[] => tokens.all(),
    managedHosts: (): string[] => managedHosts.all(),
    /** Tokens of a host in the order of their positions; null for a host nobody has. */
    tokensOf: (name: string): string[] | null => (domain.get(name) === undefined ? null : tokensOf.all(name)),
  };
});
