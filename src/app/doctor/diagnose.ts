// All checks of `sendwerk doctor` over one installation: what each gathers, and the rules that judge it. Beside a running daemon, without
// one, and before the first start.
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import type { Config, LoadedConfig } from '#src/kernel/config/config.ts';
import { isLocalRelay } from '#src/kernel/config/sender-policy.ts';
import { isInUse } from '#src/kernel/db/storage.ts';
import { createDnsLookup, type ZoneLookup } from '#src/kernel/dns-lookup.ts';
import { MINUTE, SECOND, systemClock } from '#src/kernel/time.ts';
import { ConfigError } from '#src/kernel/yaml-file.ts';
import { askTime } from '#src/operations/doctor/ask-time.ts';
import { filesVerdicts, integrityVerdict, ledgersVerdict } from '#src/operations/doctor/data-rules.ts';
import { type Finding, NOT_YET, skipped, type Verdict } from '#src/operations/doctor/finding.ts';
import {
  backupVerdict,
  clockVerdict,
  configurationVerdicts,
  daemonIsSilent,
  daemonVerdict,
  descriptorVerdict,
  directoryVerdicts,
  diskVerdict,
  replicaVerdict,
  secretVerdicts,
} from '#src/operations/doctor/host-rules.ts';
import {
  isStarted,
  lookAtDescriptors,
  lookAtDirectory,
  lookAtDisk,
  lookAtSecrets,
  ownersOf,
  processOn,
} from '#src/operations/doctor/look-at-host.ts';
import {
  certificateVerdicts,
  portVerdicts,
  type ReverseFacts,
  recordVerdicts,
  reverseVerdicts,
  spfVerdicts,
} from '#src/operations/doctor/network-rules.ts';
import { reach, reachFrom } from '#src/operations/doctor/reach-ports.ts';
import { offerVerdicts, signInVerdict } from '#src/operations/doctor/relay-rules.ts';
import { type Check, type Choice, runChecks } from '#src/operations/doctor/run.ts';
import { readNote } from '#src/operations/last-backup.ts';
import { checkRelays, checkSets, wantedOf, withZonesOf } from '../installed-zones.ts';
import { askDaemon, type DaemonHealth } from './daemon-facts.ts';
import { lookAtFiles } from './look-at-files.ts';
import { lookAtRelays } from './look-at-relays.ts';
import { certificatesOf, placesOf } from './what-is-shown.ts';

export interface DiagnoseOptions extends Choice {
  /** Reads the configuration file again; without it, checks 1 and 2 are skipped. */
  readonly load?: { readonly file: string; readonly read: () => LoadedConfig };
  /** This process is the daemon: its own health, instead of asking over HTTP. */
  readonly ownHealth?: () => DaemonHealth;
  /** A machine that ssh reaches, from which ports are tried. */
  readonly from?: string | undefined;
  /** Checks 20 and 21; told as skipped where absent. */
  readonly trips?: readonly Check[];
  /** How long databases are looked at, ms. */
  readonly filesBudget?: number;
  readonly now?: () => number;
}

const TIME_ANSWER_MS = 3 * SECOND;
const MIB = 1_024 * 1_024;
const FILES_BUDGET_MS = 20 * SECOND;
/** Some seconds of reading. */
const LARGEST_FILE_BYTES = 1_024 * MIB;
/** A database, its write-ahead log twice (SQLite's and the one that is synced), its shared memory. */
const DESCRIPTORS_PER_FILE = 4;
/** Clients of HTTP, SMTP and DNS, threads, and what the process itself has open. */
const DESCRIPTORS_BESIDES = 1_500;

/** The directory itself, or the one in which it will be made. */
const nearestDirectory = (path: string): string =>
  existsSync(path) || path === dirname(path) ? path : nearestDirectory(dirname(path));

/** The first call works, and all get what it found. */
const once = <T>(work: (signal: AbortSignal) => Promise<T>): ((signal: AbortSignal) => Promise<T>) => {
  let found: Promise<T> | undefined;
  return (signal) => {
    found ??= work(signal);
    return found;
  };
};

