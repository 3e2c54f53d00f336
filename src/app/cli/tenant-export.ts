// `sendwerk tenant export`: one practice in one encrypted file, read beside a running or a stopped daemon.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lastingKeysStore } from '#src/accounts/tenants/key-store.ts';
import { changeOfMasterKey, readKeys, sealTenantKeys } from '#src/accounts/tenants/master-key.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';
import { openSqlite, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { type KeyFor, type Keys, type SealingPurpose, sealingKeyOf } from '#src/kernel/keys.ts';
import { createLog } from '#src/kernel/log.ts';
import { systemClock, toIso } from '#src/kernel/time.ts';
import { readVersion } from '#src/kernel/version.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import { sealClosedFile } from '#src/operations/seal-again.ts';
import { type Secrets, writeTenantFile } from '#src/operations/tenant-file.ts';
import { tenantPlaces } from '../closed-files.ts';
import { EXPORTING } from '../left-copies.ts';
import { clean } from './admin-text.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandResult } from './config.ts';
import { createProgress, mebibytes } from './progress.ts';
import { beside, tenantNamed } from './tenant-list.ts';
import type { Terminal } from './terminal.ts';

const KEY_BYTES = 32;
const SECRET_KEY = /^AGE-SECRET-KEY-/i;
/** scrypt makes each guess slow; fewer characters are guessed all the same. */
const MIN_PASSPHRASE = 12;

export interface SecretValues {
  readonly 'passphrase-file': string | undefined;
  /** A public key of age, or the file with keys. */
  readonly key: string | undefined;
}

const linesOf = (path: string): string[] => {
  try {
    return readFileSync(path, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  }
};

/** Throws UsageError unless it is exactly one of both. */
export const secretsOf = (command: string, { 'passphrase-file': file, key }: SecretValues): Secrets => {
  if ((file === undefined) === (key === undefined))
    throw new UsageError(`${command}: name either --passphrase-file or --key`);
  if (key !== undefined && SECRET_KEY.test(key))
    throw new UsageError(
      `${command}: other users of this machine see what is typed here: put the secret key into a file, and name that (and make a new key)`,
    );
  if (key !== undefined) return { keys: /^age1/i.test(key) ? [key] : linesOf(key) };
  const [passphrase = ''] = linesOf(file ?? '');
  if (passphrase.length < MIN_PASSPHRASE)
    throw new UsageError(
      `${command}: a passphrase has at least ${MIN_PASSPHRASE} characters, in the first line of ${file}`,
    );
  return { passphrase };
};

interface Values extends SecretValues {
  readonly tenant: string;
  readonly file: string;
  readonly config: string;
}

/** Seals the copy, which nobody uses, under keys of its own. Resolves with the practice's row of the copy. */
export const prepareCopy = async (
  copy: string,
  { id, number }: { readonly id: string; readonly number: number },
  keys: Keys,
  own: Buffer,
  terminal: Pick<Terminal, 'printError'>,
) => {
  const db = openSqlite(copy, { create: false, busyTimeoutMs: 0 }) as TenantDb;
  try {
    const key = ((purpose: SealingPurpose) => ({
      present: sealingKeyOf(purpose, own, null).present,
      former: keys.key(purpose).present,
    })) as KeyFor;
    const log = createLog('warn', { write: (line) => terminal.printError(line) });
    await sealClosedFile(db, id, tenantPlaces, key, log);
    lastingKeysStore(db).put(sealTenantKeys(key('lasting keys'), id, keys.ofTenant(id, number)));
    return tenantStore(db).practice();
  } finally {
    // The last connection brings the WAL into the file.
    db.close();
  }
};

export const exportTenant = async (
  values: Values,
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const secrets = secretsOf('tenant export', values);
  const { config } = loadConfig(values.config, environment);
  if (existsSync(values.file)) throw new CommandError(`${values.file} exists: name another file`);
  const tenant = await tenantNamed(config, values.tenant);
  const { id, slug } = tenant;
  if (tenant.purpose === 'system')
    throw new CommandError(`the service sends its own mail as ${slug}: it stays here`);
  if (tenant.state !== 'active')
    throw new CommandError(`${slug} is ${tenant.state}: only a practice at work is exported`);
  const keys = await beside(join(config.data_dir, PLATFORM_NAME), (db: PlatformDb) => {
    if (changeOfMasterKey(db, config.secrets) !== 'none')
      throw new CommandError('a change of the master key has not ended: wait for `sendwerk secrets rotate`');
    return readKeys(db, config.secrets);
  });
  const own = randomBytes(KEY_BYTES);
  await mkdir(join(config.data_dir, EXPORTING), { recursive: true, mode: 0o700 });
  // Another export of the same practice may run beside this one. What a killed one leaves is removed by the daemon.
  const directory = await mkdtemp(join(config.data_dir, EXPORTING, `${id}-`));
  const copy = join(directory, 'tenant.db');
  const progress = createProgress(terminal, 'export');
  try {
    const { schema, bytes } = await copyDatabase(join(config.data_dir, tenantFile(id)), copy);
    const { name } = await prepareCopy(copy, tenant, keys, own, terminal);
    const head = {
      program: readVersion(),
      made_at: toIso(systemClock.now()),
      ...{ id, slug, name, schema },
      host: config.service.host,
      key: own.toString('base64'),
    };
    await writeTenantFile(values.file, copy, head, secrets, (done) => progress.show(done, bytes));
    const lines = [
      `exported: ${slug} (${id}), ${mebibytes(bytes)}, into ${values.file}`,
      'the file is worth all secrets of the practice: who can open it can read its mail and send in its name',
      'the practice goes on working here; another host takes the file by `sendwerk tenant import`',
    ];
    return { exitCode: 0, output: lines.map((line) => `${clean(line)}\n`).join('') };
  } finally {
    progress.end();
    await rm(directory, { recursive: true, force: true });
  }
};
