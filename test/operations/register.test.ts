// The registry's rows of a tenant can be made again from its file: all of them, whatever is in the registry already.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sealTenantKeys } from '#src/accounts/tenants/master-key.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking } from '#test/support/asking.ts';
import { keysBy, keysIn } from '#test/support/keys.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';

type Row = Readonly<Record<string, unknown>>;

/** Tables without rows of a tenant, and why a tenant's file does not bring them back. */
const OTHER_TABLES: Readonly<Record<string, string>> = {
  sqlite_sequence: 'set by the numbers that are inserted',
  sqlite_stat1: 'of the query planner',
  sqlite_stat4: 'of the query planner',
  master_key_check: 'of the installation; made by the next start',
  evidence_keys: 'of the installation; published by the next start',
  notices: 'mails of the service that were about to be sent',
  abuse_tickets: 'of those who reported; the operator closes them',
  abuse_ticket_sources: 'as abuse_tickets',
  abuse_ticket_steps: 'as abuse_tickets',
  waitlist: 'of people who are not customers yet',
  sessions: 'people sign in again',
  sign_in_codes: 'asked for again',
  audit: 'of the installation; a tenant has its own',
  audit_retention: 'set by the schema',
  greylist: 'learnt again',
  written_tenants: 'written again before the file is',
};

/** Columns whose values may differ afterwards, and why. */
const OTHER_COLUMNS: Readonly<Record<string, string>> = {
  'accounts.id': 'new; what refers to it in the registry is made with it',
  'accounts.password': 'its owner signs in by a code and sets one again',
  'tenant_keys.sealed': 'sealed again',
  'domain_work.check_at': 'looked at once more',
  'domain_work.keys_at': 'looked at once more',
  'event_followers.due_at': 'looked at once more',
  'queue_due.due_at': 'never later than the queue of the file says',
};

/** Rows of the tenant, table by table, in an order of their own; accounts by their addresses. */
const readers: Readonly<Record<string, string>> = {
  tenants: 'SELECT * FROM tenants WHERE id = ?',
  practice_summaries:
    'SELECT practice_summaries.* FROM practice_summaries JOIN tenants USING (number) WHERE tenants.id = ?',
  tenant_keys: 'SELECT * FROM tenant_keys WHERE tenant_id = ?',
  projects: 'SELECT * FROM projects WHERE tenant_id = ? ORDER BY id',
  domains: 'SELECT * FROM domains WHERE tenant_id = ? ORDER BY name',
  dkim_tokens: 'SELECT * FROM dkim_tokens WHERE tenant_id = ? ORDER BY token',
  domain_work: 'SELECT * FROM domain_work WHERE tenant_id = ?',
  inbound_tenants: 'SELECT * FROM inbound_tenants WHERE tenant_id = ?',
  inbound_hooks: 'SELECT * FROM inbound_hooks WHERE tenant_id = ? ORDER BY id',
  event_followers: 'SELECT * FROM event_followers WHERE tenant_id = ? ORDER BY follower',
  queue_due: 'SELECT * FROM queue_due WHERE tenant_id = ?',
  credentials: 'SELECT * FROM credentials WHERE tenant_id = ? AND revoked_at IS NULL ORDER BY token_id',
  accounts:
    'SELECT accounts.* FROM accounts JOIN memberships ON account_id = accounts.id WHERE tenant_id = ? ORDER BY email_key',
  memberships: `SELECT email_key AS account_id, tenant_id FROM memberships JOIN accounts ON accounts.id = account_id
    WHERE tenant_id = ? ORDER BY 1`,
  invitations: `SELECT hash, email_key AS account_id, tenant_id, expires_at FROM invitations
    JOIN accounts ON accounts.id = account_id WHERE tenant_id = ? ORDER BY 2`,
};

let app: TestApp;
let sender: Sender;
const { call } = asking(() => ({ app, token: sender.token }));

const made = async (method: string, path: string, body?: unknown, status = 201): Promise<Row> => {
  const answer = await app.request<Row>(method, `${sender.base}${path}`, body, app.adminToken);
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body;
};

