// Numbers that were given after a backup are in the world: in return paths, links, cursors of webhooks and streams. A restored file
// must not give them again, or a late report would be about another message.
import { existsSync } from 'node:fs';
import { type AnyDb, openReadOnly } from './sqlite.ts';

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

export type GivenNumbers = ReadonlyMap<string, number>;

const NONE: GivenNumbers = new Map();

/** The highest number that each table of the file has given; empty where there is no file, or none that can be read. */
export const numbersGivenIn = (path: string): GivenNumbers => {
  if (!existsSync(path)) return NONE;
  try {
    const db = openReadOnly<AnyDb>(path);
    try {
      const rows = db
        .prepare<[], { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence')
        .all();
      return new Map(rows.map(({ name, seq }) => [name, seq]));
    } finally {
      db.close();
    }
  } catch {
    // It is damaged, which may be why it is replaced.
    return NONE;
  }
};

/**
 * Each table that never gives a number twice goes on beyond all numbers that another copy of the file may have given. `replaced`: those
 * of the file in whose place this one comes, which may itself be a copy that went on from the same backup.
 */
export const leaveGap = (db: AnyDb, replaced: GivenNumbers = NONE): void => {
  const tables = db
    .prepare<[string], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' AND name <> ?",
    )
    .pluck()
    .all(CHAIN);
  const raise = db.prepare<[number, number, string]>(
    'UPDATE sqlite_sequence SET seq = max(seq, ?) + ? WHERE name = ?',
  );
  const begin = db.prepare<[string, number]>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
  for (const name of tables) {
    const gap = name === 'tenants' ? TENANTS_GAP : GAP;
    const given = replaced.get(name) ?? 0;
    if (raise.run(given, gap, name).changes === 0) begin.run(name, given + gap);
  }
};
