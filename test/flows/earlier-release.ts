// Files as an earlier release left them: brought up by its migrations only, and filled by the SQL of that release, not by
// the stores, which know the present form only.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { hashBearer, newBearer } from '#src/accounts/people/bearer.ts';
import { createHostKeys, generateDkimKeyPair } from '#src/domains/keys/keys.ts';
import { loadMigrations, migrate } from '#src/kernel/db/migrate.ts';
import { type FileKind, openSqlite } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { deriveKey } from '#src/kernel/seal.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Sender } from '#test/support/app.ts';

export type Row = Readonly<Record<string, string | number | Buffer | null>>;

export const insert = (db: Database.Database, table: string, row: Row): void => {
  const names = Object.keys(row);
  db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `:${name}`)})`).run(row);
};

export interface EarlierMessage {
  readonly id: string;
  /** Host of From. */
  readonly host: string;
  readonly to: readonly string[];
  readonly status: 'queued' | 'processed';
  readonly createdAt: number;
  readonly channel?: string;
}

export interface EarlierPractice {
  readonly sender: Sender;
  readonly ids: {
    readonly tenant: string;
    readonly project: string;
    readonly outgoing: string;
    readonly broadcast: string;
    readonly token: string;
  };
  readonly db: Database.Database;
}

export interface EarlierRelease {
  readonly registry: Database.Database;
  /** With a team token, two routes, and keys for each of `hosts`, the first of which is the managed one. */
  addPractice(slug: string, hosts: readonly string[], row?: Row): Promise<EarlierPractice>;
  /** Queued ones are due at once, and claimed as by a process that died. */
  addMessages(practice: EarlierPractice, messages: readonly EarlierMessage[]): void;
  close(): void;
}

/** Below `home`, with the master key that a start there uses. `form`: number of the newest migration it knew. */
export const writeEarlierRelease = async (
  home: string,
  form: number,
  now: number,
): Promise<EarlierRelease> => {
  const masterKey = randomBytes(32);
  await writeFile(path.join(home, 'master.key'), masterKey.toString('base64'), { mode: 0o600 });
  const data = path.join(home, 'data');
  const opened: Database.Database[] = [];
  const open = async (directory: string, kind: FileKind): Promise<Database.Database> => {
    await mkdir(directory, { recursive: true });
    const db = openSqlite(path.join(directory, `${kind}.db`), { create: true, busyTimeoutMs: 0 });
    migrate(db, loadMigrations()[kind].slice(0, form));
    opened.push(db);
    return db;
  };
  const registry = await open(data, 'platform');
  let practices = 0;

  const addKeys = async (tenantId: string, host: string, db: Database.Database): Promise<void> => {
    const keys = await createHostKeys(
      tenantId,
      host,
      deriveKey(masterKey, 'dkim keys'),
      now,
      generateDkimKeyPair,
    );
    for (const { token, domain, algorithm, role, position, record, sealed_key, created_at } of keys) {
      insert(registry, 'dkim_tokens', { token, domain, record, position, tenant_id: tenantId, created_at });
      // Tokens of a host have had a number in the tenant's file, too, since keys are changed by rotation.
      const numbered = form > 2 ? { position } : {};
      insert(db, 'dkim_keys', { token, domain, algorithm, role, sealed_key, created_at, ...numbered });
    }
  };

  const addPractice: EarlierRelease['addPractice'] = async (slug, hosts, row = {}) => {
    practices += 1;
    const [managedHost = ''] = hosts;
    const ids = { tenant: newId(), project: newId(), outgoing: newId(), broadcast: newId(), token: newId() };
    const token = newBearer('svc_team_');
    insert(registry, 'tenants', { id: ids.tenant, slug, state: 'active', created_at: now });
    for (const [index, name] of hosts.entries()) {
      const kind = index === 0 ? 'managed' : 'custom';
      insert(registry, 'domains', { name, tenant_id: ids.tenant, kind, created_at: now });
    }
    insert(registry, 'credentials', {
      hash: hashBearer(token),
      token_id: ids.token,
      tenant_id: ids.tenant,
      project_id: null,
      created_at: now,
    });
    const db = await open(path.join(data, 'tenants', ids.tenant), 'tenant');
    insert(db, 'practice', {
      only: 1,
      id: ids.tenant,
      number: practices,
      name: 'Praxis',
      slug,
      managed_host: managedHost,
      plan: 'gruppe',
      safe_mode: 0,
      created_at: now,
      ...row,
    });
    const project = { name: 'Default', slug: 'default', is_default: 1, created_at: now };
    insert(db, 'projects', { id: ids.project, ...project });
    const route = { track_opens: 0, track_clicks: 0, plain_text_fallback: 1, created_at: now };
    const outgoing = { slug: 'outgoing', name: 'Outgoing', type: 'transactional', is_default: 1 };
    const broadcast = { slug: 'broadcast', name: 'Broadcast', type: 'marketing', is_default: 0 };
    insert(db, 'routes', { id: ids.outgoing, ...outgoing, ...route });
    insert(db, 'routes', { id: ids.broadcast, ...broadcast, ...route });
    insert(db, 'api_tokens', { id: ids.token, name: 'server', scope: 'team', created_at: now });
    for (const host of hosts) await addKeys(ids.tenant, host, db);
    const base = `/api/practices/${ids.tenant}`;
    return { sender: { practice: { id: ids.tenant }, token, base } as Sender, ids, db };
  };

  const addMessages: EarlierRelease['addMessages'] = ({ ids, db }, messages) => {
    let recipientId = 0;
    const counts = new Map<number, number>();
    for (const [index, message] of messages.entries()) {
      const { id, host, to, status, createdAt, channel = 'transactional' } = message;
      const seq = index + 1;
      insert(db, 'messages', {
        seq,
        id,
        internet_message_id: `<${id}@${host}>`,
        project_id: ids.project,
        route_id: ids.outgoing,
        message_kind: 'transactional',
        channel,
        source: 'api',
        from_json: JSON.stringify({ address: `noreply@${host}`, name: 'Praxis' }),
        to_json: JSON.stringify(to.map((address) => ({ address }))),
        cc_json: '[]',
        bcc_json: '[]',
        reply_to_json: '[]',
        subject: 'Ihr Termin',
        tag: null,
        tags_json: '[]',
        metadata_json: '{}',
        settings_json: JSON.stringify({ plain_text_fallback: true, track_opens: false, track_clicks: false }),
        decisions_json: '[]',
        status,
        score: null,
        size_bytes: 10,
        scheduled_at: null,
        created_at: createdAt,
        updated_at: 0,
      });
      insert(db, 'message_bodies', {
        message_seq: seq,
        text: 'Am Montag.',
        html: null,
        headers_json: '[]',
      });
      const day = Math.floor(createdAt / DAY);
      counts.set(day, (counts.get(day) ?? 0) + to.length);
      for (const address of to) {
        recipientId += 1;
        insert(db, 'recipients', {
          id: recipientId,
          message_seq: seq,
          address,
          field: 'to',
          status,
          updated_at: now,
        });
        if (status !== 'queued') continue;
        const due = { due_at: now, queued_at: now, attempts: 0, size_bytes: 10, lane: 0, claimed: 1 };
        insert(db, 'queue', { recipient_id: recipientId, message_seq: seq, ...due });
      }
    }
    // The first release did not count.
    if (form > 1)
      for (const [day, accepted] of counts) insert(db, 'counters', { day, route_id: ids.outgoing, accepted });
    if (messages.some(({ status }) => status === 'queued'))
      insert(registry, 'queue_due', { tenant_id: ids.tenant, due_at: now });
  };

  return {
    registry,
    addPractice,
    addMessages,
    close: () => {
      for (const db of opened) db.close();
    },
  };
};
