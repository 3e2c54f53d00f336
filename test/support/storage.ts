// Data as the daemon keeps them, for tests of single parts: real SQLite files with the real migrations in a directory
// of their own, closed and removed when the test that opened them ends.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { type CreateTenantDeps, createTenant } from '#src/accounts/tenants/create.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { loadSchema } from '#src/app/schema.ts';
import { createTenantHosts, type TenantHostsDeps } from '#src/domains/tenant-hosts.ts';
import { type Disk, disk } from '#src/kernel/db/disk.ts';
import { migrate } from '#src/kernel/db/migrate.ts';
import { type FileKind, openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { openStorage, type Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { type Lane, laneOf } from '#src/kernel/stream.ts';
import type { Clock } from '#src/kernel/time.ts';
import { type Kind, kinds } from '#src/messages/kinds.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { messageStore } from '#src/messages/store.ts';
import { keysBy, testSealingKey } from '#test/support/keys.ts';
import { sharedMaintenance } from './maintenance.ts';
import { messageRow, textBody } from './message-row.ts';
import { runsTwice } from './runs-twice.ts';

export const temporaryDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sendwerk-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

export interface SampleTenant {
  readonly db: TenantDb;
  readonly tenantId: string;
  readonly projectId: string;
  /** Transactional. */
  readonly routeId: string;
}

export const MANAGED_HOST = 'praxis.send.example.com';

const migratedFiles = new Map<FileKind, Buffer>();

/** The bytes of a new file after all migrations, which run once in a process: they take longer than most tests. */
const migratedFile = (kind: FileKind): Buffer => {
  let bytes = migratedFiles.get(kind);
  if (bytes === undefined) {
    const db = new Database(':memory:');
    migrate(db, loadSchema()[kind]);
    bytes = db.serialize();
    db.close();
    migratedFiles.set(kind, bytes);
  }
  return bytes;
};

/** The file of a tenant with number 1, a default project and one route. */
export const openTenantDb = async (): Promise<SampleTenant> => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'tenant.db');
  await writeFile(path, migratedFile('tenant'));
  const db = openSqlite(path, { create: false, busyTimeoutMs: 0 }) as TenantDb;
  onTestFinished(() => {
    db.close();
  });
  const tenantId = newId();
  const projectId = newId();
  const routeId = newId();
  const store = tenantStore(db);
  store.insertPractice({
    id: tenantId,
    number: 1,
    name: 'Praxis',
    slug: 'praxis',
    managed_host: MANAGED_HOST,
    pending_domain: null,
    plan: 'praxis',
    purpose: 'practice',
    safe_mode: 0,
    created_at: 0,
  });
  store.insertProject({
    id: projectId,
    name: 'Default',
    slug: 'default',
    is_default: 1,
    archived_at: null,
    created_at: 0,
  });
  store.insertRoute({
    id: routeId,
    slug: 'outgoing',
    name: 'Outgoing',
    type: 'transactional',
    project_id: null,
    is_default: 1,
    track_opens: 0,
    track_clicks: 0,
    plain_text_fallback: 1,
    created_at: 0,
  });
  return { db, tenantId, projectId, routeId };
};

export interface SampleMessage {
  readonly id: string;
  readonly seq: number;
  readonly recipientIds: readonly number[];
}

/** A queued message with one queue row for each recipient. */
export const queueMessage = (
  { db, projectId, routeId }: SampleTenant,
  fields: {
    readonly recipients?: readonly string[];
    readonly kind?: Kind;
    readonly size?: number;
    readonly now?: number;
    readonly dueAt?: number;
  } = {},
): SampleMessage => {
  const { recipients = ['anna@example.org'], kind = 'transactional', size = 100, now = 0 } = fields;
  const lane: Lane = laneOf[kinds[kind].stream];
  const store = messageStore(db);
  const row = messageRow({
    project_id: projectId,
    route_id: routeId,
    to: recipients.map((address) => ({ address })),
    at: now,
    message_kind: kind,
    channel: kinds[kind].channel,
    subject: 'Termin',
    settings_json: '{}',
    size_bytes: size,
  });
  const { id } = row;
  const seq = store.insert(row, textBody('Guten Tag'));
  const recipientIds = recipients.map((address) => {
    const recipientId = store.insertRecipient(seq, address, 'to', 'queued', now).id;
    queueStore(db).enqueue({ recipientId, messageSeq: seq, lane, dueAt: fields.dueAt ?? now, size, now });
    return recipientId;
  });
  return { id, seq, recipientIds };
};

/** The storage of an installation in `directory`; the test closes it, or the end of the test does. */
export const openTestStorage = async (
  directory: string,
  options: { readonly maxOpenTenants?: number; readonly disk?: Disk; readonly runsTwice?: boolean } = {},
): Promise<Storage> => {
  const storage = await openStorage({
    dataDirectory: directory,
    schema: loadSchema(),
    maxOpenTenants: options.maxOpenTenants ?? 4,
    checkpointBytes: 1_024 * 1_024,
    disk: options.disk ?? disk,
    maintenance: sharedMaintenance(),
    isWhole: () => true,
    leastFree: { percent: 0, bytes: 0 },
    onFault: () => undefined,
    runsTwice: runsTwice(options.runsTwice),
  });
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closed ??= storage.close();
    return closed;
  };
  onTestFinished(() => close().catch(() => undefined));
  return { ...storage, close };
};

const MANAGED_SUFFIX = 'send.example.com';

/** What `createTenant` needs beside the storage; its keys are made fast and are no RSA keys. */
export const tenantDeps = (
  storage: Storage,
  clock: Clock,
  overrides: Partial<TenantHostsDeps> = {},
): CreateTenantDeps => {
  const hosts = createTenantHosts({
    serviceHost: 'service.example.net',
    managedSuffix: MANAGED_SUFFIX,
    sealingKey: SEALING_KEY,
    generateKeyPair: async () => generateKeyPairSync('ed25519'),
    isReservedSlug: () => false,
    ...overrides,
  });
  return {
    storage,
    clock,
    hosts: () => hosts,
    safeModeDefault: () => false,
    keys: { key: testKeys.key, tenantKeys: testKeys },
  };
};

const testKeys = keysBy(Buffer.alloc(32, 1));
export const SEALING_KEY = testSealingKey(1);

/** A complete tenant in an installation; resolves with its id. */
export const createSampleTenant = async (storage: Storage, name = 'Praxis'): Promise<string> => {
  const wanted = { name, plan: 'praxis', customDomain: null } as const;
  return (await createTenant(tenantDeps(storage, createTestClock()), wanted)).id;
};

export interface TestClock extends Clock {
  set(now: number): void;
}

export const createTestClock = (start = 1_700_000_000_000): TestClock => {
  let now = start;
  return {
    now: () => now,
    set: (next) => {
      now = next;
    },
  };
};