const reverseOf = async (lookup: ZoneLookup, { dns, service }: Config): Promise<ReverseFacts[]> => {
  const configured = dns.zones.addresses;
  const own = configured.length > 0 ? null : await lookup.addresses(service.host);
  const addresses = own === null ? configured : own.kind === 'found' ? own.records : [];
  return Promise.all(
    addresses.map(async (address) => {
      const reverse = await lookup.reverse(address);
      if (reverse.kind === 'failed') return { address, names: null, confirmed: [] };
      const names = reverse.kind === 'found' ? reverse.records : [];
      const forward = await Promise.all(
        names.map(async (name) => {
          const found = await lookup.addresses(name);
          return found.kind === 'found' && found.records.includes(address) ? [name] : [];
        }),
      );
      return { address, names, confirmed: forward.flat() };
    }),
  );
};

const backupFacts = ({ data_dir, backup }: Config) => {
  const last = readNote(data_dir, backup.dir);
  if (backup.dir === undefined && last === null) return null;
  return { madeAt: last?.madeAt ?? null, missing: last?.missing ?? [], maxAge: backup.max_age };
};

export const checksOf = (config: Config, options: DiagnoseOptions): Check[] => {
  const { data_dir: data, storage, service } = config;
  const { load, ownHealth, from, filesBudget = FILES_BUDGET_MS, now = systemClock.now } = options;
  const afterStart =
    (work: (signal: AbortSignal) => Promise<Verdict | readonly Verdict[]>) => async (signal: AbortSignal) =>
      isStarted(data) ? work(signal) : NOT_YET;
  const lookupFor = (signal: AbortSignal): ZoneLookup =>
    createDnsLookup(config.dns.resolvers, { stopping: signal });
  const isRunning = (): boolean =>
    ownHealth !== undefined || (existsSync(join(data, 'lock')) && isInUse(data));
  const files = once((signal) =>
    lookAtFiles(
      {
        dataDirectory: data,
        budget: filesBudget,
        mostBytes: LARGEST_FILE_BYTES,
        masterKey: config.secrets.masterKey.reveal(),
        formerMasterKey: config.secrets.formerMasterKey?.reveal() ?? null,
      },
      signal,
    ),
  );
  const relays = once((signal) => lookAtRelays(config, signal));
  const health = once(async (signal): Promise<DaemonHealth | null> => {
    if (ownHealth !== undefined) return ownHealth();
    return isRunning() ? askDaemon(config, signal) : null;
  });
  const filesWithin = filesBudget + MINUTE;
  const hasRelay = config.upstreams.some(({ kind }) => kind === 'smtp');

  return [
    {
      name: 'configuration',
      run: async () => {
        if (load === undefined) return skipped('the configuration file was not named');
        try {
          return configurationVerdicts(load.file, { problem: null, warnings: load.read().warnings });
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          return configurationVerdicts(load.file, { problem: error.message, warnings: [] });
        }
      },
    },
    {
      name: 'secrets',
      run: async () => {
        if (load === undefined) return skipped('the configuration file was not named');
        return secretVerdicts(await lookAtSecrets(load.read().secretFiles), await ownersOf(data));
      },
    },
    {
      name: 'data directory',
      run: async () => {
        const facts = await lookAtDirectory(data);
        return facts === null ? NOT_YET : directoryVerdicts(facts);
      },
    },
    {
      name: 'disk',
      run: async () => {
        const { min_free_percent: percent, min_free_mib: mib } = storage;
        return diskVerdict(await lookAtDisk(nearestDirectory(data)), { percent, bytes: mib * MIB });
      },
    },
    {
      name: 'descriptors',
      run: async () => {
        const id = ownHealth === undefined ? await processOn(data) : 'self';
        const found = id === null ? null : await lookAtDescriptors(id);
        if (found === null)
          return skipped('no daemon runs here, or its process belongs to another user: root can look at it');
        const pools = config.upstreams.reduce((sum, one) => sum + (one.kind === 'smtp' ? one.pool : 0), 0);
        const needed = (storage.max_open_tenants + 1) * DESCRIPTORS_PER_FILE + pools + DESCRIPTORS_BESIDES;
        return descriptorVerdict({ ...found, needed });
      },
    },
    {
      name: 'clock',
      within: 10 * SECOND,
      run: async (signal) => {
        const server = config.doctor.time_server;
        const found = await lookupFor(signal).addresses(server);
        const address = isIP(server) === 0 && found.kind === 'found' ? found.records[0] : server;
        const patience = AbortSignal.any([signal, AbortSignal.timeout(TIME_ANSWER_MS)]);
        const isKnown = address !== undefined && isIP(address) !== 0;
        const offset = isKnown ? await askTime(address, systemClock.now, patience) : null;
        if (offset === null) return skipped(`the time server ${server} did not answer (doctor.time_server)`);
        return clockVerdict(server, offset);
      },
    },
    {
      name: 'daemon',
      run: async (signal) => {
        if (!isStarted(data) && !isRunning()) return NOT_YET;
        if (ownHealth === undefined && isRunning() && config.http.listen.port === 0)
          return skipped('http.listen takes any free port (0), so the daemon is not found by it');
        return health(signal).then(daemonVerdict, (error: Error) => daemonIsSilent(error.message));
      },
    },
    {
      name: 'registry and files',
      within: filesWithin,
      run: afterStart(async (signal) => filesVerdicts((await files(signal)).files)),
    },
    {
      name: 'integrity',
      within: filesWithin,
      run: afterStart(async (signal) => integrityVerdict((await files(signal)).integrity)),
    },
    {
      name: 'consent ledgers',
      within: filesWithin,
      run: afterStart(async (signal) => ledgersVerdict((await files(signal)).ledgers)),
    },
    { name: 'backup', run: afterStart(async () => backupVerdict(backupFacts(config), now())) },
    {
      name: 'replica',
      run: async (signal) => {
        if (config.replica === undefined) return replicaVerdict({ state: 'off', behind: 0, lagSeconds: 0 });
        const replica = (await health(signal))?.replica;
        return replica
          ? replicaVerdict(replica)
          : skipped('the daemon alone knows, and does not say: is it running, and is there an admin token?');
      },
    },
    {
      name: 'DNS records',
      within: MINUTE,
      run: async (signal) => {
        const builtIn = config.dns.authoritative !== null;
        const found = await withZonesOf(config, (installed) =>
          checkSets(lookupFor(signal), wantedOf(installed), builtIn),
        );
        return found === null ? NOT_YET : recordVerdicts(found);
      },
    },
    {
      name: 'reverse names',
      run: async (signal) => {
        const sends = config.upstreams.some(
          (one) => one.kind === 'smtp' && isLocalRelay(one.host, service.host),
        );
        return reverseVerdicts(await reverseOf(lookupFor(signal), config), service.host, sends);
      },
    },
    { name: 'SPF', run: async (signal) => spfVerdicts(await checkRelays(lookupFor(signal), config)) },
    {
      name: 'ports',
      run: async (signal) => {
        if (from === undefined && !isRunning()) return skipped('no daemon runs, so nothing listens');
        const places = await placesOf(config, lookupFor(signal));
        if (from !== undefined) return portVerdicts(await reachFrom(from, places, signal), from);
        const found = places.map(async (place) => ({
          ...place,
          error: await reach(place.host, place.port, signal),
        }));
        return portVerdicts(await Promise.all(found), null);
      },
    },
    {
      name: 'certificates',
      run: async (signal) =>
        certificateVerdicts(await certificatesOf(config, isRunning(), lookupFor(signal), signal), now()),
    },
    {
      name: 'relay sign-in',
      run: async (signal) =>
        hasRelay
          ? (await relays(signal)).map(({ signIn }) => signInVerdict(signIn))
          : skipped('no mail leaves: no SMTP upstream is configured'),
    },
    {
      name: 'relay extensions',
      run: async (signal) => {
        if (!hasRelay) return skipped('no mail leaves: no SMTP upstream is configured');
        const found = (await relays(signal)).flatMap(({ offer }) => (offer ? offerVerdicts(offer) : []));
        return found.length > 0 ? found : skipped('no relay came so far: check 18 says why');
      },
    },
    ...(options.trips ?? []),
  ];
};

/** In the order of their numbers. Never rejects. */
export const diagnose = async (config: Config, options: DiagnoseOptions = {}): Promise<readonly Finding[]> =>
  runChecks(checksOf(config, options), options);
