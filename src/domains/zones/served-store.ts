// What the operator's zones and policy hosts serve, read from the registry: by name for answers, by pages for whole
// zones, so that no transaction stays open while a slow reader takes them.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

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
    /** Null for a name that is no tenant's, and for a custom domain that was never verified. */
    kindOf: (name: string): 'managed' | 'custom' | null => kindOf.get(name) ?? null,
    /** In order of the token, from behind `after` on. */
    tokens: (after: string, limit: number): { token: string; text: string }[] => tokens.all(after, limit),
    /** Names, in order, from behind `after` on. */
    managedHosts: (after: string, limit: number): string[] => managedHosts.all(after, limit),
  };
});
