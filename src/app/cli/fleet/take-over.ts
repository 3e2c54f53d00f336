// `sendwerk fleet take-over`: what a lost host had, from its backup or its replica, on this host and then on others. This host is its
// heir: it gets all of it first, because the names of the lost host lead to one host from now on, and this one must know each practice
// to hand on what comes for those that are moved further.
//
// Each practice is made ready in `arriving/` of the data directory, under this host's keys, and begins at once; what was due is held, as
// by a restore. A practice that works on any host of the fleet is passed over, so the command can be killed and run again.
import { hash, randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { arrivingFile, hashesOf } from '#src/accounts/moving/blocks.ts';
import { changeOfMasterKey, readKeys } from '#src/accounts/tenants/master-key.ts';
import { type RegisteredTenant, registryStore } from '#src/accounts/tenants/registry-store.ts';
import { keepManagedHost } from '#src/domains/custom/former-host.ts';
import { zoneFile } from '#src/domains/zones/resource-record.ts';
import { createServiceZones, zoneContents } from '#src/domains/zones/service-zones.ts';
import { type Config, loadConfig, zoneSettings } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { openSqlite, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME, RESTORING_LOCK } from '#src/kernel/db/storage.ts';
import type { Keys } from '#src/kernel/keys.ts';
import { systemClock } from '#src/kernel/time.ts';
import { requireOwner } from '#src/operations/owner.ts';
import { openSource, type RestoreSource } from '#src/operations/restore-source.ts';
import { requireSpace, stageTenant } from '#src/operations/staging.ts';
import { restoringOf } from '../../closed-files.ts';
import { readFile } from '../beside-daemon.ts';
import { CommandError, UsageError } from '../command.ts';
import type { CommandResult } from '../config.ts';
import { counted, createProgress } from '../progress.ts';
import { bytesOf, check, heldLines, lockOrNull, said, silent } from '../restore-job.ts';
import { prepareCopy } from '../tenant-export.ts';
import { take } from '../tenant-import.ts';
import { moveTenant } from '../tenant-move.ts';
import type { Terminal } from '../terminal.ts';
import { apiOf, gather } from './directory.ts';
import { type Fleet, hostHere, hostNamed, noteHeir, readFleet } from './file.ts';
import { writeMaps } from './maps.ts';
import { writeWhole } from './text-file.ts';

export interface TakeOverValues {
  readonly host: string;
  readonly from: string;
  readonly to: string | undefined;
  readonly fleet: string;
  readonly out: string | undefined;
  readonly socket: string | undefined;
  readonly config: string;
}

const KEY_BYTES = 32;

interface Lost {
  readonly source: RestoreSource;
  readonly config: Config;
  readonly keys: Keys;
  /** Practices at work when the copy was made. */
  readonly tenants: readonly RegisteredTenant[];
  /** Slugs of practices that the registry names and the copy has no file of. */
  readonly missing: readonly string[];
}

const openLost = async (
  { host, from, fleet }: TakeOverValues,
  environment: Environment,
  terminal: Terminal,
): Promise<Lost> => {
  const file = hostNamed(readFleet(fleet), host).config;
  if (file === undefined)
    throw new CommandError(
      `${fleet}: hosts.${host}.config names no copy of its configuration: without its master key nothing of it can be opened`,
    );
  const { config } = loadConfig(file, environment);
  const source = await openSource(from);
  if (!source.hasRegistry)
    throw new CommandError(
      `${source.directory} has no ${PLATFORM_NAME}: \`sendwerk restore --rebuild-registry --to DIR\` makes one from the files`,
    );
  const values = { ...restoreValues, config: file };
  await check(source, { values, environment, terminal, config, now: systemClock.now() });
  return readFile(join(source.directory, PLATFORM_NAME), (db: PlatformDb) => {
    if (changeOfMasterKey(db, config.secrets) !== 'none')
      throw new CommandError(
        'the host was lost during a change of its master key: `sendwerk restore` on a new host, with both keys, ends it',
      );
    const working = registryStore(db)
      .every()
      .filter(({ state, purpose }) => state === 'active' && purpose === 'practice');
    const present = new Set(source.tenants);
    return {
      source,
      config,
      keys: readKeys(db, config.secrets),
      tenants: working.filter(({ id }) => present.has(id)),
      missing: working.filter(({ id }) => !present.has(id)).map(({ slug }) => slug),
    };
  });
};

const restoreValues = {
  dir: undefined,
  tenant: undefined,
  at: undefined,
  to: undefined,
  replace: false,
  resume: false,
  'rebuild-registry': false,
} as const;

interface Here {
  readonly values: TakeOverValues;
  readonly environment: Environment;
  readonly terminal: Terminal;
  readonly config: Config;
}

interface TakenOver {
  readonly id: string;
  readonly slug: string;
  readonly bytes: number;
  readonly held: number;
  readonly notes: readonly string[];
}

const keepHost = (path: string): void => {
  const db = openSqlite(path, { create: false, busyTimeoutMs: 0 }) as TenantDb;
  try {
    keepManagedHost(db, systemClock.now());
  } finally {
    // The last connection brings the WAL into the file.
    db.close();
  }
};

const takeOne = async (
  { values, environment, terminal, config }: Here,
  { source, keys }: Lost,
  tenant: RegisteredTenant,
): Promise<TakenOver> => {
  const { id } = tenant;
  const path = arrivingFile(config.data_dir, id);
  await rm(dirname(path), { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const staged = { to: path, replaced: join(config.data_dir, 'tenants', id, 'tenant.db') };
    const held = await stageTenant(source, id, staged, restoringOf(config, silent), systemClock.now());
    const own = randomBytes(KEY_BYTES);
    await prepareCopy(path, tenant, keys, own, terminal);
    keepHost(path);
    const digest = hash('sha256', await hashesOf(path), 'buffer').toString('base64');
    const request = { key: own.toString('base64'), digest, slug: tenant.slug };
    const { slug, notes } = await take({ values, environment, terminal }, id, request);
    return { id, slug, bytes: bytesOf(source, [id]), held, notes };
  } finally {
    await rm(dirname(path), { recursive: true, force: true });
  }
};

/** The largest first, each to the host that has got least so far; `hosts` begins with this one. */
export const shares = (
  taken: readonly Pick<TakenOver, 'id' | 'slug' | 'bytes'>[],
  hosts: readonly string[],
): { readonly slug: string; readonly id: string; readonly to: string }[] => {
  const got = new Map(hosts.map((host) => [host, 0]));
  return taken
    .toSorted((one, other) => other.bytes - one.bytes)
    .map(({ id, slug, bytes }) => {
      const [[to, before] = ['', 0]] = [...got].toSorted(([, one], [, other]) => one - other);
      got.set(to, before + bytes);
      return { id, slug, to };
    });
};

/** The zones of the lost host: its names and keys, with addresses and senders of this one. */
const zonesOf = ({ source, config }: Lost, here: Config) => {
  const now = (): number => systemClock.now();
  const { serviceHost, managedSuffix, keysName, extra } = zoneSettings(config, now);
  const settings = { ...zoneSettings(here, now), serviceHost, managedSuffix, keysName, extra };
  return readFile(join(source.directory, PLATFORM_NAME), (db: PlatformDb) => {
    const zones = createServiceZones(settings, (read) => read(db));
    const contents = zoneContents(db, managedSuffix);
    return zones.apexes.map((apex) => ({
      name: `${apex}.zone`,
      text: [...zoneFile(zones.zoneRecords(apex, contents))].join(''),
    }));
  });
};

/** Resolves with the files. */
const writeZones = async (lost: Lost, here: Config, out: string): Promise<string[]> => {
  const files: string[] = [];
  for (const { name, text } of zonesOf(lost, here)) {
    files.push(join(out, name));
    await writeWhole(join(out, name), text);
  }
  return files;
};

/** Throws CommandError where the host still answers: both hosts would send. */
const requireLost = async (fleet: Fleet, host: string): Promise<void> => {
  const api = await apiOf(hostNamed(fleet, host));
  const answer = await api.call('GET', '/api/admin/health').then(
    () => true,
    (error) => {
      if (error instanceof CommandError) return false;
      throw error;
    },
  );
  if (answer)
    throw new CommandError(
      `${host} answers, so it is not lost: stop it first, for both hosts would send what is queued`,
    );
};

const targetsOf = (fleet: Fleet, here: string, { to, host }: TakeOverValues): string[] => {
  const hosts = to === undefined ? [here] : to.split(',');
  if (hosts[0] !== here)
    throw new UsageError(
      `fleet take-over: --to begins with ${here}, where the command runs: all come here first, and the others get their share from here`,
    );
  for (const one of hosts)
    if (hostNamed(fleet, one).heir !== undefined || one === host) throw new CommandError(`${one} is lost`);
  return [...new Set(hosts)];
};

export const takeOver = async (
  values: TakeOverValues,
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const { config } = loadConfig(values.config, environment);
  requireOwner(config.data_dir);
  const fleet = readFleet(values.fleet);
  const here = hostHere(fleet, config.service.host);
  const targets = targetsOf(fleet, here, values);
  const known = hostNamed(fleet, values.host).heir;
  if (known !== undefined && known !== here)
    throw new CommandError(`${known} takes over ${values.host}: run the command there`);
  await requireLost(fleet, values.host);
  const unlock = lockOrNull(config.data_dir, RESTORING_LOCK);
  if (unlock === null)
    throw new CommandError(`another restore into ${config.data_dir} has not ended: wait for it`);
  try {
    const lost = await openLost(values, environment, terminal);
    // From here on what comes for the names of the lost host comes here.
    await noteHeir(values.fleet, values.host, here);
    const { placed, silent: unasked } = await gather(readFleet(values.fleet));
    if (unasked.size > 0)
      throw new CommandError(
        `${[...unasked.keys()].join(', ')} does not answer: a practice may have moved there since the copy was made`,
      );
    const works = new Map(placed.map(({ id, host }) => [id, host]));
    const wanted = lost.tenants.filter(({ id }) => !works.has(id));
    const bytes = bytesOf(
      lost.source,
      wanted.map(({ id }) => id),
    );
    await requireSpace(config.data_dir, 2 * bytes);
    const taken: TakenOver[] = [];
    const faults: string[] = [];
    const progress = createProgress(terminal, 'take over');
    let done = 0;
    for (const tenant of wanted) {
      try {
        taken.push(await takeOne({ values, environment, terminal, config }, lost, tenant));
      } catch (error) {
        faults.push(`NOT TAKEN OVER: ${tenant.slug} (${tenant.id}): ${(error as Error).message}`);
      }
      done += bytesOf(lost.source, [tenant.id]);
      progress.show(done, bytes);
    }
    progress.end();
    const moved: string[] = [];
    for (const { id, slug, to } of shares(taken, targets)) {
      if (to === here) continue;
      const { url, token_file } = hostNamed(fleet, to);
      const move = { practice: id, to: url, 'token-file': token_file, cancel: false, config: values.config };
      await moveTenant(move, environment, terminal).then(
        () => moved.push(`${slug} works on ${to}`),
        (error: Error) => faults.push(`NOT MOVED: ${slug} stays here: ${error.message}`),
      );
    }
    const { out, socket } = values;
    const maps = out === undefined ? null : await writeMaps(values.fleet, { out, socket });
    const zones = out === undefined ? [] : await writeZones(lost, config, out);
    const passed = lost.tenants.length - wanted.length;
    const isWhole = faults.length + lost.missing.length === 0 && maps?.isWhole !== false;
    return {
      exitCode: isWhole ? 0 : 1,
      output: said(
        `taken over from ${values.host}: ${counted(taken.length, 'practice')} of ${lost.source.directory}${passed === 0 ? '' : `; ${passed} work in the fleet already`}`,
        ...heldLines(new Map(taken.map(({ slug, held }) => [slug, held]))),
        ...moved,
        ...taken.flatMap(({ notes }) => notes),
        ...faults,
        ...lost.missing.map((slug) => `NO FILE: ${slug} is in the registry, and the copy has no file of it`),
        ...(maps?.said ?? [`\`sendwerk fleet maps --out DIR\` leads what comes for ${values.host} here`]),
        ...zones.map(
          (file) =>
            `${file}: the zone of ${values.host}, to be served until its practices have the records of their new host`,
        ),
        `${values.host} must never start again with what it had: remove its data before the machine comes back`,
      ),
    };
  } finally {
    unlock();
  }
};
