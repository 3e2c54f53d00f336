// The composition root: opens the data, makes the parts, lists routes and jobs, and starts and stops all of it in
// order. Parts get their piece of the configuration as arguments; nobody imports this file but the entry.
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config, UpstreamConfig } from './config.ts';
import { type Disk, disk as realDisk } from './db/disk.ts';
import { openStorage, type Storage } from './db/storage.ts';
import { createDnsServer } from './dns/server.ts';
import { type GenerateKeyPair, generateDkimKeyPair } from './domains/keys.ts';
import { domainRegistryStore } from './domains/registry-store.ts';
import { createSigners } from './domains/signers.ts';
import { createZones, type Zones } from './domains/zone.ts';
import { documentationRoutes } from './http/documentation.ts';
import { createHttpDoor } from './http/door.ts';
import { type Health, serviceRoutes } from './http/service-routes.ts';
import { sendRoutes } from './intake/routes.ts';
import type { Job } from './kernel/job.ts';
import type { Log } from './kernel/log.ts';
import type { Route } from './kernel/route.ts';
import { createRunner } from './kernel/runner.ts';
import { deriveKey } from './kernel/seal.ts';
import { type Clock, SECOND, systemClock, toIsoOrNull } from './kernel/time.ts';
import { messageRoutes } from './messages/routes.ts';
import { createAuthenticate } from './people/authenticate.ts';
import { createLastUsed, lastUsedJob } from './people/last-used.ts';
import { tokenRoutes } from './people/routes.ts';
import { createDueRegistry } from './queue/due-registry.ts';
import type { RetryPolicy } from './queue/rules.ts';
import { captureRoutes } from './relay/capture/routes.ts';
import { createCaptureUpstream } from './relay/capture/upstream.ts';
import { createDispatcher } from './relay/dispatcher.ts';
import { createSmtpUpstream } from './relay/smtp/upstream.ts';
import type { Upstream } from './relay/upstream.ts';
import { createWaysOut, type WayOut } from './relay/ways-out.ts';
import { checkMasterKey } from './tenants/check-master-key.ts';
import { removeIncompleteTenants } from './tenants/create.ts';
import { practiceRoutes } from './tenants/practice-routes.ts';
import { projectRoutes } from './tenants/project-routes.ts';
import { registryStore } from './tenants/registry-store.ts';

export interface Overrides {
  readonly clock?: Clock;
  readonly disk?: Disk;
  readonly generateKeyPair?: GenerateKeyPair;
  /** Answers that their route does not declare become errors: for tests. */
  readonly checkResponses?: boolean;
}

export interface App {
  /** Rejects where an address is taken; then everything has been closed again. */
  start(): Promise<{ readonly http: { address: string; port: number }; readonly dnsPort: number | null }>;
  /** Takes nothing more, lets what is under way end, checkpoints, closes. */
  stop(): Promise<void>;
  /** Applies what can change in a running daemon. */
  reconfigure(config: Config): void;
  health(): Health;
}

/** Of this program, by its package.json. */
export const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

