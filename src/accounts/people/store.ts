// Token records as their owners see them, in the tenant's file. Nothing here lets anyone in.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TokenScope } from './rules.ts';

export interface TokenRow {
  id: string;
  name: string;
  scope: TokenScope;
  project_id: string | null;
  expires_at: number | null;
  /** JSON list of networks (CIDR); null: from anywhere. */
  allowed_json: string | null;
  created_at: number;
  last_used_at: number | null;
}

export const tokenStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<TokenRow>(
    `INSERT INTO api_tokens (id, name, scope, project_id, expires_at, allowed_json, created_at, last_used_at)
     VALUES (:id, :name, :scope, :project_id, :expires_at, :allowed_json, :created_at, :last_used_at)`,
  );
  const remove = db.prepare<[string]>('DELETE FROM api_tokens WHERE id = ?');
  const all = db.prepare<[], TokenRow>('SELECT * FROM api_tokens ORDER BY id');
  const count = db.prepare<[], number>('SELECT count(*) FROM api_tokens').pluck();
  const get = db.prepare<[string], TokenRow>('SELECT * FROM api_tokens WHERE id = ?');
  const touch = db.prepare<[number, string]>('UPDATE api_tokens SET last_used_at = ? WHERE id = ?');
  const projectExists = db.prepare<[string], number>('SELECT 1 FROM projects WHERE id = ?').pluck();
  return {
    insert: (row: TokenRow): void => {
      insert.run(row);
    },
    /** False where there was none. */
    remove: (id: string): boolean => remove.run(id).changes > 0,
    all: (): TokenRow[] => all.all(),
    count: (): number => count.get() ?? 0,
    get: (id: string): TokenRow | undefined => get.get(id),
    touch: (id: string, at: number): void => {
      touch.run(at, id);
    },
    projectExists: (id: string): boolean => projectExists.get(id) !== undefined,
  };
});
