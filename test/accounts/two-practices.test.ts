// Every DELETE and UPDATE of the stores that write platform.db, run for one of two practices that have like rows. Each
// row of the table names all rows of the file that may change; every other row must stay as it is, byte for byte. The
// statements are read from the stores as they prepare them, so a new one without a row in the table fails here. Each
// condition and each limit is then taken out of its statement, and a row of the table has to fail.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { ticketStore } from '#src/accounts/abuse/store.ts';
import { noticeStore } from '#src/accounts/mails/store.ts';
import { accountStore, invitationStore } from '#src/accounts/people/account-store.ts';
import { sessionStore, signInCodeStore } from '#src/accounts/people/sign-in-store.ts';
import { credentialStore } from '#src/accounts/people/token-store.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { waitlistStore } from '#src/accounts/waitlist/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { loadMigrations, migrate } from '#src/kernel/db/migrate.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { dueStore } from '#src/messages/queue/due-store.ts';

const SOURCES = join(import.meta.dirname, '../../src');
/** Their own rooms have a table like this one. */
const TESTED_ELSEWHERE: ReadonlySet<string> = new Set([
  'domains/registry-store.ts',
  'followers/follower-registry-store.ts',
]);
const WRITES = /\b(?:DELETE FROM|UPDATE)\b/;
const STORE = /export const (\w+) = perConnection\(\(db: (?:PlatformDb|AnyDb)\)/g;

// Accounts: x and y are members of both practices and invited to both; z is a member of a alone.
const SEED = `
  INSERT INTO tenants (id, slug, state, created_at) VALUES
    ('a', 'a', 'active', 1), ('b', 'b', 'active', 1), ('p', 'p', 'creating', 1), ('q', 'q', 'creating', 1);
  INSERT INTO queue_due (tenant_id, due_at) VALUES ('a', 1), ('b', 1);
  INSERT INTO credentials (hash, token_id, tenant_id, created_at) VALUES
    (x'31', 'a1', 'a', 1), (x'32', 'a2', 'a', 1), (x'33', 'b1', 'b', 1);
  INSERT INTO accounts (id, email_key, email, language, created_at) VALUES
    ('x', 'x@example.org', 'x@example.org', 'de', 1), ('y', 'y@example.org', 'y@example.org', 'de', 1),
    ('z', 'z@example.org', 'z@example.org', 'de', 1);
  INSERT INTO memberships (account_id, tenant_id) VALUES ('x', 'a'), ('x', 'b'), ('y', 'a'), ('y', 'b'), ('z', 'a');
  INSERT INTO invitations (hash, account_id, tenant_id, expires_at) VALUES
    (x'31', 'x', 'a', 1), (x'32', 'x', 'b', 1), (x'33', 'y', 'a', 1), (x'34', 'y', 'b', 1);
  INSERT INTO sessions (hash, id, account_id, created_at, last_used_at) VALUES
    (x'31', 'x1', 'x', 50, 10), (x'32', 'x2', 'x', 50, 90), (x'33', 'x3', 'x', 50, 90),
    (x'34', 'y1', 'y', 10, 90), (x'35', 'y2', 'y', 50, 90), (x'36', 'z1', 'z', 50, 90);
  INSERT INTO sign_in_codes (email_mac, code_mac, attempts, failures, created_at, forget_at) VALUES
    (x'78', x'31', 0, 0, 1, 10), (x'79', x'31', 0, 0, 1, 10), (x'7a', x'31', 0, 0, 1, 90);
  INSERT INTO notices (id, sealed, expires_at, created_at) VALUES ('1', x'31', 1, 1), ('2', x'31', 1, 1);
  INSERT INTO abuse_tickets (id, stage, reporter_email, reporter_key, language, subject, description, tenant_id,
                             created_at, updated_at) VALUES
    ('1', 'open', 'r@example.org', 'r@example.org', 'de', '', '', 'a', 1, 10),
    ('2', 'closed', 'r@example.org', 'r@example.org', 'de', '', '', 'b', 1, 10),
    ('3', 'closed', 'r@example.org', 'r@example.org', 'de', '', '', 'b', 1, 20),
    ('4', 'closed', 'r@example.org', 'r@example.org', 'de', '', '', NULL, 1, 90);
  INSERT INTO abuse_ticket_steps (ticket_id, stage, at) VALUES ('1', 'open', 1), ('2', 'open', 1), ('3', 'open', 1);
  INSERT INTO waitlist (id, email_key, email, plan, created_at, asked_at) VALUES
    ('1', 'v@example.org', 'v@example.org', 'praxis', 1, 1), ('2', 'w@example.org', 'w@example.org', 'praxis', 1, 1);
  INSERT INTO audit (id, at, action, actor_kind, actor_id, actor_name, target_type, target_id) VALUES
    ('1', 10, 'x', 'system', '', '', '', 'a'), ('2', 20, 'x', 'system', '', '', '', 'b'),
    ('3', 90, 'x', 'system', '', '', '', 'a');
`;

interface Case {
  readonly says: string;
  readonly run: (db: PlatformDb) => unknown;
  /** Table and key of each row that may change. */
  readonly changes: readonly string[];
}

const ofTenantA = [
  'abuse_tickets 1',
  'credentials a1',
  'credentials a2',
  'invitations x a',
  'invitations y a',
  'memberships x a',
  'memberships y a',
  'memberships z a',
  'queue_due a',
  'tenants a',
];

const cases: readonly Case[] = [
  { says: 'activate a tenant', run: (db) => registryStore(db).activate('p'), changes: ['tenants p'] },
  { says: 'deactivate a tenant', run: (db) => registryStore(db).deactivate('a'), changes: ['tenants a'] },
  { says: 'remove a tenant', run: (db) => registryStore(db).remove('a'), changes: ofTenantA },
  { says: 'revoke a token', run: (db) => credentialStore(db).revoke('a1', 'a'), changes: ['credentials a1'] },
  { says: "revoke another's token", run: (db) => credentialStore(db).revoke('a1', 'b'), changes: [] },
  { says: 'set a password', run: (db) => accountStore(db).setPassword('x', 'phc'), changes: ['accounts x'] },
  { says: 'set a language', run: (db) => accountStore(db).setLanguage('x', 'en'), changes: ['accounts x'] },
  {
    says: 'leave one practice of two',
    run: (db) => accountStore(db).leave('x', 'a'),
    changes: ['invitations x a', 'memberships x a'],
  },
  {
    says: 'leave the only practice',
    run: (db) => accountStore(db).leave('z', 'a'),
    changes: ['accounts z', 'memberships z a', 'sessions z1'],
  },
  {
    says: 'invite again',
    run: (db) =>
      invitationStore(db).put({ hash: Buffer.from('9'), account_id: 'x', tenant_id: 'a', expires_at: 9 }),
    changes: ['invitations x a'],
  },
  {
    says: 'use up an invitation',
    run: (db) => invitationStore(db).take(Buffer.from('1')),
    changes: ['invitations x a'],
  },
  {
    says: 'remove an invitation',
    run: (db) => invitationStore(db).remove('x', 'a'),
    changes: ['invitations x a'],
  },
  { says: 'use a session', run: (db) => sessionStore(db).touch('x1', 99), changes: ['sessions x1'] },
  { says: 'end a session', run: (db) => sessionStore(db).remove('x1'), changes: ['sessions x1'] },
  {
    says: 'end the other sessions of an account',
    run: (db) => sessionStore(db).removeOthers('x', 'x2'),
    changes: ['sessions x1', 'sessions x3'],
  },
  {
    says: 'remove old sessions',
    run: (db) => sessionStore(db).removeOld(20, 20, 9),
    changes: ['sessions x1', 'sessions y1'],
  },
  {
    says: 'remove one old session',
    run: (db) => sessionStore(db).removeOld(20, 0, 1) + sessionStore(db).removeOld(0, 60, 1),
    changes: ['sessions x1', 'sessions y1'],
  },
  {
    says: 'replace a code',
    run: (db) =>
      signInCodeStore(db).put({
        email_mac: Buffer.from('x'),
        code_mac: Buffer.from('9'),
        attempts: 1,
        failures: 1,
        created_at: 9,
        forget_at: 9,
      }),
    changes: ['sign_in_codes x'],
  },
  {
    says: 'count an attempt',
    run: (db) => signInCodeStore(db).countAttempt(Buffer.from('x'), 9),
    changes: ['sign_in_codes x'],
  },
  {
    says: 'remove a code',
    run: (db) => signInCodeStore(db).remove(Buffer.from('x')),
    changes: ['sign_in_codes x'],
  },
  {
    says: 'remove old codes',
    run: (db) => signInCodeStore(db).removeOld(20, 9),
    changes: ['sign_in_codes x', 'sign_in_codes y'],
  },
  {
    says: 'remove one old code',
    run: (db) => signInCodeStore(db).removeOld(20, 1),
    changes: ['sign_in_codes x'],
  },
  { says: 'remove a notice', run: (db) => noticeStore(db).remove('1'), changes: ['notices 1'] },
  {
    says: 'change a ticket',
    run: (db) => ticketStore(db).change({ id: '1', stage: 'investigating', tenant_id: 'b', updated_at: 99 }),
    changes: ['abuse_tickets 1'],
  },
  {
    says: 'remove closed tickets',
    run: (db) => ticketStore(db).removeClosed(50, 9),
    changes: ['abuse_ticket_steps 2', 'abuse_ticket_steps 3', 'abuse_tickets 2', 'abuse_tickets 3'],
  },
  {
    says: 'remove one closed ticket',
    run: (db) => ticketStore(db).removeClosed(50, 1),
    changes: ['abuse_ticket_steps 2', 'abuse_tickets 2'],
  },
  {
    says: 'ask again for the waiting list',
    run: (db) =>
      waitlistStore(db).note({
        id: '9',
        email_key: 'v@example.org',
        email: 'V@example.org',
        name: 'V',
        plan: 'termin',
        note: null,
        created_at: 9,
        asked_at: 9,
      }),
    changes: ['waitlist 1'],
  },
  { says: 'leave the waiting list', run: (db) => waitlistStore(db).remove('1'), changes: ['waitlist 1'] },
  {
    says: 'remove old audit entries',
    run: (db) => auditStore(db).removeOld(50, 9),
    changes: ['audit 1', 'audit 2'],
  },
  { says: 'remove one old audit entry', run: (db) => auditStore(db).removeOld(50, 1), changes: ['audit 1'] },
  { says: 'note when a queue is due', run: (db) => dueStore(db).set('a', 9), changes: ['queue_due a'] },
  { says: 'note an empty queue', run: (db) => dueStore(db).set('a', null), changes: ['queue_due a'] },
];

const seeded = ((): Buffer => {
  const db = new Database(':memory:');
  migrate(db, loadMigrations().platform);
  db.exec(SEED);
  return db.serialize();
})();

const oneLine = (sql: string): string => sql.replace(/\s+/g, ' ');

interface Watched {
  readonly db: PlatformDb;
  /** The writing statements that were prepared, and those that ran. */
  readonly prepared: Set<string>;
  readonly ran: Set<string>;
}

/** A file in memory with the rows of both practices; `change` may replace the text of a statement. */
const openWatched = (change: (sql: string) => string = (sql) => sql): Watched => {
  const db = new Database(seeded) as PlatformDb;
  db.pragma('foreign_keys = ON');
  const [prepared, ran] = [new Set<string>(), new Set<string>()];
  const prepare = db.prepare.bind(db) as (sql: string) => ReturnType<PlatformDb['prepare']>;
  const watched = (sql: string): unknown => {
    const text = oneLine(sql);
    const statement = prepare(change(text));
    if (!WRITES.test(text)) return statement;
    prepared.add(text);
    for (const name of ['run', 'get', 'all'] as const) {
      const call = statement[name].bind(statement) as (...given: unknown[]) => unknown;
      Object.assign(statement, {
        [name]: (...given: unknown[]) => {
          ran.add(text);
          return call(...given);
        },
      });
    }
    return statement;
  };
  Object.assign(db, { prepare: watched });
  return { db, prepared, ran };
};

/** Each row of the file by its table and key. Does not go through the watched `prepare`. */
const rowsOf = (db: PlatformDb): Map<string, string> => {
  const prepare = Object.getPrototypeOf(db).prepare.bind(db) as PlatformDb['prepare'];
  const tables = prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  return new Map(
    tables.flatMap((table) =>
      (prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]).map((row) => {
        const key = row.id ?? row.token_id ?? row.email_mac ?? row.seq ?? row.only;
        const name = key ?? [row.account_id, row.tenant_id].filter((part) => part !== undefined).join(' ');
        return [`${table} ${name}`, JSON.stringify(row)] as const;
      }),
    ),
  );
};

