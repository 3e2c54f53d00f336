// What the registry must know so that a start finds the work, and what it must not know that the tenants' files do not. What a crash may
// leave of an operation over two files is in the rooms' own pages, and is no fault.
import type Database from 'better-sqlite3';
import type { Service } from '../scene.ts';
import { inFile, type Memory, present, type TenantMemory } from './memory.ts';
import { row, rows, value } from './sql.ts';
import { broken, type Truth } from './truth.ts';

/** `src/relay/dispatcher.ts`. */
const FILE_RETRY_MS = 5_000;

/** At any time: the note is on the disk before there is something due. */
export const dueIsNoted: Truth = {
  name: 'the registry knows when something is due',
  check: (scene, { losses }, memory) => {
    /** Their registration follows the file. */
    const putBack = new Set(losses.flatMap(({ practiceId, until }) => (until === null ? [practiceId] : [])));
    for (const { service, tenants, due } of memory.hosts) {
      if (!service.isUp()) continue;
      for (const { id } of tenants.values()) {
        const tenant = memory.tenants.get(id);
        // Mail of a practice that is paused is looked at once an hour; its resumption notes that it is due before it is written.
        const isWorking =
          tenant?.service === service && tenant.standing.pausedAt === null && !putBack.has(id);
        const dueAt = isWorking ? tenant.standing.dueAt : null;
        const noted = due.get(id);
        // What is overdue while a file cannot be used is looked at again some seconds later: that is noted at a stop.
        const latest = Math.max(dueAt ?? 0, scene.now() + FILE_RETRY_MS);
        if (dueAt === null || (noted !== undefined && noted <= latest)) continue;
        broken(
          `${tenant?.name}: something is due at ${new Date(dueAt).toISOString()}, and the registry says ${noted === undefined ? 'nothing' : new Date(noted).toISOString()}`,
        );
      }
    }
  },
};

const idsIn = (db: Database.Database, sql: string, ...values: unknown[]): Set<string> =>
  new Set(rows<{ id: string }>(db, sql, ...values).map(({ id }) => id));

const factsIn = (db: Database.Database) => ({
  practice: row<{ id: string; slug: string; managed_host: string; custom_domain: string | null }>(
    db,
    'SELECT id, slug, managed_host, custom_domain FROM practice',
  ),
  projects: idsIn(db, 'SELECT id FROM projects'),
  tokens: idsIn(db, 'SELECT hex(hash) AS id FROM api_tokens'),
  hooks: idsIn(db, 'SELECT id FROM inbound_hooks'),
  keys: idsIn(
    db,
    `SELECT k.token AS id FROM dkim_keys k JOIN practice p ON k.domain IN (p.managed_host, p.custom_domain)
     WHERE k.position > 0 AND k.published_at IS NOT NULL AND k.role IN ('active', 'next')`,
  ),
  receives: value(db, 'SELECT 1 FROM inbound_settings WHERE enabled_at IS NOT NULL') !== undefined,
  followers: [
    ['webhooks', 'SELECT 1 FROM webhooks LIMIT 1'],
    ['alerts', 'SELECT 1 FROM alerts LIMIT 1'],
    ['audience', 'SELECT 1 FROM lists LIMIT 1'],
  ].flatMap(([name = '', sql = '']) => (value(db, sql) === undefined ? [] : [name])),
});

const registryOf = ({ service, id }: TenantMemory) =>
  service.look(null, (db) => ({
    projects: idsIn(db, 'SELECT id FROM projects WHERE tenant_id = ?', id),
    tokens: idsIn(
      db,
      'SELECT hex(hash) AS id FROM credentials WHERE tenant_id = ? AND revoked_at IS NULL',
      id,
    ),
    hooks: idsIn(db, 'SELECT id FROM inbound_hooks WHERE tenant_id = ?', id),
    keys: idsIn(db, 'SELECT token AS id FROM dkim_tokens WHERE tenant_id = ?', id),
    domains: idsIn(db, 'SELECT name AS id FROM domains WHERE tenant_id = ?', id),
    receives: value(db, 'SELECT 1 FROM inbound_tenants WHERE tenant_id = ?', id) !== undefined,
    followers: idsIn(db, 'SELECT follower AS id FROM event_followers WHERE tenant_id = ?', id),
  }));

const isAnyones = (service: Service, domain: string): boolean =>
  service.look(null, (db) => value(db, 'SELECT 1 FROM domains WHERE name = ?', domain)) !== undefined;

const checkTenant = (tenant: TenantMemory): void => {
  const file = inFile(tenant, factsIn);
  const registry = registryOf(tenant);
  const { practice } = file;
  if (practice?.id !== tenant.id) broken(`${tenant.name}: the file is that of practice ${practice?.id}`);
  const missing = (
    what: string,
    wanted: Iterable<string>,
    known: ReadonlySet<string>,
    where: string,
  ): void => {
    for (const one of wanted)
      if (!known.has(one)) broken(`${tenant.name}: ${what} ${one} is not in ${where}`);
  };
  missing('project', file.projects, registry.projects, 'the registry');
  missing('the managed host', [practice.managed_host], registry.domains, 'the registry');
  missing('the published key', file.keys, registry.keys, 'the registry');
  missing('the follower', file.followers, registry.followers, 'the registry');
  missing('a valid token, by its hash', registry.tokens, file.tokens, 'the file');
  missing('the inbound hook', registry.hooks, file.hooks, 'the file');
  if (file.receives && !registry.receives)
    broken(`${tenant.name}: it receives mail, and the registry does not know`);
  if (practice.custom_domain !== null && !isAnyones(tenant.service, practice.custom_domain))
    broken(
      `${tenant.name}: the domain ${practice.custom_domain} is in use, and the registry knows no one who has it`,
    );
};

/** After a start, and at the end. */
export const registryAgrees: Truth = {
  name: 'the registry agrees with the files',
  check: (_scene, _book, memory: Memory) => {
    for (const tenant of present(memory)) checkTenant(tenant);
  },
};
