// `sendwerk consent verify` checks the evidence of one person's consent, or all of a practice's ledger. It asks no daemon: it reads
// the file that it is given, also of a backup or while the daemon runs, and changes nothing. Evidence proves something only if its key is
// known (consent-keys.ts).

import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { readKeys } from '#src/accounts/tenants/master-key.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Fault } from '#src/audience/consent/content-rules.ts';
import type { Evidence } from '#src/audience/consent/evidence-schema.ts';
import { verifyEvidence } from '#src/audience/consent/verify-evidence.ts';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { type AnyDb, openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { evidenceKeyOf } from '#src/kernel/evidence-key.ts';
import { UUID } from '#src/kernel/fields.ts';
import type { Keys } from '#src/kernel/keys.ts';
import { ledgerKeyOf } from '../ledger-key.ts';
import { clean } from './admin-text.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandResult } from './config.ts';
import { installedWay, namedWay, publishedWays, type Way } from './consent-keys.ts';

export interface ConsentVerifyOptions {
  readonly file: string | undefined;
  readonly data: string | undefined;
  readonly practice: string | undefined;
  readonly config: string | undefined;
  readonly key: string | undefined;
  readonly origin: string | undefined;
}

const SQLITE_HEAD = 'SQLite format 3\0';
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

/** What a file says may have characters that control a terminal. */
const lines = (...all: readonly string[]): string => all.map((line) => `${clean(line)}\n`).join('');

const faultLine = ({ seq, id, what }: Fault): string =>
  seq === null ? what : `entry ${seq}${id === null ? '' : ` (${id})`}: ${what}`;

const verifyFile = (file: string, keys: Keys | null): CommandResult => {
  const { practice, entries, head, fault } = withDatabase(file, (db: TenantDb) =>
    verifyLedger(db, keys && ledgerKeyOf(db, keys)),
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

/** `bundle` is right in itself. Exit code 2: no known key has signed it. */
const verifyBundle = async (
  file: string,
  waysOf: (evidence: Evidence) => Promise<readonly Way[]>,
): Promise<CommandResult> => {
  const { evidence, faults } = verifyEvidence(parsedJson(file));
  const about = evidence
    ? [
        `evidence of the consent of ${evidence.address}, made at ${evidence.made_at} for ${evidence.practice.name} (${evidence.practice.id})`,
      ]
    : [];
  if (faults.length > 0 || !evidence)
    return { exitCode: 1, output: lines(...about, ...faults.map((fault) => `WRONG: ${faultLine(fault)}`)) };
  const ways = await waysOf(evidence);
  const isKnown = ways.length > 0 && ways.every(({ knows }) => knows);
  return {
    exitCode: isKnown ? 0 : 2,
    output: lines(
      ...about,
      `entries: ${evidence.entries.map(({ seq }) => seq).join(', ')} of a ledger of ${evidence.head.seq}`,
      'unchanged: it says what the holder of the key below has signed',
      `key: ${evidence.signature.fingerprint}`,
      ...ways.map(({ says }) => says),
      ...(isKnown
        ? ['all right']
        : [
            'NOT PROVED BY A KNOWN KEY: anyone can make such a file with a key of their own',
            ...(ways.length > 0
              ? []
              : [
                  'name the key by --key, the installation by --config or --data, or by --origin the service as you know it, whatever the file says',
                ]),
          ]),
    ),
  };
};

const optionalConfig = (file: string | undefined, environment: Environment): Config | null =>
  file === undefined ? null : loadConfig(file, environment).config;

/** Also of a backup, whose registry is beside it, or of data without a registry. */
const keysBy = ({ secrets }: Config, directory: string | undefined): Keys => {
  const registry = join(directory ?? '', 'platform.db');
  return existsSync(registry)
    ? withDatabase(registry, (db: PlatformDb) => readKeys(db, secrets))
    : readKeys(null, secrets);
};

/** Exit code 1: something is wrong; 2: evidence is right in itself, but not proved by a known key. */
export const consentVerify = async (
  { file, data, practice, config: configFile, key, origin }: ConsentVerifyOptions,
  environment: Environment,
): Promise<CommandResult> => {
  if ((file === undefined) === (practice === undefined))
    throw new UsageError('consent verify: name either a FILE or a --practice');
  const config = optionalConfig(configFile, environment);
  const directory = data ?? config?.data_dir;
  const keys = config && keysBy(config, directory);
  if (practice !== undefined) {
    if (directory === undefined) throw new UsageError('consent verify: --practice needs --data or --config');
    return verifyFile(fileOfPractice(directory, practice), keys);
  }
  const named = file ?? '';
  if (isDatabase(named)) return verifyFile(named, keys);
  const own =
    config &&
    keys &&
    evidenceKeyOf(config.secrets.evidenceKey?.reveal() ?? null, keys.key('consent evidence'));
  return verifyBundle(named, async (evidence) => [
    ...(key === undefined ? [] : [namedWay(evidence, key)]),
    ...(directory === undefined ? [] : [installedWay(evidence, directory, own)]),
    ...(origin === undefined ? [] : await publishedWays(evidence, origin, config)),
  ]);
};