/** The rows that the case changes; an error counts as a change of its own. */
const changesOf = ({ db }: Watched, { run }: Case): string[] => {
  const before = rowsOf(db);
  try {
    run(db);
  } catch (error) {
    return [String(error)];
  }
  const after = rowsOf(db);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .sort();
};

const writingStatements = async (): Promise<Set<string>> => {
  const { db, prepared } = openWatched();
  for (const path of globSync('**/*.ts', { cwd: SOURCES })) {
    if (TESTED_ELSEWHERE.has(path)) continue;
    for (const [, name = ''] of readFileSync(join(SOURCES, path), 'utf8').matchAll(STORE)) {
      const module = (await import(join(SOURCES, path))) as Record<string, (db: PlatformDb) => unknown>;
      module[name]?.(db);
    }
  }
  db.close();
  return prepared;
};

/** The statement without one of its conditions or limits, once for each. The number of its parameters stays. */
const weakened = (sql: string): string[] => {
  const conditions = [...sql.matchAll(/\w+ (?:=|<>|<|>) (?:\?|:\w+|'\w+')/g)]
    .filter(({ index }) => index > sql.indexOf(' WHERE ') && sql.includes(' WHERE '))
    .map(({ 0: text, index }) => ({ text, index, instead: `(1 OR ${text})` }));
  const limits = [...sql.matchAll(/LIMIT \?/g)].map(({ 0: text, index }) => ({
    text,
    index,
    instead: 'LIMIT ? + 100',
  }));
  return [...conditions, ...limits].map(
    ({ text, index, instead }) => sql.slice(0, index) + instead + sql.slice(index + text.length),
  );
};

