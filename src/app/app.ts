// The composition root: opens the rooms from the ground up, joins their routes and jobs, and starts and stops all of it
// in order.

import type { Arrive } from '#src/accounts/moving/arrive.ts';
import { openMove } from '#src/accounts/moving/open.ts';
import { openAccounts } from '#src/accounts/open.ts';
import { removeIncompleteTenants } from '#src/accounts/tenants/create.ts';
import { FILE_JOB } from '#src/accounts/tenants/file-job.ts';
import type { TenantHosts } from '#src/accounts/tenants/hosts.ts';
import { openKeys } from '#src/accounts/tenants/master-key.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import { ensureSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { openAudience } from '#src/audience/open.ts';
import { openCompat } from '#src/compat/open.ts';
import { keepManagedHost } from '#src/domains/custom/former-host.ts';
import type { GenerateKeyPair } from '#src/domains/keys/keys.ts';
import { openDomains } from '#src/domains/open.ts';
import { openEvents } from '#src/events/open.ts';
import { openFeedback } from '#src/feedback/open.ts';
import { openFollowers } from '#src/followers/open.ts';
import type { WholeMail } from '#src/followers/webhooks/queue.ts';
import { openHttp } from '#src/http/open.ts';
import { openInbound } from '#src/inbound/open.ts';
import { openInsight } from '#src/insight/open.ts';
import { openIntake } from '#src/intake/open.ts';
import { type Base, CUT_OFF_MS, type Room } from '#src/kernel/base.ts';
import { createMessageBudget } from '#src/kernel/byte-budget.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { foreignTables } from '#src/kernel/db/migrate.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { evidenceKeyOf } from '#src/kernel/evidence-key.ts';
import { createRunner } from '#src/kernel/job.ts';
import type { Keys } from '#src/kernel/keys.ts';
import { later } from '#src/kernel/later.ts';
import { limitsOf } from '#src/kernel/limits.ts';
import type { Log } from '#src/kernel/log.ts';
import type { PersonalData } from '#src/kernel/personal-data.ts';
import type { SealedPlaces } from '#src/kernel/sealed-place.ts';
import { type Clock, systemClock } from '#src/kernel/time.ts';
import { readVersion } from '#src/kernel/version.ts';
import type { SignThreads } from '#src/messages/compose/sign-thread.ts';
import { openMessages, type RelaySignals } from '#src/messages/open.ts';
import { nightlyJob } from '#src/messages/retention/nightly-job.ts';
import { type Challenges, createChallenges } from '#src/operations/certificates/challenges.ts';
import { CERTIFICATES_JOB, openCertificates } from '#src/operations/certificates/open.ts';
import { createBackupWatch } from '#src/operations/last-backup.ts';
import { openMetrics } from '#src/operations/metrics/open.ts';
import { createReplicaWatch } from '#src/operations/replica/watch.ts';
import { sealClosedFile } from '#src/operations/seal-again.ts';
import { openPeople } from '#src/people/open.ts';
import { openRelay } from '#src/relay/open.ts';
import { openSmtp } from '#src/smtp/open.ts';
import type { SubmissionPorts } from '#src/smtp/submission.ts';
import { followFile, tenantPlaces } from './closed-files.ts';
import { type DoctorOverrides, openDoctor } from './doctor/open.ts';
import { openErasing } from './erase-practice.ts';
import { MASTER_KEY_JOB, masterKeyJob } from './master-key-job.ts';
import { closeData, type DataOverrides, openData } from './open-data.ts';
import { refusals } from './refusals.ts';
import { openRestoring } from './restoring-tenants.ts';
import { loadSchema } from './schema.ts';

