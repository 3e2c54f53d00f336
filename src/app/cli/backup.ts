// What `sendwerk backup`, `backup list` and `backup verify` do: the rooms' part is handed in here, and what was done is said.
import { setPriority } from 'node:os';
import { resolve } from 'node:path';
import { changeOfMasterKey } from '#src/accounts/tenants/master-key.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import { parseKeep } from '#src/kernel/config/keep.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { fingerprintOf } from '#src/kernel/seal.ts';
import { systemClock, toIso } from '#src/kernel/time.ts';
import { readVersion } from '#src/kernel/version.ts';
import { makeBackup, type TenantName } from '#src/operations/backup.ts';
import { backupAt, backupsIn, sizesOf } from '#src/operations/backup-directory.ts';
import { type VerifyOptions, verifyBackup } from '#src/operations/verify.ts';
import { clean, json, table } from './admin-text.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandResult } from './config.ts';
import { counted, createProgress, mebibytes } from './progress.ts';
import type { Terminal } from './terminal.ts';

interface Values {
  readonly dir: string | undefined;
  readonly config: string;
  readonly json: boolean;
}

/** Mail goes first, for the processor and, by most schedulers, for the disk. */
const NICE = 10;
const MIB = 1_024 * 1_024;
const PAGE = 1_000;

export const tables: VerifyOptions['tables'] = {
  tenants: (db) => {
    const all: TenantName[] = [];
    for (
      let after = 0, page: readonly (TenantName & { number: number })[];
      ;
      after = page.at(-1)?.number ?? 0
    ) {
      page = registryStore(db).listAll(after, PAGE);
      if (page.length === 0) return all;
      all.push(...page.map(({ id, slug }) => ({ id, slug })));
    }
  },
  marks: (db) => {
    const head = consentStore(db).head();
    return head ? { ledger_head: `${head.seq} ${head.hash.toString('hex')}` } : {};
  },
  ledgerFault: (db) => {
    const { fault } = verifyLedger(db, null);
    return fault && (fault.seq === null ? fault.what : `entry ${fault.seq}: ${fault.what}`);
  },
};

const giveWay = (): void => {
  try {
    setPriority(NICE);
  } catch {
    // Under systemd it may not be asked for, and the unit has it.
  }
};

const directoryOf = ({ dir }: Values, config: () => Config): string => {
  const named = dir ?? config().backup.dir;
  if (named === undefined) throw new UsageError('backup: name a DIR, or set backup.dir in the configuration');
  return named;
};

/** Aborts when the process is told to end, so that nothing half is left. */
const ending = ({ signals }: Terminal): AbortSignal => {
  const end = new AbortController();
  signals.onEnd((name) => end.abort(new CommandError(`stopped by ${name}: nothing of it was kept`)));
  return end.signal;
};

