// What `sendwerk litestream-config` and `litestream-restore` do.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { requireOwner } from '#src/operations/owner.ts';
import {
  litestreamConfig,
  type ReplicaConfig,
  replicatedFiles,
} from '#src/operations/replica/litestream-config.ts';
import { restoreReplica } from '#src/operations/replica/restore-replica.ts';
import { type RunOptions, runLitestream, writeWhole } from '#src/operations/replica/run-litestream.ts';
import { tables } from './backup.ts';
import { readFile } from './beside-daemon.ts';
import { UsageError } from './command.ts';
import type { CommandResult } from './config.ts';
import { counted } from './progress.ts';
import type { Terminal } from './terminal.ts';

const replicaOf = ({ replica }: Config): ReplicaConfig => {
  if (replica === undefined) throw new UsageError('set replica.to in the configuration');
  return replica;
};

/** Null before the first start of the daemon. */
const configNow = (config: Config): ReturnType<RunOptions['config']> => {
  const registry = join(config.data_dir, PLATFORM_NAME);
  if (!existsSync(registry)) return null;
  const ids = readFile(registry, (db: PlatformDb) => tables.tenants(db).map(({ id }) => id));
  const databases = [...replicatedFiles(config.data_dir, ids).values()];
  return { text: litestreamConfig(config.data_dir, ids, replicaOf(config)), databases };
};

export const litestream = async (
  values: { readonly config: string; readonly out: string | undefined; readonly run: string | undefined },
  environment: Environment,
  { signals }: Terminal,
): Promise<CommandResult> => {
  const { config } = loadConfig(values.config, environment);
  replicaOf(config);
  requireOwner(config.data_dir);
  const { out: file, run: program } = values;
  if (program !== undefined) {
    if (file === undefined) throw new UsageError('litestream-config: --run needs --out');
    const end = new AbortController();
    signals.onEnd(() => end.abort());
    await runLitestream({ program, file, config: () => configNow(config), signal: end.signal });
    return { exitCode: 0, output: '' };
  }
  const text = configNow(config)?.text ?? litestreamConfig(config.data_dir, [], replicaOf(config));
  if (file === undefined) return { exitCode: 0, output: text };
  await writeWhole(file, text);
  return { exitCode: 0, output: '' };
};

export const restoreFromReplica = async (
  values: {
    readonly config: string;
    readonly dir: string;
    readonly at: string | undefined;
    readonly litestream: string;
  },
  environment: Environment,
): Promise<CommandResult> => {
  const { config } = loadConfig(values.config, environment);
  const { restored, missing } = await restoreReplica({
    program: values.litestream,
    replica: replicaOf(config),
    dataDirectory: config.data_dir,
    directory: values.dir,
    at: values.at,
    tables,
  });
  const lines = [
    `${values.dir}: the registry and ${counted(restored, 'practice')}; \`sendwerk restore ${values.dir}\` puts them in place`,
    ...missing.map((slug) => `MISSING: ${slug} is not in the replica`),
  ];
  return { exitCode: missing.length === 0 ? 0 : 1, output: lines.map((line) => `${line}\n`).join('') };
};