export interface Overrides extends DataOverrides, DoctorOverrides {
  readonly clock?: Clock;
  /** Shared as `maintenance` is. */
  readonly signThreads?: SignThreads;
  readonly generateKeyPair?: GenerateKeyPair;
  /** Answers that their route does not declare become errors: for tests. */
  readonly checkResponses?: boolean;
  readonly keyPatienceMs?: number;
  readonly streamBeatMs?: number;
  readonly holdMs?: number;
  /** See DnsHealthOptions.againMs. */
  readonly dnsAgainMs?: number;
  /** What certificate authorities are answered: for tests. */
  readonly challenges?: Challenges;
  /** Jobs run by `runJob` alone: for tests, which a job at a full minute would disturb. */
  readonly jobsByHand?: boolean;
}

type Restoring = ReturnType<typeof openRestoring>;

export interface App {
  /** Rejects where an address is taken; then everything has been closed again. */
  start(): Promise<{
    readonly http: Awaited<ReturnType<ReturnType<typeof openHttp>['start']>>;
    readonly dnsPort: number | null;
    readonly submissionPorts: SubmissionPorts;
    readonly inboundPort: number | null;
    readonly metricsPort: number | null;
  }>;
  /** Accepts nothing more, lets what is in flight end, checkpoints, closes. */
  stop(): Promise<void>;
  /** Applies what can change in a running daemon. */
  reconfigure(config: Config): void;
  /** Where each room has sealed values. */
  readonly sealed: readonly SealedPlaces[];
  /** What each room says of its tables. */
  readonly personalData: Readonly<Record<string, { readonly personalData: PersonalData }>>;
  readonly registerTenant: Restoring['registerTenant'];
  readonly registerFile: Restoring['registerFile'];
  readonly restoreTenant: Restoring['restoreTenant'];
  /** For an import beside no daemon. */
  readonly arrive: () => Promise<Arrive>;
  readonly erasePractice: ReturnType<typeof openErasing>['erase'];
  /** Looks whether relays offer the delivery notices that are waited for; the log has what it finds. */
  lookForNotices(): Promise<void>;
  /** Runs one of the jobs at once instead of at its time; resolves when it has ended. */
  runJob(name: string): Promise<void>;
}

/** Opens the data; nothing listens before `start`. Rejects where a part of the configuration cannot be used. */
export const createApp = async (config: Config, log: Log, overrides: Overrides = {}): Promise<App> => {
  const storage = await openData(config, log, overrides);
  try {
    const keys = await storage.platform.write((db) => openKeys(db, config.secrets));
    return openRooms(config, storage, keys, log, overrides);
  } catch (error) {
    throw await closeData(config, storage, () => storage.close(), error);
  }
};