export const backup = async (
  values: Values & { readonly keep: string | undefined; readonly whole: boolean },
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const { config } = loadConfig(values.config, environment);
  const directory = directoryOf(values, () => config);
  // The configuration says nothing of another directory.
  const isConfigured = config.backup.dir !== undefined && resolve(directory) === resolve(config.backup.dir);
  const keepText = values.keep ?? (isConfigured ? config.backup.keep : undefined);
  const keep = keepText === undefined ? null : parseKeep(keepText);
  if (keepText !== undefined && keep === null)
    throw new UsageError(`backup: --keep is a text such as 7d4w12m (days, weeks, months), not ${keepText}`);
  giveWay();
  const { masterKey, formerMasterKey } = config.secrets;
  const fingerprint = fingerprintOf(Buffer.from(masterKey.reveal(), 'base64'));
  const progress = createProgress(terminal, 'backup');
  const done = await makeBackup({
    dataDirectory: config.data_dir,
    directory,
    tables,
    fingerprint,
    former: formerMasterKey && {
      fingerprint: fingerprintOf(Buffer.from(formerMasterKey.reveal(), 'base64')),
      change: (db) => changeOfMasterKey(db, config.secrets),
    },
    program: readVersion(),
    leastFree: config.storage.min_free_mib * MIB,
    whole: values.whole,
    keep,
    now: systemClock.now,
    signal: ending(terminal),
    onProgress: progress.show,
  }).finally(progress.end);
  const exitCode = done.missing.length === 0 && done.not_removed === null ? 0 : 1;
  if (values.json) return { exitCode, output: json(done) };
  const fingerprints = [done.master_key, done.former_master_key].filter((key) => key !== null);
  const lines = [
    `${done.id} in ${done.directory}: ${counted(done.tenants, 'practice')}, ${mebibytes(done.bytes)}, of which ${mebibytes(done.new_bytes)} are new`,
    ...done.removed.map((id) => `removed: ${id}`),
    ...(done.not_removed === null
      ? []
      : [`NOT REMOVED: this backup is whole, and older ones are still there: ${done.not_removed}`]),
    ...done.damaged.map(
      (file) =>
        `WRONG: ${file} of the backup before is damaged; this one has a new copy of it (\`backup verify DIR ID\` looks at older ones)`,
    ),
    ...done.missing.map(({ slug, id, reason }) => `MISSING: ${slug} (${id}): ${reason}`),
    `the master key is not in it: keep a copy of it (fingerprint ${fingerprints.join(', and of the former one ')}) apart from the backups; without it no DKIM key and no other sealed value can be read`,
  ];
  return { exitCode, output: lines.map((line) => `${clean(line)}\n`).join('') };
};

export const listBackups = async (values: Values, environment: Environment): Promise<CommandResult> => {
  const directory = directoryOf(values, () => loadConfig(values.config, environment).config);
  const found: Record<string, string | number | null>[] = [];
  for await (const backup of backupsIn(directory)) {
    const { manifest, id, madeAt, fault } = backup;
    const { bytes, ownBytes } = await sizesOf(backup);
    found.push({
      id,
      made_at: toIso(madeAt),
      program: manifest?.program ?? null,
      master_key: manifest?.master_key ?? null,
      tenants: manifest?.tenants.length ?? null,
      bytes,
      own_bytes: ownBytes,
      fault,
    });
  }
  if (values.json) return { exitCode: 0, output: json(found) };
  const rows = found.map(({ id, program, tenants, bytes, own_bytes, fault }) => [
    ...[id, program, tenants, mebibytes(Number(bytes)), mebibytes(Number(own_bytes)), fault ?? 'whole'],
  ]);
  const head = ['ID', 'PROGRAM', 'PRACTICES', 'SIZE', 'ITS OWN', 'STATE'];
  return { exitCode: 0, output: table(head, rows as never, `${directory} holds no backup`) };
};

export const verify = async (
  values: Values & { readonly id: string | undefined },
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const directory = directoryOf(values, () => loadConfig(values.config, environment).config);
  giveWay();
  const backup = await backupAt(directory, values.id);
  const progress = createProgress(terminal, 'verify');
  const { files, bytes, faults } = await verifyBackup(backup, {
    tables,
    signal: ending(terminal),
    onProgress: progress.show,
  }).finally(progress.end);
  const exitCode = faults.length === 0 ? 0 : 1;
  if (values.json) return { exitCode, output: json({ id: backup.id, files, bytes, faults }) };
  const checked = `${backup.id}: ${counted(files, 'file')}, ${mebibytes(bytes)}`;
  const lines = [
    ...faults.map(({ file, what }) => `WRONG: ${file}${file && ': '}${what}`),
    faults.length === 0
      ? `${checked}: all right`
      : `${checked}: ${counted(faults.length, 'fault')}; restore another backup, or what of this one is right. The next backup copies what is damaged anew; \`sendwerk backup --whole\` copies everything now`,
  ];
  return { exitCode, output: lines.map((line) => `${clean(line)}\n`).join('') };
};
