// What is asked of domains, keys and counters costs the same however many there are: nothing goes through a whole table,
// and what is due is found by its index, in order.
import { beforeAll, describe, expect, test } from 'vitest';
import { counterStore } from '#src/accounts/counters/store.ts';
import { loadSchema } from '#src/app/schema.ts';
import { domainRegistryStore, servedStore } from '#src/domains/registry-store.ts';
import { dkimKeyStore } from '#src/domains/store.ts';
import { migrate } from '#src/kernel/db/migrate.ts';
import { type AnyDb, openSqlite, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { type Plan, plansOf } from '#test/support/query-plan.ts';

const TENANTS = 10_000;
const TOKENS = ['a', 'b', 'c'];

const open = (kind: 'platform' | 'tenant'): AnyDb => {
  const db = openSqlite(':memory:', { create: true, busyTimeoutMs: 0 });
  migrate(db, loadSchema()[kind]);
  return db as AnyDb;
};

const registry = open('platform') as PlatformDb;
const tenant = open('tenant') as TenantDb;

/** Every other one has a custom domain, whose look is due at its number. */
const fill = registry.transaction(() => {
  const insert = registry.prepare(
    "INSERT INTO tenants (id, slug, state, created_at, purpose) VALUES (?, ?, 'active', 0, 'practice')",
  );
  const token = registry.prepare(
    "INSERT INTO dkim_tokens (token, tenant_id, domain, record, position, created_at) VALUES (?, ?, ?, 'v=DKIM1', ?, 0)",
  );
  const store = domainRegistryStore(registry);
  for (let number = 0; number < TENANTS; number++) {
    const id = newId();
    const host = `p${number}.send.example.com`;
    insert.run(id, `p${number}`);
    store.insertDomain(host, id, 'managed', 0);
    if (number % 2 === 0) store.claim(`p${number}.example`, id, 0);
    for (const [position, letter] of TOKENS.entries())
      token.run(`${letter}${number}`, id, host, position + 1);
    store.addWork(id, number % 2 === 0 ? TENANTS - number : null, TENANTS - number);
  }
});
beforeAll(() => fill());

/** To sort what one host has is cheap; to sort a range of a table is not. Days are counted out, not read. */
const goesThrough = ({ steps }: Plan): boolean =>
  steps.some((step) => /^SCAN (?!json_each|CONSTANT|days$)/.test(step)) ||
  (steps.some((step) => /TEMP B-TREE FOR (?:ORDER|LAST)/.test(step)) &&
    !steps.some((step) => /\([a-z_]+=\?\)$/.test(step)));
/** Listings of all there is have no value to look for. */
const isAboutSome = ({ sql }: Plan): boolean => /:[a-z]|\?/i.test(sql);

describe('nothing goes through a whole table', () => {
  const stores: readonly (readonly [name: string, plans: () => Plan[]])[] = [
    ['the registry of domains', () => plansOf(registry, (db) => domainRegistryStore(db))],
    ['what the DNS serves', () => plansOf(registry, (db) => servedStore(db))],
    ['keys', () => plansOf(tenant, (db) => dkimKeyStore(db))],
    ['counters', () => plansOf(tenant, (db) => counterStore(db))],
  ];
  test.each(stores)('%s', (_name, plans) => {
    const all = plans();
    expect(all.length).toBeGreaterThan(2);
    const bad = all.filter((plan) => isAboutSome(plan) && goesThrough(plan));
    expect(bad).toEqual([]);
  });

  test('and a statement that did would be seen', () => {
    const plans = plansOf(registry, (db) => {
      db.prepare('SELECT tenant_id FROM domain_work WHERE check_at + 0 <= ? LIMIT 1');
      db.prepare('SELECT tenant_id FROM domain_work WHERE check_at <= ? ORDER BY keys_at LIMIT 1');
    });
    expect(plans.map(goesThrough)).toEqual([true, true]);
  });
});

describe('what is due', () => {
  test.each([
    ['dueChecks', 'domain_work_check (check_at<?)'],
    ['dueKeys', 'domain_work_keys (keys_at<?)'],
  ] as const)('%s reads its index in order, and no more than it gives', (name, index) => {
    const column = name === 'dueChecks' ? 'check_at' : 'keys_at';
    const plan = plansOf(registry, (db) => domainRegistryStore(db)).find(({ sql }) =>
      sql.includes(`${column} <= ? ORDER BY ${column} LIMIT ?`),
    );
    expect(plan?.steps).toEqual([
      expect.stringMatching(new RegExp(`^SEARCH domain_work USING (?:COVERING )?INDEX ${escaped(index)}$`)),
      expect.stringMatching(/^SEARCH tenants USING INDEX \w+ \(id=\?\)$/),
    ]);
  });

  test('comes in bounded portions, those that wait longest first', () => {
    const store = domainRegistryStore(registry);
    const slugs = (ids: readonly string[]): string[] => {
      const slug = registry.prepare<[string], string>('SELECT slug FROM tenants WHERE id = ?').pluck();
      return ids.map((id) => slug.get(id) ?? '');
    };
    expect(slugs(store.dueChecks(TENANTS, 3))).toEqual(['p9998', 'p9996', 'p9994']);
    expect(slugs(store.dueKeys(TENANTS, 3))).toEqual(['p9999', 'p9998', 'p9997']);
    expect(store.dueChecks(TENANTS, 200)).toHaveLength(200);
    expect(store.dueChecks(1, 200)).toEqual([]);
    expect(store.dueKeys(1, 200)).toHaveLength(1);
  });
});

describe('what the DNS is asked for', () => {
  test.each([
    [
      'a token',
      'SELECT record FROM dkim_tokens WHERE token = ?',
      'SEARCH dkim_tokens USING PRIMARY KEY (token=?)',
    ],
    ['a host', 'SELECT 1 FROM domains WHERE name = ?', 'SEARCH domains USING PRIMARY KEY (name=?)'],
    [
      'the tokens of a host',
      'SELECT token FROM dkim_tokens WHERE domain = ? ORDER BY position',
      'SEARCH dkim_tokens USING COVERING INDEX dkim_tokens_domain (domain=?)',
    ],
  ])('%s is one search', (_name, sql, step) => {
    const plan = plansOf(registry, (db) => domainRegistryStore(db)).find((one) => one.sql === sql);
    expect(plan?.steps).toEqual([step]);
  });
});

const escaped = (text: string): string => text.replace(/[()?]/g, '\\$&');
