// A start on the files of the first release: they are brought to the present form, and all goes on as before. The rows
// are written by the SQL of that release, not by the stores, which know the present form only.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { loadMigrations, migrate } from '#src/db/migrate.ts';
import { type FileKind, openSqlite } from '#src/db/sqlite.ts';
import { createHostKeys, generateDkimKeyPair } from '#src/domains/keys.ts';
import { newId } from '#src/kernel/id.ts';
import { deriveKey } from '#src/kernel/seal.ts';
import { DAY } from '#src/kernel/time.ts';
import { hashBearer, newBearer } from '#src/people/bearer.ts';
import { type Sender, startApp } from '#test/support/app.ts';
import { makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';

const HOST = 'praxis.send.example.com';

type Row = Readonly<Record<string, string | number | Buffer | null>>;

const insert = (db: Database.Database, table: string, row: Row): void => {
  const names = Object.keys(row);
  db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `:${name}`)})`).run(row);
};

const openFirstForm = async (directory: string, kind: FileKind): Promise<Database.Database> => {
  await mkdir(directory, { recursive: true });
  const db = openSqlite(path.join(directory, `${kind}.db`), { create: true, busyTimeoutMs: 0 });
  migrate(db, loadMigrations()[kind].slice(0, 1));
  return db;
};

const message = (fields: Row): Row => ({
  internet_message_id: `<${fields.id}@${HOST}>`,
  message_kind: 'transactional',
  channel: 'transactional',
  source: 'api',
  from_json: JSON.stringify({ address: `noreply@${HOST}`, name: 'Praxis' }),
  to_json: JSON.stringify([{ address: 'anna@example.org' }]),
  cc_json: '[]',
  bcc_json: '[]',
  reply_to_json: '[]',
  subject: 'Ihr Termin',
  tag: null,
  tags_json: '[]',
  metadata_json: '{}',
  settings_json: JSON.stringify({ plain_text_fallback: true, track_opens: false, track_clicks: false }),
  decisions_json: '[]',
  score: null,
  size_bytes: 10,
  scheduled_at: null,
  updated_at: 0,
  ...fields,
});

/** A practice with a token, one message sent yesterday to two recipients, one still queued, and one captured. */
const writeFirstRelease = async (home: string) => {
  const masterKey = randomBytes(32);
  await writeFile(path.join(home, 'master.key'), masterKey.toString('base64'), { mode: 0o600 });
  const data = path.join(home, 'data');
  const now = Date.now();
  const ids = { tenant: newId(), project: newId(), outgoing: newId(), broadcast: newId(), token: newId() };
  const token = newBearer('svc_team_');
  const keys = await createHostKeys(
    ids.tenant,
    HOST,
    deriveKey(masterKey, 'dkim keys'),
    now,
    generateDkimKeyPair,
  );

  const registry = await openFirstForm(data, 'platform');
  insert(registry, 'tenants', { id: ids.tenant, slug: 'praxis', state: 'active', created_at: now });
  insert(registry, 'domains', { name: HOST, tenant_id: ids.tenant, kind: 'managed', created_at: now });
  for (const { token, domain, record, position } of keys) {
    const published = { token, domain, record, position, tenant_id: ids.tenant, created_at: now };
    insert(registry, 'dkim_tokens', published);
  }
  insert(registry, 'credentials', {
    hash: hashBearer(token),
    token_id: ids.token,
    tenant_id: ids.tenant,
    project_id: null,
    created_at: now,
  });
  insert(registry, 'queue_due', { tenant_id: ids.tenant, due_at: now });
  registry.close();

  const db = await openFirstForm(path.join(data, 'tenants', ids.tenant), 'tenant');
  insert(db, 'practice', {
    only: 1,
    id: ids.tenant,
    number: 1,
    name: 'Praxis',
    slug: 'praxis',
    managed_host: HOST,
    plan: 'gruppe',
    safe_mode: 0,
    created_at: now,
  });
  insert(db, 'projects', {
    id: ids.project,
    name: 'Default',
    slug: 'default',
    is_default: 1,
    created_at: now,
  });
  const route = { track_opens: 0, track_clicks: 0, plain_text_fallback: 1, created_at: now };
  const routes = [
    { id: ids.outgoing, slug: 'outgoing', name: 'Outgoing', type: 'transactional', is_default: 1 },
    { id: ids.broadcast, slug: 'broadcast', name: 'Broadcast', type: 'marketing', is_default: 0 },
  ];
  for (const fields of routes) insert(db, 'routes', { ...fields, ...route });
  insert(db, 'api_tokens', { id: ids.token, name: 'server', scope: 'team', created_at: now });
  for (const { token, domain, algorithm, role, sealed_key, created_at } of keys)
    insert(db, 'dkim_keys', { token, domain, algorithm, role, sealed_key, created_at });
  const sent = newId();
  const queued = newId();
  const of = { project_id: ids.project, route_id: ids.outgoing };
  insert(db, 'messages', message({ seq: 1, id: sent, ...of, status: 'processed', created_at: now - DAY }));
  insert(db, 'messages', message({ seq: 2, id: queued, ...of, status: 'queued', created_at: now }));
  const recipient = { field: 'to', updated_at: now };
  const recipients = [
    { id: 1, message_seq: 1, address: 'anna@example.org', status: 'processed' },
    { id: 2, message_seq: 1, address: 'bernd@example.org', status: 'processed' },
    { id: 3, message_seq: 2, address: 'anna@example.org', status: 'queued' },
  ];
  for (const fields of recipients) insert(db, 'recipients', { ...fields, ...recipient });
  for (const message_seq of [1, 2])
    insert(db, 'message_bodies', { message_seq, text: 'Am Montag.', html: null, headers_json: '[]' });
  const due = { due_at: now, queued_at: now, attempts: 0, size_bytes: 10, lane: 0 };
  insert(db, 'queue', { recipient_id: 3, message_seq: 2, ...due, claimed: 1 });
  insert(db, 'captures', {
    id: newId(),
    message_id: sent,
    recipient: 'anna@example.org',
    return_path: 'b@example.org',
    captured_at: now,
    size_bytes: 5,
    source: Buffer.from('plain'),
  });
  db.close();
  const base = `/api/practices/${ids.tenant}`;
  return { sender: { practice: { id: ids.tenant }, token, base } as Sender, ids, sent, queued, now };
};

test('on the files of the first release everything goes on, and they take what is new', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'app-'));
  const { sender, ids, sent, queued, now } = await writeFirstRelease(home);
  const app = await startApp({ home, config: unlimitedSignIn });
  onTestFinished(() => app.remove());
  const { base, token } = sender;

  // What waited goes out, what was sent is still shown, the token still lets in.
  await app.untilStatus(sender, queued, 'processed');
  expect(await app.message(sender, sent)).toMatchObject({ subject: 'Ihr Termin', status: 'processed' });
  await app.untilStatus(sender, await app.send(sender), 'processed');
  const tokens = await app.request('GET', `${base}/api-tokens`, undefined, token);
  expect(tokens.body).toMatchObject({
    data: [{ id: ids.token, name: 'server', expires_at: null, allowed_addresses: null }],
  });

  // A mailbox in clear is gone; what is captured from now on can be read.
  const captures = await app.request<{ data: { id: string }[] }>('GET', `${base}/captures`, undefined, token);
  expect(captures.body.data).toHaveLength(2);
  const source = await app.request('GET', `${base}/captures/${captures.body.data[0]?.id}`, undefined, token);
  expect(source.text).toContain('Am Montag');

  // Counted per day, what was sent before included.
  const day = (at: number) => Math.floor(at / DAY);
  const counters = app.sql<{ day: number; accepted: number }>(
    ids.tenant,
    'SELECT day, sum(accepted) AS accepted FROM counters WHERE route_id = ? GROUP BY day ORDER BY day',
    ids.outgoing,
  );
  expect(counters[0]).toEqual({ day: day(now - DAY), accepted: 2 });
  expect(counters.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(4);

  // It gets an owner, who signs in and sees it; its audit has begun. The service's own tenant has been made beside it.
  await makeOwner(app, ids.tenant, 'erika@example.org');
  const erika = await signIn(app, 'erika@example.org');
  const me = await app.request('GET', '/api/auth/me', undefined, erika.token);
  expect(me.body).toMatchObject({ practices: [{ practice_id: ids.tenant }] });
  const audit = await app.request('GET', `${base}/audit`, undefined, erika.token);
  expect(audit.body).toMatchObject({ data: [{ action: 'member.make_owner' }] });
  const purposes = app.sql<{ purpose: string }>(null, 'SELECT purpose FROM tenants ORDER BY number');
  expect(purposes.map(({ purpose }) => purpose)).toEqual(['practice', 'system']);
});