const PAGE_BYTES = 4_096;
/** What outlives the drain is cut off; so long it has to notice and to be written down. */
const CUT_OFF_MS = 2 * SECOND;
/** What anyone may know of an upstream; the rest of what it says of itself is in the log. */
const PUBLIC_FACTS = ['name', 'kind', 'state', 'failures', 'retry_at', 'delivered_on', 'dsn'];
const publicFacts = (upstream: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(PUBLIC_FACTS.map((name) => [name, upstream[name] ?? null]));

const dueRegistryJob = (settle: () => Promise<void>): Job => ({
  name: 'bring the registry of due times up to date',
  schedule: '* * * * *',
  run: settle,
});

const retryPolicy = ({ queue }: Config): RetryPolicy => ({
  waits: queue.retry,
  thenEvery: queue.then_every,
  jitter: queue.jitter,
  giveUpAfter: { 0: queue.give_up.transactional, 1: queue.give_up.marketing },
});

/** Opens the data; nothing is listened on before `start`. Rejects where a part of the configuration cannot be used. */
export const createApp = async (config: Config, log: Log, overrides: Overrides = {}): Promise<App> => {
  const storage = await openStorage({
    dataDirectory: config.data_dir,
    maxOpenTenants: config.storage.max_open_tenants,
    checkpointBytes: config.storage.checkpoint_pages * PAGE_BYTES,
    disk: overrides.disk ?? realDisk,
    onFault: (error, what) => log.error({ err: error }, `storage: ${what}`),
  });
  try {
    return assemble(config, storage, log, overrides);
  } catch (error) {
    await storage.close();
    throw error;
  }
};

const assemble = (initial: Config, storage: Storage, log: Log, overrides: Overrides): App => {
  let config = initial;
  const clock = overrides.clock ?? systemClock;
  const { service } = initial;
  const masterKey = Buffer.from(initial.secrets.masterKey.reveal(), 'base64');
  const sealingKey = deriveKey(masterKey, 'dkim keys');
  const started = performance.now();
  const version = readVersion();
  let draining = false;
  const { platform, tenants: files } = storage;

  const createUpstream = (entry: UpstreamConfig): Upstream =>
    entry.kind === 'capture'
      ? createCaptureUpstream({ name: entry.name, keep: entry.keep, files, clock })
      : createSmtpUpstream(
          {
            name: entry.name,
            host: entry.host,
            port: entry.port,
            tls: entry.tls,
            pool: entry.pool,
            ehloName: service.host,
            deliveredOn: entry.delivered_on,
            // The dispatcher has waited for transactions before.
            timeouts: { stop: CUT_OFF_MS },
            ...(entry.user !== undefined && entry.password !== null
              ? { user: entry.user, password: entry.password.reveal() }
              : {}),
            ...(entry.rate === undefined ? {} : { rate: entry.rate }),
            ...(entry.ca_file === undefined ? {} : { ca: readFileSync(entry.ca_file, 'utf8') }),
          },
          log,
        );
  const waysOut = createWaysOut(
    initial.upstreams.map(
      (entry): WayOut => ({
        upstream: createUpstream(entry),
        acceptIsDelivery: entry.kind === 'smtp' && entry.delivered_on === 'accept',
      }),
    ),
    clock,
    log,
  );

  const dueRegistry = createDueRegistry(platform);
  const dispatcher = createDispatcher({
    files,
    waysOut,
    policy: () => retryPolicy(config),
    clock,
    log,
    signers: createSigners(sealingKey, { ed25519: initial.dkim.ed25519 }),
    returnPathKey: createSecretKey(deriveKey(masterKey, 'return paths')),
  });
  const lastUsed = createLastUsed(files, clock);

  const zones: Zones = createZones({
    serviceHost: service.host,
    managedSuffix: service.managed_suffix,
    addresses: initial.dns.authoritative?.addresses ?? [],
    nameservers: initial.dns.authoritative?.nameservers ?? [],
    hostmaster: initial.dns.authoritative?.hostmaster ?? `hostmaster@${service.host}`,
    serial: () => Math.floor(clock.now() / 1_000),
    findToken: (token) => platform.peek((db) => domainRegistryStore(db).tokenRecord(token)),
    findManagedHost: (slug) => {
      const tokens = platform.peek((db) =>
        domainRegistryStore(db).tokensOf(`${slug}.${service.managed_suffix}`),
      );
      return tokens && { tokens };
    },
  });
  const dns =
    initial.dns.authoritative && createDnsServer({ listen: initial.dns.authoritative.listen, zones, log });

  const health = (): Health => {
    const databases = files.stats();
    const upstreams = waysOut.describe();
    const { waiting_tenants, in_flight, next_due_at } = dispatcher.describe();
    const upstreamsWork = upstreams.every(({ state }) => state === 'closed');
    const whole = upstreamsWork && databases.broken === 0;
    const status = draining ? 'draining' : platform.broken() ? 'failing' : whole ? 'ok' : 'degraded';
    return {
      ok: !draining && !platform.broken(),
      status,
      version,
      uptime_seconds: Math.round((performance.now() - started) / 1_000),
      databases,
      queue: { waiting_tenants, in_flight, next_due_at: toIsoOrNull(next_due_at) },
      upstreams: upstreams.map(publicFacts),
    };
  };

  const routes: readonly Route[] = [
    ...sendRoutes({
      files,
      clock,
      serviceHost: service.host,
      safeMode: () => ({ allowed: [...config.safe_mode.allowlist, ...config.safe_mode.placement_testers] }),
      holdDue: dueRegistry.hold,
      wake: (tenantId, lane, dueAt) => dispatcher.wake({ tenantId, lane }, dueAt),
    }),
    ...messageRoutes({ files }),
    ...practiceRoutes({
      storage,
      clock,
      managedSuffix: service.managed_suffix,
      sealingKey,
      generateKeyPair: overrides.generateKeyPair ?? generateDkimKeyPair,
      isReservedSlug: zones.isReservedSlug,
      safeModeDefault: () => config.safe_mode.default,
    }),
    ...projectRoutes({ files, clock }),
    ...tokenRoutes({ storage, clock }),
    ...captureRoutes({ files }),
    ...serviceRoutes({
      name: service.name,
      version,
      safeMode: () => config.safe_mode.default,
      bodyBytes: () => config.limits.body_bytes,
      health,
    }),
    ...documentationRoutes(() => routes, { name: service.name, version, origin: service.public_origin }),
  ];

  const settleDueRegistry = () => dueRegistry.settle(dispatcher.nextDue);
  const runner = createRunner([lastUsedJob(lastUsed), dueRegistryJob(settleDueRegistry)], log);

  const door = createHttpDoor({
    listen: initial.http.listen,
    routes,
    trustProxy: initial.http.trust_proxy,
    log,
    clock,
    authenticate: createAuthenticate({
      platform,
      adminToken: initial.admin.token?.reveal() ?? null,
      lastUsed,
    }),
    tenantExists: (id) => platform.peek((db) => registryStore(db).get(id)) !== undefined,
    limits: () => ({
      perSecond: config.limits.api_rate.per_second,
      burst: config.limits.api_rate.burst,
      bodyBytes: config.limits.body_bytes,
    }),
    draining: () => draining,
    ...(overrides.checkResponses === undefined ? {} : { checkResponses: overrides.checkResponses }),
  });

  const stop = async (): Promise<void> => {
    draining = true;
    const drained = performance.now() + config.shutdown.drain;
    await runner.stop();
    await dispatcher.stop(config.shutdown.drain);
    await door.stop(Math.max(drained - performance.now(), CUT_OFF_MS));
    await waysOut.stop();
    await dns?.stop();
    await lastUsed.flush().catch((error) => log.warn({ err: error }, 'the last use of tokens was not noted'));
    // What it could not write is earlier than need be: harmless.
    await settleDueRegistry().catch((error) =>
      log.warn({ err: error }, 'the registry of due times is not brought up to date'),
    );
    await storage.close();
  };

  return {
    start: async () => {
      try {
        await checkMasterKey(platform, sealingKey);
        const removed = await removeIncompleteTenants(storage);
        if (removed > 0) log.warn({ removed }, 'practices whose creation a crash cut off were removed');
        for (const [tenantId, dueAt] of await dueRegistry.load())
          dispatcher.wake({ tenantId, lane: 0 }, dueAt);
        const dnsPort = dns ? (await dns.start()).port : null;
        const http = await door.start();
        dispatcher.start();
        runner.start();
        return { http, dnsPort };
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    reconfigure: (next) => {
      config = next;
      log.level = next.log.level;
    },
    health,
  };
};
