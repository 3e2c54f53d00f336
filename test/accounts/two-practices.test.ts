// Every DELETE and UPDATE of the stores that write platform.db, run for one of two practices that have like rows. Each
// row of the table names all rows of the file that may change; every other row must stay as it is, byte for byte. The
// statements are read from the stores as they prepare them, so a new one without a row in the table fails here. Each
// condition and each limit is then taken out of its statement, and a row of the table has to fail.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { ticketStore } from '#src/accounts/abuse/store.ts';
import { accountStore, invitationStore } from '#src/accounts/entry/account-store.ts';
import { credentialStore } from '#src/accounts/entry/token-store.ts';
import { noticeStore } from '#src/accounts/mails/store.ts';
import { masterKeyStore } from '#src/accounts/tenants/key-store.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { PracticeSummary } from '#src/accounts/tenants/summary.ts';
import { summaryStore } from '#src/accounts/tenants/summary-store.ts';
import { waitlistStore } from '#src/accounts/waitlist/store.ts';
import { loadSchema } from '#src/app/schema.ts';
import { evidenceKeyStore } from '#src/domains/zones/evidence-key-store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { followerRegistryStore } from '#src/events/follower-registry-store.ts';
import { writtenStore } from '#src/events/written-store.ts';
import { hookKeyStore } from '#src/inbound/hooks/store.ts';
import { inboundRegistryStore } from '#src/inbound/settings-store.ts';
import { migrate } from '#src/kernel/db/migrate.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { NewHost } from '#src/kernel/moved.ts';
import { dueStore } from '#src/messages/queue/due-store.ts';
import { sessionStore, signInCodeStore } from '#src/people/sign-in-store.ts';
import { greylistStore } from '#src/smtp/greylist-store.ts';

