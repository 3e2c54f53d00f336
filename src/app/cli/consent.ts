// `sendwerk consent verify` checks the evidence of one person's consent, or all of a practice's ledger. It asks no daemon: it reads
// the file that it is given, also of a backup or while the daemon runs, and changes nothing.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Fault } from '#src/audience/consent/content-rules.ts';
import { evidenceKeyOf, publicKeyOf } from '#src/audience/consent/evidence-key.ts';
import { verifyEvidence } from '#src/audience/consent/verify-evidence.ts';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import { keysOf } from '#src/kernel/base.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { type AnyDb, openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandResult } from './config.ts';

export interface ConsentVerifyOptions {
  readonly file: string | undefined;
  readonly data: string | undefined;
  readonly practice: string | undefined;
  readonly config: string | undefined;
  readonly key: string | undefined;
}

const SQLITE_HEAD = 'SQLite format 3\0';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const cannotRead = (file: string, error: unknown): CommandError =>
  new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);

/** What SQLite says, of a file that is damaged or no file of ours too, is said of the file. */
const withDatabase = <D extends AnyDb, T>(file: string, work: (db: D) => T): T => {
  let db: D | undefined;
  try {
    db = openReadOnly<D>(file);
    return work(db);
  } catch (error) {
    throw error instanceof Error && error.name === 'SqliteError' ? cannotRead(file, error) : error;
  } finally {
    db?.close();
  }
};

const isDatabase = (file: string): boolean => {
  try {
    const descriptor = openSync(file, 'r');
    const head = Buffer.alloc(SQLITE_HEAD.length);
    readSync(descriptor, head);
    closeSync(descriptor);
    return head.toString('latin1') === SQLITE_HEAD;
  } catch (error) {
    throw cannotRead(file, error);
  }
};

const fileOfPractice = (data: string, practice: string): string => {
  const registry = join(data, 'platform.db');
  if (!UUID.test(practice) && !existsSync(registry))
    throw new CommandError(`${registry} is missing: name the practice by its id`);
  const id = UUID.test(practice)
    ? practice.toLowerCase()
    : withDatabase(registry, (db: PlatformDb) => registryStore(db).bySlug(practice.toLowerCase())?.id);
  const file = join(data, 'tenants', id ?? '', 'tenant.db');
  if (id === undefined || !existsSync(file)) throw new CommandError(`${data} has no practice ${practice}`);
  return file;
};

interface InstallationKeys {
  readonly ledger: KeyObject;
  readonly fingerprint: string;
}

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

const faultLine = ({ seq, id, what }: Fault): string =>
  seq === null ? what : `entry ${seq}${id === null ? '' : ` (${id})`}: ${what}`;

const verifyFile = (file: string, keys: InstallationKeys | null): CommandResult => {
  const { practice, entries, head, fault } = withDatabase(file, (db: TenantDb) =>
    verifyLedger(db, keys?.ledger ?? null),
  );
  const about = `consent ledger of ${practice.name} (${practice.id})`;
  if (fault) return { exitCode: 1, output: lines(about, `WRONG: ${faultLine(fault)}`) };
  return {
    exitCode: 0,
    output: lines(
      about,
      head ? `entries: ${entries}, the last one with the hash ${head.hash.toString('hex')}` : 'entries: none',
      keys
        ? 'head: sealed by this installation'
        : 'head: its HMAC was not checked, which takes --config: someone who can write the file can write all of it again',
      'all right',
    ),
  };
};

const parsedJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw cannotRead(file, error);
  }
};

/** `expected`: the fingerprint of the key that is trusted; null: that of the evidence is taken. */
const verifyBundle = (file: string, expected: string | null): CommandResult => {
  const { evidence, faults } = verifyEvidence(parsedJson(file));
  const found = evidence?.signature.fingerprint;
  const strange = evidence !== null && expected !== null && found !== expected;
  const wrong = [
    ...faults.map(faultLine),
    ...(strange ? [`the key ${found} signed it, not the expected ${expected}`] : []),
  ];
  const about = evidence
    ? [
        `evidence of the consent of ${evidence.address}, made at ${evidence.made_at} for ${evidence.practice.name} (${evidence.practice.id})`,
      ]
    : [];
  if (wrong.length > 0 || !evidence)
    return { exitCode: 1, output: lines(...about, ...wrong.map((line) => `WRONG: ${line}`)) };
  return {
    exitCode: 0,
    output: lines(
      ...about,
      `entries: ${evidence.entries.map(({ seq }) => seq).join(', ')} of a ledger of ${evidence.head.seq}`,
      `key: ${found}`,
      expected === null
        ? `the key is the one that the evidence names: compare it with ${evidence.service.origin}/api/public/consent-key`
        : 'the key is the expected one',
      'all right',
    ),
  };
};

export const consentVerify = (
  { file, data, practice, config: configFile, key }: ConsentVerifyOptions,
  environment: Environment,
): CommandResult => {
  if ((file === undefined) === (practice === undefined))
    throw new UsageError('consent verify: name either a FILE or a --practice');
  const config = configFile === undefined ? null : loadConfig(configFile, environment).config;
  const derive = config && keysOf(Buffer.from(config.secrets.masterKey.reveal(), 'base64'));
  const keys = derive && {
    ledger: createSecretKey(derive('consent ledger')),
    fingerprint: publicKeyOf(evidenceKeyOf(derive('consent evidence'))).fingerprint,
  };
  if (practice !== undefined) {
    const directory = data ?? config?.data_dir;
    if (directory === undefined) throw new UsageError('consent verify: --practice needs --data or --config');
    return verifyFile(fileOfPractice(directory, practice), keys);
  }
  const named = file ?? '';
  return isDatabase(named)
    ? verifyFile(named, keys)
    : verifyBundle(named, key?.toLowerCase() ?? keys?.fingerprint ?? null);
};
