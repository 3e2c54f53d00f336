// `sendwerk tenant import`: an exported practice, at this host. Its file is made ready in `arriving/` of the data directory and then
// taken as one that moves here: it gets this host's keys, a number and a managed host, and begins at the end. Killed before that, it
// is run again; the next run replaces what is there.
//
// Where the practice came from it may have gone on, so what was due in the export is held for a person, unless `--resume` says that
// nothing of it was sent.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { arrivingFile, hashesOf } from '#src/accounts/moving/blocks.ts';
import { readWaiting } from '#src/accounts/moving/waiting.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import { migrate, schemaFault } from '#src/kernel/db/migrate.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { systemClock } from '#src/kernel/time.ts';
import { faultsOf } from '#src/operations/file-store.ts';
import { readTenantFile, type TenantHead } from '#src/operations/tenant-file.ts';
import { holds } from '../closed-files.ts';
import { loadSchema } from '../schema.ts';
import { clean } from './admin-text.ts';
import { byDaemonOrHere } from './beside-daemon.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';
import { createProgress } from './progress.ts';
import { type SecretValues, secretsOf } from './tenant-export.ts';
import { tenantsOf } from './tenant-list.ts';
import type { Terminal } from './terminal.ts';

interface Values extends SecretValues {
  readonly file: string;
  readonly slug: string | undefined;
  readonly resume: boolean;
  readonly config: string;
}

interface Taken {
  readonly slug: string;
  readonly managed_host: string;
  readonly notes: readonly string[];
}

/** Brings the file to this version's tables, and resolves with how much of it is held. */
const prepare = (path: string, from: string, resume: boolean): number => {
  const db = openSqlite(path, { create: false, busyTimeoutMs: 0 }) as TenantDb;
  try {
    migrate(db, loadSchema().tenant);
    const [fault] = faultsOf(db);
    if (fault !== undefined) throw new DataError(`the database in ${from} is damaged: ${fault}`);
    if (resume) return 0;
    const now = systemClock.now();
    return db.transaction(() => holds.reduce((sum, hold) => sum + hold(db, now), 0))();
  } finally {
    // The last connection brings the WAL into the file.
    db.close();
  }
};

const take = (
  { values, environment, terminal }: { values: Values; environment: Environment; terminal: Terminal },
  id: string,
  request: { readonly key: string; readonly digest: string; readonly slug: string },
): Promise<Taken> =>
  byDaemonOrHere(values.config, environment, terminal, {
    daemon: async (api) => {
      const taken = await api.call<Taken>('POST', `/api/admin/arrivals/${id}`, request);
      await api.call('POST', `/api/admin/arrivals/${id}/begin`);
      return taken;
    },
    here: async (app) => {
      const arrive = await app.arrive();
      const [key, digest] = [Buffer.from(request.key, 'base64'), Buffer.from(request.digest, 'base64')];
      const { slug, managedHost, notes } = await arrive.take(id, key, digest, request.slug, null);
      await arrive.begin(id);
      return { slug, managed_host: managedHost, notes };
    },
  });

export const importTenant = async (
  values: Values,
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const secrets = secretsOf('tenant import', values);
  const { config } = loadConfig(values.config, environment);
  if (!existsSync(values.file)) throw new CommandError(`${values.file} does not exist`);
  const here = await tenantsOf(config);
  const accept = async (head: TenantHead): Promise<string> => {
    const fault = schemaFault(values.file, head.schema, loadSchema().tenant);
    if (fault) throw new DataError(fault.message);
    const known = here.find(({ id }) => id === head.id);
    if (known?.state === 'active')
      throw new CommandError(
        `${known.slug} (${head.id}) works on this host. An export keeps the id of its practice, to which the proof of its consents is bound: erase that one first, or restore a backup of it`,
      );
    const waiting = readWaiting(config.data_dir, head.id);
    if ((known?.state === 'arriving' || waiting?.comes_back) && waiting?.freeze !== null)
      throw new CommandError(
        `${head.slug} (${head.id}) has arrived from another host and waits: run \`sendwerk tenant move\` there again first, with --cancel to remove it from here`,
      );
    const path = arrivingFile(config.data_dir, head.id);
    await rm(dirname(path), { recursive: true, force: true });
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return path;
  };
  let total = 0;
  const progress = createProgress(terminal, 'import');
  let head: TenantHead;
  try {
    head = await readTenantFile(
      values.file,
      secrets,
      (read) => {
        total = read.bytes;
        return accept(read);
      },
      (done) => progress.show(done, total),
    );
  } finally {
    progress.end();
  }
  const path = arrivingFile(config.data_dir, head.id);
  try {
    const held = prepare(path, values.file, values.resume);
    const request = {
      key: head.key,
      digest: hash('sha256', await hashesOf(path), 'buffer').toString('base64'),
      slug: values.slug ?? head.slug,
    };
    const taken = await take({ values, environment, terminal }, head.id, request);
    const lines = [
      `imported: ${taken.slug} (${head.id}), which ${head.host} exported at ${head.made_at}; it sends as ${taken.managed_host}`,
      ...(held === 0
        ? ['nothing is held']
        : [
            `HELD: ${held} mails were due in the export and may have left from ${head.host}; its people send or discard them in the dashboard`,
          ]),
      ...taken.notes,
      `links and return paths of before work where ${head.host} leads to this host; domains of its own need the DNS records that its page of domains shows`,
    ];
    return { exitCode: 0, output: lines.map((line) => `${clean(line)}\n`).join('') };
  } finally {
    await rm(dirname(path), { recursive: true, force: true });
  }
};