const SOURCES = join(import.meta.dirname, '../../src');
/** Its own test is a table like this one. */
const TESTED_ELSEWHERE = 'domains/registry-store.ts';
/** They name no table: they write sealed values again, and numbers that SQLite keeps. */
const OF_ANY_TABLE = ['kernel/db/leave-gap.ts', 'kernel/db/sealed-rows.ts'];
const WRITES = /\b(?:DELETE FROM|UPDATE)\b/;
const STORE = /export const (\w+) = perConnection\(\(db: (?:PlatformDb|AnyDb)\)/g;

// Accounts: x and y are members of both practices and invited to both; z is a member of a alone.
const SEED = `
  INSERT INTO tenants (id, slug, state, created_at) VALUES
    ('a', 'a', 'active', 1), ('b', 'b', 'active', 1), ('p', 'p', 'creating', 1), ('q', 'q', 'creating', 1);
  INSERT INTO master_key_check (only, sealed, former) VALUES (1, x'31', x'32');
  INSERT INTO tenant_keys (tenant_id, sealed) VALUES ('a', x'31'), ('b', x'32');
  INSERT INTO projects (id, tenant_id) VALUES ('a1', 'a'), ('b1', 'b');
  INSERT INTO queue_due (tenant_id, due_at) VALUES ('a', 1), ('b', 1);
  INSERT INTO event_followers (tenant_id, follower, due_at) VALUES
    ('a', 'webhooks', 5), ('a', 'alerts', 5), ('b', 'webhooks', 5), ('b', 'alerts', 5);
  INSERT INTO written_tenants (tenant_id) VALUES ('a'), ('b');
  INSERT INTO practice_summaries (number, plan, is_paused, approval, words, month, accepted, shown_json) VALUES
    (1, 'test', 0, 'given', 'a', '2026-11', 0, '{}'), (2, 'test', 0, 'given', 'b', '2026-11', 0, '{}');
  INSERT INTO credentials (hash, token_id, tenant_id, created_at, revoked_at) VALUES
    (x'31', 'a1', 'a', 1, NULL), (x'32', 'a2', 'a', 1, 10), (x'33', 'b1', 'b', 1, 10), (x'34', 'b2', 'b', 1, 90);
  INSERT INTO inbound_tenants (tenant_id) VALUES ('a'), ('b');
  INSERT INTO inbound_hooks (id, tenant_id, hash) VALUES ('a1', 'a', x'31'), ('b1', 'b', x'32');
  INSERT INTO accounts (id, email_key, email, language, created_at) VALUES
    ('x', 'x@example.org', 'x@example.org', 'de', 1), ('y', 'y@example.org', 'y@example.org', 'de', 1),
    ('z', 'z@example.org', 'z@example.org', 'de', 1);
  INSERT INTO memberships (account_id, tenant_id) VALUES ('x', 'a'), ('x', 'b'), ('y', 'a'), ('y', 'b'), ('z', 'a');
  INSERT INTO invitations (hash, account_id, tenant_id, expires_at) VALUES
    (x'31', 'x', 'a', 1), (x'32', 'x', 'b', 1), (x'33', 'y', 'a', 1), (x'34', 'y', 'b', 1);
  INSERT INTO sessions (hash, id, account_id, method, user_agent, created_at, last_used_at) VALUES
    (x'31', 'x1', 'x', 'code', '', 50, 10), (x'32', 'x2', 'x', 'code', '', 50, 90), (x'33', 'x3', 'x', 'code', '', 50, 90),
    (x'34', 'y1', 'y', 'code', '', 10, 90), (x'35', 'y2', 'y', 'code', '', 50, 90), (x'36', 'z1', 'z', 'code', '', 50, 90);
  INSERT INTO sign_in_codes (email_mac, code_mac, attempts, failures, created_at, forget_at) VALUES
    (x'78', x'31', 0, 0, 1, 10), (x'79', x'31', 0, 0, 1, 10), (x'7a', x'31', 0, 0, 1, 90);
  INSERT INTO notices (id, sealed, expires_at, created_at) VALUES ('1', x'31', 1, 1), ('2', x'31', 1, 1);
  INSERT INTO abuse_tickets (id, stage, reporter_email, reporter_key, language, subject, description,
                             source_bytes, tenant_id, created_at, updated_at) VALUES
    ('1', 'open', 'r@example.org', 'r@example.org', 'de', '', '', 1, 'a', 1, 10),
    ('2', 'closed', 'r@example.org', 'r@example.org', 'de', '', '', 1, 'b', 1, 10),
    ('3', 'closed', 'r@example.org', 'r@example.org', 'de', '', '', 1, 'b', 1, 20),
    ('4', 'closed', 'r@example.org', 'r@example.org', 'de', '', '', 1, NULL, 1, 90);
  INSERT INTO abuse_ticket_sources (ticket_id, content) VALUES ('1', x'31'), ('2', x'31'), ('3', x'31'), ('4', x'31');
  INSERT INTO abuse_ticket_steps (ticket_id, stage, at) VALUES ('1', 'open', 1), ('2', 'open', 1), ('3', 'open', 1);
  INSERT INTO waitlist (id, email_key, email, plan, created_at, asked_at) VALUES
    ('1', 'v@example.org', 'v@example.org', 'praxis', 1, 1), ('2', 'w@example.org', 'w@example.org', 'praxis', 1, 1),
    ('3', 'z@example.org', 'z@example.org', 'praxis', 1, 90);
  INSERT INTO audit (id, at, action, actor_kind, actor_id, actor_name, target_type, target_id) VALUES
    ('1', 10, 'x', 'system', '', '', '', 'a'), ('2', 20, 'x', 'system', '', '', '', 'b'),
    ('3', 90, 'x', 'system', '', '', '', 'a');
  INSERT INTO evidence_keys (fingerprint, x, since, until) VALUES ('1', '1', 1, 5), ('2', '2', 5, NULL);
  INSERT INTO greylist (name, block, seen_at) VALUES
    ('known-1', NULL, 10), ('known-2', NULL, 60), ('waits-1', 'x', 60), ('waits-2', 'y', 90);
`;

/** `changes`: table and key of each row that may change. */
type Case = readonly [says: string, run: (db: PlatformDb) => unknown, changes: readonly string[]];

const ofTenantA = [
  'abuse_tickets 1',
  'credentials a1',
  'credentials a2',
  'event_followers a alerts',
  'event_followers a webhooks',
  'inbound_hooks a1',
  'inbound_tenants a',
  'invitations x a',
  'invitations y a',
  'memberships x a',
  'memberships y a',
  'memberships z a',
  'practice_summaries 1',
  'projects a1',
  'queue_due a',
  'tenant_keys a',
  'tenants a',
  'written_tenants a',
];

const summary: PracticeSummary = {
  ...{ plan: 'praxis', isPaused: false, approval: 'given', words: 'a', month: '2026-11', accepted: 3 },
  ...{ name: 'a', safe_mode: false, domain: 'a.example', created_at: '', members: 0, owners: [] },
};

const rotation = (tenant_id: string) => ({
  id: 'a1',
  tenant_id,
  project_id: null,
  hash: Buffer.from('9'),
  former_until: 9,
});

const registeredHook = (id: string, tenant_id: string) => ({
  ...rotation(tenant_id),
  id,
  former_hash: Buffer.from('8'),
});

const newHost: NewHost = {
  origin: 'https://mail.example.org',
  host: 'mail.example.org',
  mail: { host: 'mail.example.org', port: 25 },
};

const cases: readonly Case[] = [
  ['activate a tenant', (db) => registryStore(db).activate('p'), ['tenants p']],
  ['deactivate a tenant', (db) => registryStore(db).deactivate('a'), ['tenants a']],
  ['remove a tenant', (db) => registryStore(db).remove('a'), ofTenantA],
  [
    'make the row of a tenant again',
    (db) =>
      registryStore(db).register({ number: 1, id: 'a', slug: 'a2', purpose: 'practice', created_at: 1 }),
    ['tenants a'],
  ],
  ['await a tenant', (db) => registryStore(db).arrive('a'), ['tenants a']],
  ['move a tenant', (db) => registryStore(db).move('a', newHost, 9), ['tenants a']],
  ['move a tenant that is not active', (db) => registryStore(db).move('p', newHost, 9), []],
  ["replace a tenant's keys", (db) => masterKeyStore(db).putTenant('a', Buffer.from('9')), ['tenant_keys a']],
  [
    'begin a change of the master key',
    (db) =>
      masterKeyStore(db).putCheck({ sealed: Buffer.from('9'), former: Buffer.from('1'), lasting: null }),
    ['master_key_check 1'],
  ],
  ['end a change of the master key', (db) => masterKeyStore(db).endChange(), ['master_key_check 1']],
  ['revoke a token', (db) => credentialStore(db).revoke('a1', 'a', 9), ['credentials a1']],
  ["revoke another's token", (db) => credentialStore(db).revoke('a1', 'b', 9), []],
  [
    'remove one of the tokens revoked long ago',
    (db) => credentialStore(db).removeRevoked(50, 1),
    ['credentials a2'],
  ],
  ['remove a hook', (db) => hookKeyStore(db).remove('a1', 'a'), ['inbound_hooks a1']],
  ["remove another's hook", (db) => hookKeyStore(db).remove('a1', 'b'), []],
  ['rotate a hook', (db) => hookKeyStore(db).put(rotation('a')), ['inbound_hooks a1']],
  ["rotate another's hook", (db) => hookKeyStore(db).put(rotation('b')), []],
  [
    "make a practice's hooks again",
    (db) => hookKeyStore(db).register('a', [registeredHook('a1', 'a')]),
    ['inbound_hooks a1'],
  ],
  [
    'make the hooks of a practice again that has others',
    (db) => hookKeyStore(db).register('a', [registeredHook('a2', 'a')]),
    ['inbound_hooks a1', 'inbound_hooks a2'],
  ],
  [
    "make a hook again that is another practice's",
    (db) => hookKeyStore(db).register('a', [registeredHook('b1', 'a')]),
    ['inbound_hooks a1'],
  ],
  ['set a password', (db) => accountStore(db).setPassword('x', 'phc'), ['accounts x']],
  ['set a language', (db) => accountStore(db).setLanguage('x', 'en'), ['accounts x']],
  [
    'leave one practice of two',
    (db) => accountStore(db).leave('x', 'a'),
    ['invitations x a', 'memberships x a'],
  ],
  [
    'leave the only practice',
    (db) => accountStore(db).leave('z', 'a'),
    ['accounts z', 'memberships z a', 'sessions z1'],
  ],
  [
    'invite again',
    (db) =>
      invitationStore(db).put({ hash: Buffer.from('9'), account_id: 'x', tenant_id: 'a', expires_at: 9 }),
    ['invitations x a'],
  ],
  ['use up an invitation', (db) => invitationStore(db).take(Buffer.from('1')), ['invitations x a']],
  ['remove an invitation', (db) => invitationStore(db).remove('x', 'a'), ['invitations x a']],
  ['use a session', (db) => sessionStore(db).touch('x1', 99), ['sessions x1']],
  ['end a session', (db) => sessionStore(db).remove('x1'), ['sessions x1']],
  [
    'end the other sessions of an account',
    (db) => sessionStore(db).removeOthers('x', 'x2'),
    ['sessions x1', 'sessions x3'],
  ],
  [
    'end all sessions',
    (db) => sessionStore(db).removeAll(),
    ['x1', 'x2', 'x3', 'y1', 'y2', 'z1'].map((id) => `sessions ${id}`),
  ],
  ['remove old sessions', (db) => sessionStore(db).removeOld(20, 20, 9), ['sessions x1', 'sessions y1']],
  [
    'remove one old session',
    (db) => sessionStore(db).removeOld(20, 0, 1) + sessionStore(db).removeOld(0, 60, 1),
    ['sessions x1', 'sessions y1'],
  ],
  [
    'replace a code',
    (db) =>
      signInCodeStore(db).put({
        email_mac: Buffer.from('x'),
        code_mac: Buffer.from('9'),
        attempts: 1,
        failures: 1,
        created_at: 9,
        forget_at: 9,
      }),
    ['sign_in_codes x'],
  ],
  ['count an attempt', (db) => signInCodeStore(db).countAttempt(Buffer.from('x'), 9), ['sign_in_codes x']],
  ['remove a code', (db) => signInCodeStore(db).remove(Buffer.from('x')), ['sign_in_codes x']],
  ['remove old codes', (db) => signInCodeStore(db).removeOld(20, 9), ['sign_in_codes x', 'sign_in_codes y']],
  ['remove one old code', (db) => signInCodeStore(db).removeOld(20, 1), ['sign_in_codes x']],
  ['remove a notice', (db) => noticeStore(db).remove('1'), ['notices 1']],
  [
    'change a ticket',
    (db) => ticketStore(db).change({ id: '1', stage: 'investigating', tenant_id: 'b', updated_at: 99 }),
    ['abuse_tickets 1'],
  ],
  [
    'remove closed tickets',
    (db) => ticketStore(db).removeClosed(50, 9),
    [
      ...['abuse_ticket_sources 2', 'abuse_ticket_sources 3'],
      ...['abuse_ticket_steps 2', 'abuse_ticket_steps 3', 'abuse_tickets 2', 'abuse_tickets 3'],
    ],
  ],
  [
    'remove the mails of closed tickets',
    (db) => ticketStore(db).removeSources(50, 9),
    ['abuse_ticket_sources 2', 'abuse_ticket_sources 3', 'abuse_tickets 2', 'abuse_tickets 3'],
  ],
  [
    'remove the mail of one closed ticket',
    (db) => ticketStore(db).removeSources(50, 1),
    ['abuse_ticket_sources 2', 'abuse_tickets 2'],
  ],
  [
    'remove one closed ticket',
    (db) => ticketStore(db).removeClosed(50, 1),
    ['abuse_ticket_sources 2', 'abuse_ticket_steps 2', 'abuse_tickets 2'],
  ],
  [
    'ask again for the waiting list',
    (db) =>
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
    ['waitlist 1'],
  ],
  ['leave the waiting list', (db) => waitlistStore(db).remove('1'), ['waitlist 1']],
  ['forget who waits no longer', (db) => waitlistStore(db).removeOld(50, 9), ['waitlist 1', 'waitlist 2']],
  ['forget one of those who wait no longer', (db) => waitlistStore(db).removeOld(50, 1), ['waitlist 1']],
  ['remove old audit entries', (db) => auditStore(db).removeOld(50, 9), ['audit 1', 'audit 2']],
  ['remove one old audit entry', (db) => auditStore(db).removeOld(50, 1), ['audit 1']],
  ['note that a queue is due earlier', (db) => dueStore(db).lower('a', 0), ['queue_due a']],
  ['note that a queue is due later', (db) => dueStore(db).lower('a', 9), []],
  ['note when a queue is due', (db) => dueStore(db).set('a', 9), ['queue_due a']],
  ['correct when a queue is due', (db) => dueStore(db).correct('a', 8), ['queue_due a']],
  [
    'remove the last webhook',
    (db) => followerRegistryStore(db).remove('a', 'webhooks'),
    ['event_followers a webhooks'],
  ],
  [
    'note when a webhook is due',
    (db) => followerRegistryStore(db).setDue('a', 'webhooks', 8),
    ['event_followers a webhooks'],
  ],
  [
    'look at a webhook again',
    (db) => followerRegistryStore(db).add('a', 'webhooks'),
    ['event_followers a webhooks'],
  ],
  ['note that a practice rests', (db) => writtenStore(db).remove('a'), ['written_tenants a']],
  ['take the summary of a practice', (db) => summaryStore(db).put('a', summary), ['practice_summaries 1']],
  ['receive no more mail', (db) => inboundRegistryStore(db).remove('a'), ['inbound_tenants a']],
  [
    'sign evidence with a new key',
    (db) => evidenceKeyStore(db).use({ fingerprint: '3', x: '3', since: 9, until: null }),
    ['evidence_keys 2', 'evidence_keys 3'],
  ],
  [
    'sign evidence with the key as before',
    (db) => evidenceKeyStore(db).use({ fingerprint: '2', x: '2', since: 9, until: null }),
    [],
  ],
  [
    'sign evidence with a former key',
    (db) => evidenceKeyStore(db).use({ fingerprint: '1', x: '1', since: 9, until: null }),
    ['evidence_keys 1', 'evidence_keys 2'],
  ],
  [
    'forget what the greylist has too long',
    (db) => greylistStore(db).removeOld(70, 20),
    ['greylist known-1', 'greylist waits-1'],
  ],
  [
    'know a client again',
    (db) => greylistStore(db).apply({ name: 'known-1', block: null, seen_at: 90 }),
    ['greylist known-1'],
  ],
  [
    'forget a mail that came again',
    (db) => greylistStore(db).apply({ name: 'waits-1', block: null, seen_at: null }),
    ['greylist waits-1'],
  ],
  ['note an empty queue', (db) => dueStore(db).correct('a', null), ['queue_due a']],
];

const seeded = ((): Buffer => {
  const db = new Database(':memory:');
  migrate(db, loadSchema().platform);
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
        const key =
          row.id ??
          row.token_id ??
          row.email_mac ??
          row.seq ??
          row.only ??
          row.ticket_id ??
          row.fingerprint ??
          row.name ??
          row.number;
        const name =
          key ?? [row.account_id, row.tenant_id, row.follower].filter((part) => part !== undefined).join(' ');
        return [`${table} ${name}`, JSON.stringify(row)] as const;
      }),
    ),
  );
};