describe('a write to platform.db', () => {
  test.each(cases)('changes only the rows it is for: $says', (one) => {
    const watched = openWatched();
    expect(changesOf(watched, one)).toEqual(one.changes);
    watched.db.close();
  });

  test('is in the table, for every DELETE and UPDATE of every store', async () => {
    const ran = new Set<string>();
    for (const one of cases) {
      const watched = openWatched();
      one.run(watched.db);
      for (const sql of watched.ran) ran.add(sql);
      watched.db.close();
    }
    const all = await writingStatements();
    expect(all.size).toBeGreaterThan(20);
    expect([...all].filter((sql) => !ran.has(sql))).toEqual([]);
  });

  test('is in a store, so that the table can know of it', () => {
    const others = globSync('**/*.ts', { cwd: SOURCES }).filter((path) => {
      const text = readFileSync(join(SOURCES, path), 'utf8');
      return /PlatformDb|AnyDb/.test(text) && WRITES.test(text) && [...text.matchAll(STORE)].length === 0;
    });
    expect(others).toEqual([]);
  });

  test('fails the table without any one of its conditions and limits', async () => {
    const survivors: string[] = [];
    let tried = 0;
    for (const sql of await writingStatements())
      for (const weak of weakened(sql)) {
        tried += 1;
        const noticed = cases.some((one) => {
          const watched = openWatched((text) => (text === sql ? weak : text));
          const changes = changesOf(watched, one);
          const isUsed = watched.ran.has(sql);
          watched.db.close();
          return isUsed && JSON.stringify(changes) !== JSON.stringify(one.changes);
        });
        if (!noticed) survivors.push(weak);
      }
    expect(survivors).toEqual([]);
    expect(tried).toBeGreaterThan(25);
  });
});
