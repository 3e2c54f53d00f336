// The composition root: opens the data, makes the parts, lists routes and jobs, and starts and stops all of it in
// order. Parts get their piece of the configuration as arguments; nobody imports this file but the entry.
import { ticketRetentionJob } from '#src/accounts/abuse/retention.ts';
import { abuseRoutes } from '#src/accounts/abuse/routes.ts';
import { createOutbox, type Notices } from '#src/accounts/mails/outbox.ts';
import { accountRoutes } from '#src/accounts/people/account-routes.ts';
import { createAuthenticate } from '#src/accounts/people/authenticate.ts';
import { createEnterTenant, createMayCreatePractice } from '#src/accounts/people/enter.ts';
import { createSessionsLastUsed, createTokensLastUsed, lastUsedJob } from '#src/accounts/people/last-used.ts';
import { createPasswords } from '#src/accounts/people/passwords.ts';
import { peopleRoutes } from '#src/accounts/people/people-routes.ts';
import { practiceOwners } from '#src/accounts/people/practice-owners.ts';
import { practicePeople } from '#src/accounts/people/practice-people.ts';
import { createSessions, sessionsCleanupJob } from '#src/accounts/people/sessions.ts';
import { createSignInCodes } from '#src/accounts/people/sign-in-codes.ts';
import { type SignInDeps, signInRoutes } from '#src/accounts/people/sign-in-routes.ts';
import { tokenRoutes } from '#src/accounts/people/token-routes.ts';
import { checkMasterKey } from '#src/accounts/tenants/check-master-key.ts';
import { type CreateTenantDeps, removeIncompleteTenants } from '#src/accounts/tenants/create.ts';
import { operatorRoutes } from '#src/accounts/tenants/operator-routes.ts';
import { practiceRoutes } from '#src/accounts/tenants/practice-routes.ts';
import { projectRoutes } from '#src/accounts/tenants/project-routes.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { routeRoutes } from '#src/accounts/tenants/route-routes.ts';
import { ensureSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { waitlistRoutes } from '#src/accounts/waitlist/routes.ts';
import { fewAtATime, type GenerateKeyPair, generateDkimKeyPair } from '#src/domains/keys/keys.ts';
import { createTenantHosts } from '#src/domains/tenant-hosts.ts';
import { auditRoutes } from '#src/events/audit-routes.ts';
import { documentationRoutes } from '#src/http/documentation.ts';
import { createHttpDoor } from '#src/http/door.ts';
import { landingRoute } from '#src/http/landing.ts';
import { type Health, serviceRoutes } from '#src/http/service-routes.ts';
import { validateEmailsRoutes } from '#src/intake/validate-emails/routes.ts';
import { type Config, limitsOf } from '#src/kernel/config/config.ts';
import { type Disk, disk as realDisk } from '#src/kernel/db/disk.ts';
import { openStorage, type Storage } from '#src/kernel/db/storage.ts';
import { createRunner, type Job } from '#src/kernel/job.ts';
import type { Log } from '#src/kernel/log.ts';
import { createRateCheck } from '#src/kernel/rate-limit.ts';
import type { Route } from '#src/kernel/route.ts';
import { deriveKey } from '#src/kernel/seal.ts';
import { type Clock, SECOND, systemClock } from '#src/kernel/time.ts';
import { readVersion } from '#src/kernel/version.ts';
import type { SubmissionPorts } from '#src/smtp/submission.ts';
import { domainParts } from './domain-parts.ts';
import { feedbackParts } from './feedback-parts.ts';
import { followerParts } from './follower-parts.ts';
import { healthOf } from './health.ts';
import { inboundParts } from './inbound-parts.ts';
import { insightParts } from './insight-parts.ts';
import { scannerParts } from './scanner-parts.ts';
import { sendingParts } from './sending-parts.ts';
import { submissionParts } from './submission-parts.ts';

export interface Overrides {
  readonly clock?: Clock;
  readonly disk?: Disk;
  readonly generateKeyPair?: GenerateKeyPair;
  /** Answers that their route does not declare become errors: for tests. */
  readonly checkResponses?: boolean;
  readonly keyPatienceMs?: number;
  readonly streamBeatMs?: number;
}

export interface App {
  /** Rejects where an address is taken; then everything has been closed again. */
  start(): Promise<{
    readonly http: { address: string; port: number };
    readonly dnsPort: number | null;
    readonly submissionPorts: SubmissionPorts;
    readonly inboundPort: number | null;
  }>;
  /** Takes nothing more, lets what is under way end, checkpoints, closes. */
  stop(): Promise<void>;
  /** Applies what can change in a running daemon. */
  reconfigure(config: Config): void;
  health(): Health;
  /** Runs one of the jobs at once instead of at its time; resolves when it has ended. */
  runJob(name: string): Promise<void>;
}

const PAGE_BYTES = 4_096;
/** What outlives the drain is cut off; so long it has to notice and to be written down. */
const CUT_OFF_MS = 2 * SECOND;
/** At a stop; what is not written by then is forgotten, and looks a minute older. */
const LAST_USED_MS = 2 * SECOND;
const dueRegistryJob = (settle: () => Promise<void>): Job => ({
  name: 'bring the registry of due times up to date',
  schedule: '* * * * *',
  run: settle,
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
  const limits = () => limitsOf(config);
  const clock = overrides.clock ?? systemClock;
  const { service } = initial;
  const masterKey = Buffer.from(initial.secrets.masterKey.reveal(), 'base64');
  const sealingKey = deriveKey(masterKey, 'dkim keys');
  const version = readVersion();
  let draining = false;
  const { platform, tenants: files } = storage;

  const generateKeyPair = fewAtATime(overrides.generateKeyPair ?? generateDkimKeyPair);
  const outbox = createOutbox(deriveKey(masterKey, 'notices'));
  const notices: Notices = { enqueue: outbox.enqueue, tell: () => sending.postman.wake() };
  const domains = domainParts({
    config: initial,
    storage,
    clock,
    log,
    sealingKey,
    generateKeyPair,
    notices,
    ownersOf: practiceOwners(storage),
  });

  const simulatorDomain = `simulator.${service.host}`;
  const insight = insightParts({ config: () => config, files, clock, simulatorDomain });
  /** Null until the start has found or made it. */
  let systemTenantId: string | null = null;
  const scanners = scannerParts({ config: () => config, clock, log });
  const sending = sendingParts({
    config: () => config,
    storage,
    clock,
    log,
    masterKey,
    signers: domains.signers,
    outbox,
    systemTenantId: () => systemTenantId,
    content: scanners.content,
    cutOff: CUT_OFF_MS,
    keyPatienceMs: overrides.keyPatienceMs,
  });
  const { waysOut, dueRegistry, dispatcher, postman } = sending;
  const inbound = inboundParts({
    config: () => config,
    storage,
    clock,
    log,
    version,
    sending,
    systemTenantId: () => systemTenantId,
    cutOff: CUT_OFF_MS,
  });

  const tokensLastUsed = createTokensLastUsed(files, clock);
  const sessionsLastUsed = createSessionsLastUsed(platform, clock);
  const sessions = createSessions({
    platform,
    clock,
    lastUsed: sessionsLastUsed,
    csrfKey: deriveKey(masterKey, 'csrf'),
    isHttps: service.public_origin.startsWith('https:'),
  });
  const authenticate = createAuthenticate({
    platform,
    clock,
    adminToken: initial.admin.token?.reveal() ?? null,
    lastUsed: tokensLastUsed,
    sessions,
  });
  const submission = submissionParts({
    config: () => config,
    intake: sending.intake,
    authenticate,
    limits,
    clock,
    log,
  });
  const limitEmail = createRateCheck(
    clock,
    () => limits().signInPerEmail,
    'Too many requests for this e-mail address.',
  );

  const followers = followerParts({
    config: () => config,
    storage,
    clock,
    log,
    masterKey,
    telling: sending.telling,
    streamBeatMs: overrides.streamBeatMs,
  });
  const feedback = feedbackParts({
    config: () => config,
    storage,
    clock,
    log,
    sending,
    simulatorDomain,
    visitors: followers.visitors,
  });
  const health = healthOf({
    version,
    files,
    platform,
    sending,
    scanners,
    domains,
    submission,
    inbound,
    followers,
    draining: () => draining,
  });

  const tenantDeps: CreateTenantDeps = {
    storage,
    clock,
    hosts: createTenantHosts({
      serviceHost: service.host,
      managedSuffix: service.managed_suffix,
      sealingKey,
      generateKeyPair,
      isReservedSlug: domains.zones.isReservedSlug,
    }),
    safeModeDefault: () => config.safe_mode.default,
  };
  const signIn: SignInDeps = {
    platform,
    clock,
    codes: createSignInCodes(deriveKey(masterKey, 'sign-in codes')),
    sessions,
    passwords: createPasswords(),
    notices,
    limitEmail,
    passwordLogin: () => config.auth.password_login,
  };
  const people = practicePeople({ notices, origin: service.public_origin });

  const routes: readonly Route[] = [
    ...sending.routes,
    ...validateEmailsRoutes({
      files,
      clock,
      lookup: domains.lookup,
      suppressionKey: sending.keys.suppressions,
      simulatorDomain,
    }),
    ...inbound.routes,
    ...feedback.routes,
    ...followers.routes,
    ...practiceRoutes({ ...tenantDeps, people }),
    ...operatorRoutes({ storage, clock, people }),
    ...auditRoutes({ platform, files }),
    ...projectRoutes({ files, clock }),
    ...routeRoutes({ files, clock }),
    ...domains.routes,
    ...insight.routes,
    ...signInRoutes(signIn),
    ...accountRoutes({ ...signIn, storage }),
    ...peopleRoutes({
      storage,
      clock,
      notices,
      limitEmail,
      sessions,
      founding: people.founding,
      serviceName: service.name,
      origin: service.public_origin,
    }),
    ...tokenRoutes({ storage, clock }),
    ...abuseRoutes({ platform, notices, limitEmail, clock, serviceName: service.name }),
    ...waitlistRoutes({ platform, limitEmail, clock, serviceName: service.name }),
    ...serviceRoutes({
      name: service.name,
      version,
      safeMode: () => config.safe_mode.default,
      limits,
      passwordLogin: signIn.passwordLogin,
      scanners: scanners.isConfigured,
      submission: submission.isConfigured,
      health,
    }),
    landingRoute(service.name),
    ...documentationRoutes(() => routes, { name: service.name, version, origin: service.public_origin }),
  ];

  const settleDueRegistry = () => dueRegistry.settle(dispatcher.nextDue);
  const runner = createRunner(
    [
      lastUsedJob('note when tokens were used', tokensLastUsed),
      lastUsedJob('note when sessions were used', sessionsLastUsed),
      sessionsCleanupJob(platform, clock, signIn.codes.removeOld),
      dueRegistryJob(settleDueRegistry),
      ...domains.jobs,
      ...sending.jobs,
      ...feedback.jobs,
      ...scanners.jobs,
      ticketRetentionJob({ platform, keep: () => config.retention.abuse_tickets, clock }),
    ],
    log,
  );

  const door = createHttpDoor({
    listen: initial.http.listen,
    routes,
    trustProxy: initial.http.trust_proxy,
    log,
    clock,
    authenticate,
    enterTenant: createEnterTenant(storage),
    mayCreatePractice: createMayCreatePractice(storage),
    serviceName: service.name,
    tenantExists: (id) => platform.peek((db) => registryStore(db).get(id)) !== undefined,
    limits,
    draining: () => draining,
    ...(overrides.checkResponses === undefined ? {} : { checkResponses: overrides.checkResponses }),
  });

  const stop = async (): Promise<void> => {
    draining = true;
    insight.stop();
    followers.endStreams();
    domains.stopAsking();
    const drained = performance.now() + config.shutdown.drain;
    await runner.stop();
    const received = inbound.stop(config.shutdown.drain);
    const submitted = submission.stop(config.shutdown.drain);
    await dispatcher.stop(config.shutdown.drain);
    await door.stop(Math.max(drained - performance.now(), CUT_OFF_MS));
    await Promise.all([received, submitted]);
    // What is noted last may be something to tell of.
    await feedback.stop();
    await followers.stop();
    // What it tells is the postman's to hand on.
    await sending.stop();
    await postman.stop();
    scanners.stop();
    await waysOut.stop();
    await domains.dns?.stop();
    for (const lastUsed of [tokensLastUsed, sessionsLastUsed])
      await lastUsed
        .flush(AbortSignal.timeout(LAST_USED_MS))
        .catch((error) => log.warn({ err: error }, 'the last use was not noted'));
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
        systemTenantId = await ensureSystemTenant(tenantDeps, service.name);
        log.info({ practice_id: systemTenantId }, 'the service sends its own mail as this practice');
        for (const [tenantId, dueAt] of await dueRegistry.load())
          dispatcher.wake({ tenantId, lane: 0 }, dueAt);
        const dnsPort = domains.dns ? (await domains.dns.start()).port : null;
        await scanners.refresh();
        const http = await door.start();
        const submissionPorts = await submission.start();
        const inboundPort = await inbound.start();
        dispatcher.start();
        await followers.start();
        postman.wake();
        runner.start();
        return { http, dnsPort, inboundPort, submissionPorts };
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    reconfigure: (next) => {
      config = next;
      log.level = next.log.level;
      inbound.renewCertificate();
      void scanners.refresh();
      submission.renewCertificate();
    },
    health,
    runJob: runner.runNow,
  };
};