const rowsOf = (id: string): Record<string, Row[]> =>
  Object.fromEntries(
    Object.entries(readers).map(([table, sql]) => [
      table,
      app
        .sql<Row>(null, sql, id)
        .map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([column, value]) => [
              column,
              `${table}.${column}` in OTHER_COLUMNS ? OTHER_COLUMNS[`${table}.${column}`] : value,
            ]),
          ),
        ),
    ]),
  );

const columnsOf = (table: string): string[] =>
  app.sql<{ name: string }>(null, `SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name);

/** What a registry without the tenant has of it. */
const forget = (id: string): void => {
  app.sql(null, 'DELETE FROM tenants WHERE id = ?', id);
  app.sql(null, 'DELETE FROM accounts WHERE id NOT IN (SELECT account_id FROM memberships)');
};

beforeAll(async () => {
  app = await startApp({
    runsTwice: true,
    config: {
      ...unlimitedSignIn,
      security: { outbound_allow: ['127.0.0.0/8'] },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
    },
  });
  sender = await app.createSender({ plan: 'praxis', domain: 'praxis.example' });
  const { id } = sender.practice;
  await join(app, id, 'inhaberin@praxis.example', { role_id: 'owner' });
  await made('POST', '/projects', { name: 'Labor' });
  await made('POST', '/members', { email: 'neu@praxis.example', role_id: 'member', language: 'en' });
  const hook = await made('POST', '/inbound-hooks', { name: 'Kontaktformular' });
  await made('POST', `/inbound-hooks/${hook.id}/rotate`, {}, 200);
  await made('POST', '/webhooks', {
    name: 'Akte',
    url: 'https://127.0.0.1:9/all',
    events: ['message.delivered'],
  });
  await made('POST', '/inbound/enable', undefined, 200);
  const later = new Date(Date.now() + 86_400_000).toISOString();
  await app.send(sender, { scheduled_at: later });
  // As of a tenant that came from another host, where it had another number.
  const brought = keysBy(Buffer.alloc(32, 9)).ofTenant(id, 77);
  const sealed = sealTenantKeys(keysIn(app.home)('lasting keys'), id, brought);
  app.sql(id, 'UPDATE lasting_keys SET sealed = ?', sealed);
  await app.registerTenant(id);
  // As a check that has proved the domain leaves it.
  const now = Date.now();
  app.sql(
    id,
    'UPDATE practice SET custom_domain = pending_domain, custom_verified_at = ?, pending_domain = NULL',
    now,
  );
  app.sql(id, 'UPDATE sending_domains SET verified_at = ?', now);
  expect((await app.request('GET', '/api/admin/practices', undefined, app.adminToken)).status).toBe(200);
  app.sql(
    null,
    "INSERT INTO domains (name, organization, tenant_id, kind, created_at) VALUES ('praxis.example', 'praxis.example', ?, 'custom', ?)",
    id,
    now,
  );
});
afterAll(() => app?.remove());

test('each table and column of the registry is read from the file again, or says why not', () => {
  const tables = app.sql<{ name: string }>(null, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  const spoken = new Set([...Object.keys(readers), ...Object.keys(OTHER_TABLES)]);
  expect(tables.map(({ name }) => name).filter((name) => !spoken.has(name))).toEqual([]);
  const rows = rowsOf(sender.practice.id);
  for (const table of Object.keys(readers)) {
    expect(rows[table]?.length, `${table} has a row of the tenant`).toBeGreaterThan(0);
    expect(Object.keys(rows[table]?.[0] ?? {}).toSorted(), table).toEqual(columnsOf(table).toSorted());
  }
});

describe('a tenant is registered from its file', () => {
  test('where the registry has lost it, with all of its rows; twice is as once', async () => {
    const { id } = sender.practice;
    const before = rowsOf(id);
    forget(id);
    expect(Object.values(rowsOf(id)).flat()).toEqual([]);
    expect((await call('GET', sender.base)).status).toBe(401);
    expect(await app.registerTenant(id)).toEqual([]);
    expect(rowsOf(id)).toEqual(before);
    expect(await app.registerTenant(id)).toEqual([]);
    expect(rowsOf(id)).toEqual(before);
    expect((await call('GET', sender.base)).status).toBe(200);
  });

  test('where the registry is newer: what the file does not know opens nothing', async () => {
    const { id } = sender.practice;
    const before = rowsOf(id);
    const token = await app.createToken(id);
    const hook = await made('POST', '/inbound-hooks', { name: 'Später' });
    await join(app, id, 'spaeter@praxis.example', { role_id: 'member' });
    app.sql(
      id,
      'DELETE FROM api_tokens WHERE hash IN (SELECT hash FROM api_tokens ORDER BY id DESC LIMIT 1)',
    );
    app.sql(id, 'DELETE FROM inbound_hooks WHERE id = ?', hook.id);
    app.sql(id, "DELETE FROM members WHERE email = 'spaeter@praxis.example'");
    expect((await call('GET', sender.base, undefined, token)).status).toBe(200);
    expect(await app.registerTenant(id)).toEqual([]);
    expect(rowsOf(id)).toEqual(before);
    expect((await call('GET', sender.base, undefined, token)).status).toBe(401);
  });

  test('a token that was revoked since stays revoked', async () => {
    const { id } = sender.practice;
    const token = await app.createToken(id);
    app.sql(
      null,
      'UPDATE credentials SET revoked_at = 1 WHERE token_id = (SELECT max(token_id) FROM credentials)',
    );
    await app.registerTenant(id);
    expect((await call('GET', sender.base, undefined, token)).status).toBe(401);
    app.sql(id, 'DELETE FROM api_tokens WHERE id = (SELECT max(id) FROM api_tokens)');
  });
});

describe('what another tenant has', () => {
  test('of number, short name and project is refused, and nothing is written', async () => {
    const other = await app.createPractice();
    const { id } = sender.practice;
    const before = rowsOf(id);
    forget(id);
    const number = Number(before.tenants?.[0]?.number);
    const taken = Number(app.sql<Row>(null, 'SELECT number FROM tenants WHERE id = ?', other.id)[0]?.number);
    await expect(app.registerTenant(id, { number: taken })).rejects.toMatchObject({
      code: 'conflict',
      message: `Number ${taken} belongs to practice ${other.slug} (${other.id}).`,
    });
    const slug = before.tenants?.[0]?.slug;
    app.sql(null, 'UPDATE tenants SET slug = ? WHERE id = ?', slug, other.id);
    await expect(app.registerTenant(id)).rejects.toMatchObject({
      code: 'conflict',
      message: `The short name ${slug} belongs to practice ${other.id}.`,
    });
    app.sql(null, 'UPDATE tenants SET slug = ? WHERE id = ?', other.slug, other.id);
    const project = before.projects?.[0]?.id;
    app.sql(null, 'INSERT INTO projects (id, tenant_id) VALUES (?, ?)', project, other.id);
    await expect(app.registerTenant(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(rowsOf(id).tenants).toEqual([]);
    app.sql(null, 'DELETE FROM projects WHERE id = ?', project);
    expect(await app.registerTenant(id)).toEqual([]);
    expect(rowsOf(id)).toEqual(before);
    await expect(app.registerTenant(id, { number: number + 1_000 })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('of domains is left to it, and said; an account with the same address is joined', async () => {
    const other = await app.createPractice();
    const { id } = sender.practice;
    const before = rowsOf(id);
    forget(id);
    await join(app, other.id, 'inhaberin@praxis.example', { role_id: 'member' });
    const account = app.sql<Row>(null, "SELECT * FROM accounts WHERE email_key = 'inhaberin@praxis.example'");
    app.sql(
      null,
      "INSERT INTO domains (name, organization, tenant_id, kind, created_at) VALUES ('praxis.example', 'praxis.example', ?, 'custom', 1)",
      other.id,
    );
    expect(await app.registerTenant(id)).toEqual([
      `The domain praxis.example stays with practice ${other.id}, the last one that proved to have it.`,
    ]);
    expect(app.sql<Row>(null, "SELECT * FROM accounts WHERE email_key = 'inhaberin@praxis.example'")).toEqual(
      account,
    );
    expect(rowsOf(id).memberships).toEqual(before.memberships);
    expect(rowsOf(id).domains).toHaveLength(1);
  });
});