/** The rows that the case changes; an error counts as a change of its own. */
const changesOf = ({ db }: Watched, [, run]: Case): string[] => {
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
    if (path === TESTED_ELSEWHERE) continue;
    for (const [, name = ''] of readFileSync(join(SOURCES, path), 'utf8').matchAll(STORE)) {
      const module = (await import(join(SOURCES, path))) as Record<string, (db: PlatformDb) => unknown>;
      module[name]?.(db);
    }
  }
  db.close();
  return prepared;
};

const statementsOf = new Map(
  cases.map((one) => {
    const { db, ran } = openWatched();
    one[1](db);
    db.close();
    return [one, ran] as const;
  }),
);
const casesThatRun = (sql: string): Case[] => cases.filter((one) => statementsOf.get(one)?.has(sql));

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
  test.each(cases)('changes only the rows it is for: %s', (...one) => {
    const watched = openWatched();
    expect(changesOf(watched, one)).toEqual(one[2]);
    watched.db.close();
  });

  test('is in the table, for every DELETE and UPDATE of every store', async () => {
    const all = await writingStatements();
    expect(all.size).toBeGreaterThan(20);
    expect([...all].filter((sql) => casesThatRun(sql).length === 0)).toEqual([]);
  });

  test('is in a store, so that the table can know of it', () => {
    const others = globSync('**/*.ts', { cwd: SOURCES }).filter((path) => {
      const text = readFileSync(join(SOURCES, path), 'utf8');
      if (OF_ANY_TABLE.includes(path)) return false;
      return /PlatformDb|AnyDb/.test(text) && WRITES.test(text) && [...text.matchAll(STORE)].length === 0;
    });
    expect(others).toEqual([]);
  });

  test('fails the table without any one of its conditions and limits', async () => {
    const weak = [...(await writingStatements())].flatMap((sql) =>
      weakened(sql).map((text) => ({ sql, text })),
    );
    expect(weak.length).toBeGreaterThan(25);
    const survivors = weak.filter(({ sql, text }) =>
      casesThatRun(sql).every((one) => {
        const watched = openWatched((given) => (given === sql ? text : given));
        const changes = changesOf(watched, one);
        watched.db.close();
        return JSON.stringify(changes) === JSON.stringify(one[2]);
      }),
    );
    expect(survivors).toEqual([]);
  });
});
