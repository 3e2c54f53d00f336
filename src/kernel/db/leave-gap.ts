// Numbers that were given after a backup are in the world: in return paths, links, cursors of webhooks and streams. A restored file
// must not give them again, or a late report would be about another message.
import type { AnyDb } from './sqlite.ts';

/**
 * More numbers than a tenant takes between a backup and its restore: at the thousand mails a second that a daemon may send, this
 * takes 11 days. A return path has 48 bits for them, which are enough for 280,000 restores.
 */
export const GAP = 1_000_000_000;
/**
 * The gap for the numbers of tenants: these have 32 bits in a return path, and no one makes so many practices between two
 * backups.
 */
export const TENANTS_GAP = 10_000;

/** Its entries are a chain without gaps: one would say that entries are missing. */
const CHAIN = 'consent_entries';

/** Each table that never gives a number twice goes on beyond all numbers that another copy of the file may have given. */
export const leaveGap = (db: AnyDb): void => {
  const tables = db
    .prepare<[string], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' AND name <> ?",
    )
    .pluck()
    .all(CHAIN);
  const raise = db.prepare<[number, string]>('UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?');
  const begin = db.prepare<[string, number]>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
  for (const name of tables) {
    const gap = name === 'tenants' ? TENANTS_GAP : GAP;
    if (raise.run(gap, name).changes === 0) begin.run(name, gap);
  }
};