const openRooms = (initial: Config, storage: Storage, keys: Keys, log: Log, overrides: Overrides): App => {
  let config = initial;
  let limits = limitsOf(initial);
  let draining = false;
  let systemTenantId: string | null = null;
  const { platform, tenants: files } = storage;
  const clock = overrides.clock ?? systemClock;
  const base: Base = {
    config: () => config,
    limits: () => limits,
    storage,
    clock,
    log,
    version: readVersion(),
    key: keys.key,
    tenantKeys: keys,
    evidenceKey: evidenceKeyOf(initial.secrets.evidenceKey?.reveal() ?? null, keys.key('consent evidence')),
    messageBudget: createMessageBudget(),
    simulatorDomain: `simulator.${initial.service.host}`,
    systemTenantId: () => systemTenantId,
    draining: () => draining,
  };

  const events = openEvents(base);
  /** Everything that a room asks of one above it. */
  const asks = {
    hosts: later<TenantHosts>('the hosts of a new practice'),
    answering: later<Answering>('the addresses for answers'),
    wholeMail: later<WholeMail>('the mail of an event'),
    sendNotices: later('sending of notices', (): void => undefined),
    relay: later<RelaySignals>('signals to the relay', { wake: () => undefined, claimAlong: () => false }),
  };
  const accounts = openAccounts(base, events.written, asks);
  const challenges = overrides.challenges ?? createChallenges();
  const domains = openDomains(base, accounts, { ...overrides, challengesAt: challenges.textsAt });
  const certificates = openCertificates(base, { ...domains, challenges });
  const messages = openMessages(base, asks.relay);
  const feedback = openFeedback(base, accounts, messages, { ...overrides, holderOf: domains.holderOf });
  const people = openPeople(base, accounts, feedback.brakeOf);
  const relay = openRelay(base, domains.signers.of, messages, feedback, overrides);
  const intake = openIntake(base, accounts, messages, feedback, {
    ...overrides,
    answering: asks.answering,
    utf8: relay.utf8,
    lookup: domains.lookup,
    isDkimBroken: domains.isDkimBroken,
    keepForOperator: relay.keepForOperator,
  });
  const followers = openFollowers(base, accounts, events.following, {
    ...overrides,
    wholeMail: (...mail) => asks.wholeMail()(...mail),
  });
  const inbound = openInbound(
    base,
    { accounts, domains, feedback, relay, intake, following: events.following },
    overrides,
  );
  asks.hosts.answer(domains.hosts);
  asks.answering.answer(inbound.answering);
  asks.wholeMail.answer(inbound.wholeMail);
  asks.sendNotices.answer(intake.postman.wake);
  asks.relay.answer(relay);
  const insight = openInsight(base, inbound.proveAuthor, {
    message: relay.sources,
    capture: relay.captureSource,
    inbound: inbound.sourceOf,
  });
  // First what keeps anything more from being sent to a person who is erased.
  const below = {
    messages,
    relay,
    feedback,
    inbound,
    events,
    intake,
    followers,
    insight,
    accounts,
    people,
    domains,
  };
  const audience = openAudience(base, {
    ...{ accounts, feedback, leftAs: relay.leftAs, intake, following: events.following },
    personalData: Object.values(below).map((room) => room.personalData),
  });
  const compat = openCompat(base, { domains, intake, messages, sources: relay.sources });
  const smtp = openSmtp(base, {
    authenticate: people.authenticate,
    accept: intake.accept,
    receives: {
      ...domains.receives,
      ...feedback.receives,
      ...intake.receives,
      ...inbound.receives,
      ...insight.receives,
    },
    answer: relay.answer,
    handOn: relay.handOn,
    requireHere: accounts.requireHere,
    certificates: certificates.sources,
  });
  const rooms: readonly Room[] = [
    events,
    accounts,
    people,
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
    createBackupWatch(base),
    createReplicaWatch(base, accounts.replicaNotices),
    certificates,
  ];

  const restoring = openRestoring(base, accounts, rooms);
  // Both are asked: each ends what only waits.
  const endWork = (tenantId: string): boolean =>
    [events.following.endWork(tenantId), relay.isIdle(tenantId)].every(Boolean);
  /** What is remembered of a tenant that is gone, or works elsewhere. */
  const forget = (tenantId: string): void => {
    for (const room of [relay, people, feedback, events]) room.forget(tenantId);
  };
  const erasing = openErasing(base, endWork, forget);
  const move = openMove(base, {
    hosts: domains.hosts,
    sealFile: (db, id, keyOf) => sealClosedFile(db, id, tenantPlaces, keyOf, log),
    hasOwnTables: (db) => foreignTables(db, loadSchema().tenant) === undefined,
    followFile,
    keepManagedHost,
    registrationOf: restoring.registrationOf,
    endWork,
    forget,
    wake: async (tenantId) => {
      for (const room of rooms) await room.reopened?.(tenantId);
    },
  });

  const health = Object.assign({}, smtp.health, ...rooms.map((room) => room.health));
  const doctor = openDoctor(base, {
    ...{ ...overrides, health, waitForMail: smtp.waitForMail },
    ...{ signersOf: domains.signers.of, sign: relay.sign, upstreamNamed: relay.upstreamNamed },
  });
  const metrics = openMetrics(base, () => [...rooms, smtp, http].flatMap((room) => room.metrics ?? []));
  const tables = Object.assign({}, ...rooms.map((room) => room.exports));
  const http = openHttp(
    base,
    { ...accounts, ...people },
    {
      routes: [
        ...rooms.flatMap(({ routes }) => routes),
        ...insight.exportRoutes(tables),
        ...move.routes,
        ...erasing.routes,
        ...restoring.routes,
        ...doctor.routes,
        ...metrics.routes,
      ],
      shapes: compat.shapes,
      health,
      scanners: intake.scanners.isConfigured,
      attachmentPolicy: intake.attachmentPolicy,
      isInSafeMode: accounts.isInSafeMode,
      events: followers.described,
      refusals,
      secure: certificates.secure,
      checkResponses: overrides.checkResponses,
    },
  );

  const nightly = nightlyJob(
    files,
    (after, limit) => platform.read((db) => registryStore(db).listAll(after, limit)),
    async (signal, pace) => {
      for (const room of [...rooms, move, erasing]) await room.nightlyRegistry?.(signal, pace);
    },
    rooms,
  );
  const jobs = [
    ...rooms.flatMap((room) => room.jobs ?? []),
    ...doctor.jobs,
    nightly,
    masterKeyJob(base, rooms, move.sealClosedAgain),
  ];
  const runner = createRunner(jobs, log);

  const stop = async (): Promise<void> => {
    draining = true;
    await move.stop();
    const { drain } = config.shutdown;
    const drained = performance.now() + drain;
    insight.stop();
    followers.endStreams();
    domains.stopAsking();
    await doctor.stop();
    await runner.stop();
    const received = smtp.stop(drain);
    await relay.drain(drain);
    await http.stop(Math.max(drained - performance.now(), CUT_OFF_MS));
    await received;
    // Each of these may still write, and what it writes may be something that the next ones send.
    await feedback.stop();
    audience.stopWork();
    await events.following.stop(Math.max(drained - performance.now(), CUT_OFF_MS));
    await followers.stop();
    await feedback.stopNotices();
    await audience.stop();
    await inbound.stop();
    await intake.stop();
    await messages.stop();
    await relay.stop();
    await domains.dns?.stop();
    await people.stop();
    await accounts.stop();
    await metrics.stop();
    await events.stop();
    await storage.close();
  };

  return {
    start: async () => {
      try {
        const metricsPort = await metrics.start();
        await move.start();
        await domains.publishEvidenceKey();
        const restored = await restoring.finish();
        if (restored.length > 0)
          log.warn({ restored }, 'restores that were cut off were brought to their end');
        await erasing
          .nightlyRegistry()
          .catch((error) => log.warn({ err: error }, 'copies that commands have left could not be removed'));
        const removed = await removeIncompleteTenants(storage);
        if (removed > 0) log.warn({ removed }, 'practices whose creation a crash cut off were removed');
        systemTenantId = await ensureSystemTenant(accounts.tenantDeps, initial.service.name);
        log.info({ practice_id: systemTenantId }, 'the service sends its own mail as this practice');
        await relay.start();
        const dnsPort = domains.dns ? (await domains.dns.start()).port : null;
        await intake.scanners.refresh();
        const { listener, ...ports } = await smtp.start();
        relay.run(listener);
        await events.following.start();
        // The last to be waited for: who gets an answer finds the other listeners there, and may send signals.
        const address = await http.start();
        intake.postman.wake();
        if (!overrides.jobsByHand) runner.start();
        const atOnce = overrides.jobsByHand ? [FILE_JOB] : [FILE_JOB, MASTER_KEY_JOB, CERTIFICATES_JOB];
        for (const job of atOnce) void runner.runNow(job);
        return { http: address, dnsPort, metricsPort, ...ports };
      } catch (error) {
        throw await closeData(initial, storage, stop, error);
      }
    },
    stop,
    reconfigure: (next) => {
      config = next;
      limits = limitsOf(next);
      log.level = next.log.level;
      certificates.reload();
      void intake.scanners.refresh();
    },
    sealed: rooms.map((room) => room.sealed ?? {}),
    personalData: { ...below, audience, smtp },
    registerTenant: restoring.registerTenant,
    registerFile: restoring.registerFile,
    restoreTenant: restoring.restoreTenant,
    arrive: move.arrive,
    erasePractice: erasing.erase,
    lookForNotices: relay.lookForNotices,
    runJob: runner.runNow,
  };
};
