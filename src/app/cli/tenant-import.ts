// `sendwerk tenant import`: an exported practice, at this host. Its file is made ready in `arriving/` of the data directory and then
// taken as one that moves here: it gets this host's keys, a number and a managed host, and begins at the end. Killed before that, it
// is run again; the next run replaces what is there.
//
// Where the practice came from it goes on, so all mail that is queued in the export, for whatever time, is held for a person, unless
// `--resume` says that the other host sends nothing of it.
//
// Anyone may have made the file. Nothing of it runs before its tables are known to be ours, and its domains are no one's until the DNS
// has proved them here.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { arrivingFile, hashesOf } from '#src/accounts/moving/blocks.ts';
import { readWaiting } from '#src/accounts/moving/waiting.ts';
import { unproveDomains } from '#src/domains/custom/ownership.ts';
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import { leaveGap } from '#src/kernel/db/leave-gap.ts';
import { foreignTables, migrate, schemaFault } from '#src/kernel/db/migrate.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { faultsOf } from '#src/operations/file-store.ts';
import { readTenantFile, type TenantHead } from '#src/operations/tenant-file.ts';
import { holds } from '../closed-files.ts';
import { loadSchema } from '../schema.ts';
import { clean } from './admin-text.ts';
import { byDaemonOrHere } from './beside-daemon.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';
import { createProgress, mebibytes } from './progress.ts';
import { type SecretValues, secretsOf } from './tenant-export.ts';
import { tenantsOf } from './tenant-list.ts';
import type { Terminal } from './terminal.ts';

const MIB = 1_024 * 1_024;

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

/** Whatever it is due at. */
const ALL_TIMES = Number.MAX_SAFE_INTEGER;

interface Prepared {
  readonly held: number;
  /** The domain of its own that is to be proved. */
  readonly pending: string | null;
}

/** Throws DataError where the disk has no room for it beside what it keeps free for the data. */
const requireSpace = async ({ data_dir, storage }: Config, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(data_dir);
  const free = Math.max(0, bavail * bsize - storage.min_free_mib * MIB);
  if (free < bytes)
    throw new DataError(
      `the practice needs ${mebibytes(bytes)}, and the disk of ${data_dir} has ${mebibytes(free)} left beside what storage.min_free_mib keeps`,
    );
};

/** Brings the file to this version's tables, and makes it wait for people and for the DNS. */
const prepare = (path: string, from: string, resume: boolean): Prepared => {
  const db = openSqlite(path, { create: false, busyTimeoutMs: 0 }) as TenantDb;
  try {
    const foreign = foreignTables(db, loadSchema().tenant);
    if (foreign) throw new DataError(foreign.message.replace(db.name, from));
    migrate(db, loadSchema().tenant);
    const [fault] = faultsOf(db);
    if (fault !== undefined) throw new DataError(`the database in ${from} is damaged: ${fault}`);
    return db.transaction(() => {
      // Where it came from it goes on: no number that is given there may be given here.
      leaveGap(db);
      return {
        held: resume ? 0 : holds.reduce((sum, hold) => sum + hold(db, ALL_TIMES), 0),
        pending: unproveDomains(db),
      };
    })();
  } finally {
    // The last connection brings the WAL into the file.
    db.close();
  }
};

/** What lies in `arriving/` of the data directory becomes a practice of this host, and begins. */
export const take = (
  {
    values,
    environment,
    terminal,
  }: {
    readonly values: Pick<Values, 'config'>;
    readonly environment: Environment;
    readonly terminal: Terminal;
  },
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
  let begun: string | null = null;
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
    await requireSpace(config, head.bytes);
    const path = arrivingFile(config.data_dir, head.id);
    begun = dirname(path);
    await rm(begun, { recursive: true, force: true });
    await mkdir(begun, { recursive: true, mode: 0o700 });
    return path;
  };
  const progress = createProgress(terminal, 'import');
  const read = async (): Promise<TenantHead> => {
    let total = 0;
    const accepted = (head: TenantHead): Promise<string> => {
      total = head.bytes;
      return accept(head);
    };
    try {
      return await readTenantFile(values.file, secrets, accepted, (done) => progress.show(done, total));
    } finally {
      progress.end();
    }
  };
  try {
    const head = await read();
    const path = arrivingFile(config.data_dir, head.id);
    const { held, pending } = prepare(path, values.file, values.resume);
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
            `HELD: ${held} mails that were queued in the export, also those for a later time, since ${head.host} sends them too; its people release them (each at its time) or discard them in the dashboard. --resume would have held none`,
          ]),
      ...(pending === null
        ? []
        : [
            `${pending} is its domain again once the DNS has proved it here, which is looked at now and every 15 minutes; until then it sends as ${taken.managed_host}`,
          ]),
      ...taken.notes,
      `links and return paths of before work where ${head.host} leads to this host; domains of its own need the DNS records that its page of domains shows`,
    ];
    return { exitCode: 0, output: lines.map((line) => `${clean(line)}\n`).join('') };
  } finally {
    if (begun !== null) await rm(begun, { recursive: true, force: true });
  }
};
