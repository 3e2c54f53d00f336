// The composition root: opens the rooms from the ground up, joins their routes and jobs, and starts and stops all of it
// in order.
import { openAccounts } from '#src/accounts/open.ts';
import { checkMasterKey } from '#src/accounts/tenants/check-master-key.ts';
import { removeIncompleteTenants } from '#src/accounts/tenants/create.ts';
import { FILE_JOB } from '#src/accounts/tenants/file-job.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { ensureSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { openAudience } from '#src/audience/open.ts';
import { openCompat } from '#src/compat/open.ts';
import type { GenerateKeyPair } from '#src/domains/keys/keys.ts';
import { openDomains } from '#src/domains/open.ts';
import { removeOldAudit } from '#src/events/audit-store.ts';
import { openFeedback } from '#src/feedback/open.ts';
import { openFollowers } from '#src/followers/open.ts';
import { openHttp } from '#src/http/open.ts';
import type { Health } from '#src/http/service-routes.ts';
import { openInbound } from '#src/inbound/open.ts';
import { openInsight } from '#src/insight/open.ts';
import { openIntake } from '#src/intake/open.ts';
import { type Base, CUT_OFF_MS, keysOf, type NightlyTask, type Room } from '#src/kernel/base.ts';
import { createMessageBudget } from '#src/kernel/byte-budget.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { type Disk, disk as realDisk } from '#src/kernel/db/disk.ts';
import { DISK, PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import type { Maintenance } from '#src/kernel/db/maintenance.ts';
import { openStorage, refusePlatform, type Storage } from '#src/kernel/db/storage.ts';
import { evidenceKeyOf } from '#src/kernel/evidence-key.ts';
import { createRunner } from '#src/kernel/job.ts';
import { limitsOf } from '#src/kernel/limits.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, systemClock, toIso } from '#src/kernel/time.ts';
import { readVersion } from '#src/kernel/version.ts';
import type { SignThreads } from '#src/messages/compose/sign-thread.ts';
import { openMessages } from '#src/messages/open.ts';
import { nightlyJob } from '#src/messages/retention/nightly-job.ts';
import { openRelay } from '#src/relay/open.ts';
import { openSmtp } from '#src/smtp/open.ts';
import type { SubmissionPorts } from '#src/smtp/submission.ts';
import { healthOf } from './health.ts';

export interface Overrides {
  readonly clock?: Clock;
  readonly disk?: Disk;
  /** These threads are shared by all apps of the process; each has its own where absent. */
  readonly maintenance?: Maintenance;
  readonly signThreads?: SignThreads;
  /** See DurableFileOptions. */
  readonly runsTwice?: boolean;
  readonly generateKeyPair?: GenerateKeyPair;
  /** Answers that their route does not declare become errors: for tests. */
  readonly checkResponses?: boolean;
  readonly keyPatienceMs?: number;
  readonly streamBeatMs?: number;
  readonly holdMs?: number;
  /** See DnsHealthOptions.againMs. */
  readonly dnsAgainMs?: number;
  /** Jobs run by `runJob` alone: for tests, which a job at a full minute would disturb. */
  readonly jobsByHand?: boolean;
}

export interface App {
  /** Rejects where an address is taken; then everything has been closed again. */
  start(): Promise<{
    readonly http: { address: string; port: number };
    readonly dnsPort: number | null;
    readonly submissionPorts: SubmissionPorts;
    readonly inboundPort: number | null;
  }>;
  /** Accepts nothing more, lets what is in flight end, checkpoints, closes. */
  stop(): Promise<void>;
  /** Applies what can change in a running daemon. */
  reconfigure(config: Config): void;
  health(): Health;
  /** Looks whether relays offer the delivery notices that are waited for; the log has what it finds. */
  lookForNotices(): Promise<void>;
  /** Runs one of the jobs at once instead of at its time; resolves when it has ended. */
  runJob(name: string): Promise<void>;
}

const PAGE_BYTES = 4_096;
const MIB = 1_024 * 1_024;

/** Opens the data; nothing listens before `start`. Rejects where a part of the configuration cannot be used. */
export const createApp = async (config: Config, log: Log, overrides: Overrides = {}): Promise<App> => {
  const storage = await openStorage({
    dataDirectory: config.data_dir,
    maxOpenTenants: config.storage.max_open_tenants,
    checkpointBytes: config.storage.checkpoint_pages * PAGE_BYTES,
    disk: overrides.disk ?? realDisk,
    ...(overrides.maintenance ? { maintenance: overrides.maintenance } : {}),
    isWhole: (db) => tenantStore(db).hasPractice(),
    leastFree: { percent: config.storage.min_free_percent, bytes: config.storage.min_free_mib * MIB },
    onFault: (error, what) => log.error({ err: error }, `storage: ${what}`),
    runsTwice: overrides.runsTwice,
  });
  storage.states.watch((id, fault, former) => {
    const what = id === DISK ? 'the disk' : 'a database file';
    if (fault) log.warn({ file: id, ...fault, since: toIso(fault.since) }, `${what} is not in order`);
    else log.warn({ file: id, state: 'ok', was: former?.state }, `${what} is in order again`);
  });
  try {
    return openRooms(config, storage, log, overrides);
  } catch (error) {
    await storage.close();
    throw error;
  }
};

const openRooms = (initial: Config, storage: Storage, log: Log, overrides: Overrides): App => {
  let config = initial;
  let limits = limitsOf(initial);
  let draining = false;
  let systemTenantId: string | null = null;
  const { platform, tenants: files } = storage;
  const clock = overrides.clock ?? systemClock;
  const key = keysOf(Buffer.from(initial.secrets.masterKey.reveal(), 'base64'));
  const base: Base = {
    config: () => config,
    limits: () => limits,
    storage,
    clock,
    log,
    version: readVersion(),
    key,
    evidenceKey: evidenceKeyOf(initial.secrets.evidenceKey?.reveal() ?? null, key('consent evidence')),
    messageBudget: createMessageBudget(),
    simulatorDomain: `simulator.${initial.service.host}`,
    systemTenantId: () => systemTenantId,
    draining: () => draining,
  };

  const accounts = openAccounts(
    base,
    () => domains.hosts,
    () => inbound.answering,
  );
  const domains = openDomains(base, accounts, overrides);
  const messages = openMessages(base);
  const feedback = openFeedback(base, accounts, messages, overrides);
  const relay = openRelay(base, domains, messages, feedback, overrides);
  const intake = openIntake(base, accounts, domains, messages, feedback, {
    ...overrides,
    answering: () => inbound.answering,
    utf8: relay.utf8,
  });
  const followers = openFollowers(base, accounts, {
    ...overrides,
    wholeMail: (...mail) => inbound.wholeMail(...mail),
  });
  const inbound = openInbound(base, { accounts, domains, feedback, relay, intake, followers }, overrides);
  const audience = openAudience(base, { accounts, feedback, relay, intake, followers });
  const insight = openInsight(base, inbound.proveAuthor, {
    message: relay.sources,
    capture: relay.captureSource,
    inbound: inbound.sourceOf,
  });
  const compat = openCompat(base, { domains, intake, messages, relay });
  const smtp = openSmtp(base, { accounts, feedback, intake, insight, inbound });
  const rooms: readonly Room[] = [
    accounts,
    domains,
    feedback,
    intake,
    messages,
    relay,
    followers,
    inbound,
    audience,
    insight,
    compat,
  ];

  const health = healthOf(base, { accounts, domains, relay, intake, followers, inbound, smtp });
  const http = openHttp(base, accounts, {
    routes: rooms.flatMap(({ routes }) => routes),
    shapes: compat.shapes,
    health,
    scanners: intake.scanners.isConfigured,
    checkResponses: overrides.checkResponses,
  });

  const auditBefore = () => clock.now() - config.retention.audit;
  const pruneAudit: NightlyTask = {
    what: 'audit',
    run: (id, signal, pace) =>
      removeOldAudit(
        { read: (work) => files.read(id, work), write: (work) => files.write(id, work) },
        auditBefore(),
        signal,
        pace,
      ),
  };
  const nightly = nightlyJob({
    files,
    listTenants: (after, limit) => platform.read((db) => registryStore(db).listAll(after, limit)),
    registry: (signal, pace) => removeOldAudit(platform, auditBefore(), signal, pace),
    tasks: [pruneAudit, ...rooms.flatMap((room) => room.nightly ?? [])],
  });
  const runner = createRunner([...rooms.flatMap((room) => room.jobs ?? []), nightly], log);

  const stop = async (): Promise<void> => {
    draining = true;
    const { drain } = config.shutdown;
    const drained = performance.now() + drain;
    insight.stop();
    followers.endStreams();
    domains.stopAsking();
    await runner.stop();
    const received = smtp.stop(drain);
    await relay.drain(drain);
    await http.stop(Math.max(drained - performance.now(), CUT_OFF_MS));
    await received;
    // Each of these may still write, and what it writes may be something that the next ones send.
    await feedback.stop();
    audience.stopWork();
    await followers.stop(Math.max(drained - performance.now(), CUT_OFF_MS));
    await feedback.stopNotices();
    await audience.stop();
    await inbound.stop();
    await intake.stop();
    await messages.stop();
    await relay.stop();
    await domains.dns?.stop();
    await accounts.stop();
    await storage.close();
  };

  return {
    start: async () => {
      try {
        await checkMasterKey(platform, base.key('dkim keys'));
        await domains.publishEvidenceKey();
        const removed = await removeIncompleteTenants(storage);
        if (removed > 0) log.warn({ removed }, 'practices whose creation a crash cut off were removed');
        systemTenantId = await ensureSystemTenant(accounts.tenantDeps, initial.service.name);
        log.info({ practice_id: systemTenantId }, 'the service sends its own mail as this practice');
        await relay.start();
        const dnsPort = domains.dns ? (await domains.dns.start()).port : null;
        await intake.scanners.refresh();
        const { simulator, ...ports } = await smtp.start();
        relay.run(simulator);
        await followers.start();
        // The last to be waited for: who gets an answer finds the other listeners there, and may send signals.
        const address = await http.start();
        intake.postman.wake();
        if (!overrides.jobsByHand) runner.start();
        void runner.runNow(FILE_JOB);
        return { http: address, dnsPort, ...ports };
      } catch (error) {
        const fault = storage.states.of(PLATFORM_FILE);
        await stop();
        throw fault === undefined ? error : refusePlatform(initial.data_dir, fault.reason, error);
      }
    },
    stop,
    reconfigure: (next) => {
      config = next;
      limits = limitsOf(next);
      log.level = next.log.level;
      smtp.renewCertificates();
      void intake.scanners.refresh();
    },
    health,
    lookForNotices: relay.lookForNotices,
    runJob: runner.runNow,
  };
};
