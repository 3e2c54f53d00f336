// `sendwerk tenant list` and `tenant show`: read from the files, beside a running or a stopped daemon.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type RegisteredTenant, registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { sendingDomainStore } from '#src/domains/store.ts';
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { openBeside } from '#src/kernel/db/copy-database.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { rowsOf } from '#src/operations/file-store.ts';
import { readNote } from '#src/operations/last-backup.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import { requireOwner } from '#src/operations/owner.ts';
import { type Cell, json, record, table } from './admin-text.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';
import { mebibytes } from './progress.ts';

export const beside = async <D extends PlatformDb | TenantDb, T>(
  path: string,
  work: (db: D) => T,
): Promise<T> => {
  const db = (await openBeside(path)) as unknown as D;
  try {
    return work(db);
  } finally {
    db.close();
  }
};

/** Throws CommandError where there is no data, and DataError where they are another user's. */
export const tenantsOf = ({ data_dir }: Config): Promise<RegisteredTenant[]> => {
  requireOwner(data_dir);
  const path = join(data_dir, PLATFORM_NAME);
  if (!existsSync(path)) throw new CommandError(`${path} is missing`);
  return beside(path, (db: PlatformDb) => registryStore(db).every());
};

/** Finds a practice by its id or slug. */
export const tenantNamed = async (config: Config, name: string): Promise<RegisteredTenant> => {
  const found = (await tenantsOf(config)).find(({ id, slug }) => [id, slug].includes(name.toLowerCase()));
  if (found === undefined) throw new CommandError(`there is no practice ${name}; \`tenant list\` shows them`);
  return found;
};

interface Shown {
  readonly id: string;
  readonly slug: string;
  readonly number: number;
  /** `paused` too; `unreadable` where the file does not open. */
  readonly state: string;
  readonly name: string | null;
  readonly bytes: number;
  readonly queue: number | null;
  readonly messages: number | null;
  readonly domains: readonly string[];
  readonly created_at: string;
  /** The last backup of the whole installation. */
  readonly last_backup: string | null;
}

const bytesAt = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, one) => sum + (existsSync(one) ? statSync(one).size : 0), 0);

const readFile = (path: string) =>
  beside(path, (db: TenantDb) => ({
    practice: tenantStore(db).practice(),
    hosts: sendingDomainStore(db)
      .all()
      .map(({ name }) => name),
    rows: rowsOf(db),
  }));

/** `rows`: of each table, null where the file cannot be read. */
const look = async ({ data_dir }: Config, tenant: RegisteredTenant) => {
  const { id, slug, number, state, created_at } = tenant;
  const path = join(data_dir, tenantFile(id));
  const found = await readFile(path).catch(() => null);
  const paused = found !== null && found.practice.paused_at !== null && state === 'active';
  const shown: Shown = {
    ...{ id, slug, number },
    state: found === null && state !== 'moved' ? 'unreadable' : paused ? 'paused' : state,
    name: found?.practice.name ?? null,
    bytes: bytesAt(path),
    queue: found && (found.rows.queue ?? 0),
    messages: found && (found.rows.messages ?? 0),
    domains: found ? [found.practice.managed_host, ...found.hosts] : [],
    created_at: toIso(created_at),
    last_backup: toIsoOrNull(readNote(data_dir, undefined)?.madeAt ?? null),
  };
  return { shown, rows: found?.rows ?? null };
};

const HEAD = ['SLUG', 'NAME', 'STATE', 'SIZE', 'MESSAGES', 'QUEUE', 'DOMAINS', 'ID'];

export const listTenants = async (
  { config: file, json: asJson }: { readonly config: string; readonly json: boolean },
  environment: Environment,
): Promise<CommandResult> => {
  const { config } = loadConfig(file, environment);
  const all: Shown[] = [];
  for (const tenant of await tenantsOf(config))
    if (tenant.purpose === 'practice') all.push((await look(config, tenant)).shown);
  if (asJson) return { exitCode: 0, output: json(all) };
  const rows = all.map((one): Cell[] => [
    ...[one.slug, one.name, one.state, mebibytes(one.bytes), one.messages, one.queue],
    ...[one.domains.join(', '), one.id],
  ]);
  return { exitCode: 0, output: table(HEAD, rows, 'There are no practices.') };
};

export const showTenant = async (
  { tenant: name, config: file, json: asJson }: { tenant: string; config: string; json: boolean },
  environment: Environment,
): Promise<CommandResult> => {
  const { config } = loadConfig(file, environment);
  const { shown, rows } = await look(config, await tenantNamed(config, name));
  if (asJson) return { exitCode: 0, output: json({ ...shown, rows }) };
  const text = record([
    ...Object.entries({ ...shown, bytes: mebibytes(shown.bytes), domains: shown.domains.join(', ') }).map(
      ([key, value]): [string, Cell] => [key.replaceAll('_', ' '), value],
    ),
    ...Object.entries(rows ?? {}).map(([key, count]): [string, Cell] => [`rows of ${key}`, count]),
  ]);
  return { exitCode: 0, output: text };
};
