// The way of a message, from the one way in to the upstream: part of the composition root.
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Outbox } from '#src/accounts/mails/outbox.ts';
import type { OwnerNoticesDeps } from '#src/accounts/mails/tell-owners.ts';
import { practiceOwners } from '#src/accounts/people/practice-owners.ts';
import type { Signers } from '#src/domains/keys/signers.ts';
import type { ReceiveDeps } from '#src/feedback/receive.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { createPauseNotices, type PauseNotices } from '#src/feedback/reputation/pause-notices.ts';
import { pauseRoutes } from '#src/feedback/reputation/routes.ts';
import { suppressionRoutes } from '#src/feedback/suppressions/routes.ts';
import { suppressionTransferRoutes } from '#src/feedback/suppressions/transfer-routes.ts';
import { unsubscribeRoutes } from '#src/feedback/unsubscribe/routes.ts';
import type { AcceptDeps } from '#src/intake/accept.ts';
import type { ContentCheck } from '#src/intake/content/check-content.ts';
import { manyRoutes } from '#src/intake/many-routes.ts';
import { createPostman, type Postman } from '#src/intake/postman.ts';
import { createRepeats } from '#src/intake/repeats.ts';
import { sendRoutes } from '#src/intake/routes.ts';
import { scheduledRoutes } from '#src/intake/scheduled-routes.ts';
import { templateRoutes } from '#src/intake/templates/routes.ts';
import { presetRoutes } from '#src/intake/templates/seed.ts';
import { createUsageNotices } from '#src/intake/usage-notices.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Route } from '#src/kernel/route.ts';
import { deriveKey } from '#src/kernel/seal.ts';
import type { Clock } from '#src/kernel/time.ts';
import { createTrackingLinks } from '#src/mail/tracking-link.ts';
import { createUnsubscribeUrl } from '#src/mail/unsubscribe-token.ts';
import { createDueRegistry, type DueRegistry } from '#src/messages/queue/due-registry.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { messageRoutes } from '#src/messages/routes.ts';
import { createSearchIndexer, type SearchIndexer } from '#src/messages/search-indexer.ts';
import { captureRoutes } from '#src/relay/capture/routes.ts';
import { createDispatcher, type Dispatcher } from '#src/relay/dispatcher.ts';
import { sourceRoutes } from '#src/relay/source-routes.ts';
import type { WaysOut } from '#src/relay/ways-out.ts';
import { waysOutOf } from './ways-out.ts';

export interface SendingPartsDeps {
  /** As it is now. */
  readonly config: () => Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  /** Keys for each purpose are derived from it. */
  readonly masterKey: Buffer;
  readonly signers: Signers;
  readonly outbox: Outbox;
  readonly systemTenantId: () => string | null;
  readonly content: ContentCheck;
  /** ms: what outlives the drain has so long to notice. */
  readonly cutOff: number;
  /** How long a request waits for an earlier one under its idempotency key, ms; half a minute where undefined. */
  readonly keyPatienceMs: number | undefined;
}

/** Derived from the master key, each for one purpose. */
export interface MailKeys {
  readonly returnPaths: KeyObject;
  readonly suppressions: KeyObject;
  readonly unsubscribeLinks: KeyObject;
  readonly trackingLinks: KeyObject;
  /** 32 bytes. */
  readonly capturedMail: Buffer;
}

export interface SendingParts {
  readonly intake: AcceptDeps;
  readonly keys: MailKeys;
  readonly waysOut: WaysOut;
  readonly dueRegistry: DueRegistry;
  readonly dispatcher: Dispatcher;
  readonly postman: Postman;
  readonly indexer: SearchIndexer;
  /** What owners are told with. */
  readonly telling: OwnerNoticesDeps;
  /** What reports of others' are taken in with. */
  readonly received: ReceiveDeps;
  /** Resolves when what it tells of by itself stands in the outbox, and what it notes in the files. */
  stop(): Promise<void>;
  readonly routes: readonly Route[];
  readonly jobs: readonly Job[];
}

const retryPolicy = ({ queue }: Config): RetryPolicy => ({
  waits: queue.retry,
  thenEvery: queue.then_every,
  jitter: queue.jitter,
  giveUpAfter: { 0: queue.give_up.transactional, 1: queue.give_up.marketing },
});

export const sendingParts = (deps: SendingPartsDeps): SendingParts => {
  const {
    config,
    storage,
    clock,
    log,
    masterKey,
    signers,
    outbox,
    systemTenantId,
    content,
    cutOff,
    keyPatienceMs,
  } = deps;
  const { platform, tenants: files } = storage;
  const { service, upstreams } = config();
  const contentKey = deriveKey(masterKey, 'service mail');
  const captureKey = deriveKey(masterKey, 'captured mail');
  const suppressionKey = createSecretKey(deriveKey(masterKey, 'suppressions'));
  const returnPathKey = createSecretKey(deriveKey(masterKey, 'return paths'));
  const unsubscribeKey = createSecretKey(deriveKey(masterKey, 'unsubscribe links'));
  const trackingKey = createSecretKey(deriveKey(masterKey, 'tracking links'));
  const simulatorDomain = `simulator.${service.host}`;

  const waysOut = waysOutOf(upstreams, { files, clock, log, ehloName: service.host, captureKey, cutOff });
  const dueRegistry = createDueRegistry(platform);
  const guardrail = createGuardrail({
    systemTenantId,
    tell: (tenantId) => pauseNotices.tell(tenantId),
  });
  const copies = {
    unsubscribeUrl: createUnsubscribeUrl(service.public_origin, unsubscribeKey),
    trackingLinks: createTrackingLinks(service.public_origin, trackingKey),
    service: { name: service.name, origin: service.public_origin },
  };
  const dispatcher = createDispatcher({
    files,
    waysOut,
    policy: () => retryPolicy(config()),
    clock,
    log,
    signers,
    returnPathKey,
    contentKey,
    suppressionKey,
    ...copies,
    simulatorDomain,
    guardrail,
  });
  const indexer = createSearchIndexer({ files, log });
  const intake: AcceptDeps = {
    files,
    clock,
    serviceHost: service.host,
    safeMode: () => {
      const { allowlist, placement_testers } = config().safe_mode;
      return { allowed: [...allowlist, ...placement_testers] };
    },
    content,
    repeats: createRepeats(keyPatienceMs),
    contentKey,
    managedHostCap: () => config().limits.managed_host_mails,
    publicOrigin: service.public_origin,
    suppressionKey,
    tellUsage: (tenantId) => usageNotices.tell(tenantId),
    holdDue: dueRegistry.hold,
    wake: (tenantId, lane, dueAt) => {
      dispatcher.wake({ tenantId, lane }, dueAt);
      indexer.accepted(tenantId);
    },
  };
  const postman = createPostman({
    platform,
    outbox,
    intake,
    systemTenantId,
    log,
    serviceName: service.name,
  });
  const telling = {
    files,
    platform,
    notices: { enqueue: outbox.enqueue, tell: postman.wake },
    ownersOf: practiceOwners(storage),
    clock,
    log,
    origin: service.public_origin,
  };
  const usageNotices = createUsageNotices({ ...telling, managedHostCap: intake.managedHostCap });
  const pauseNotices: PauseNotices = createPauseNotices(telling);
  const suppressions = { files, clock, suppressionKey };
  return {
    intake,
    keys: {
      returnPaths: returnPathKey,
      suppressions: suppressionKey,
      unsubscribeLinks: unsubscribeKey,
      trackingLinks: trackingKey,
      capturedMail: captureKey,
    },
    waysOut,
    dueRegistry,
    dispatcher,
    postman,
    indexer,
    telling,
    received: { readPlatform: platform.read, files, clock, suppressionKey, simulatorDomain, guardrail },
    stop: async () => {
      await Promise.all([usageNotices.stop(), pauseNotices.stop(), indexer.stop()]);
    },
    routes: [
      ...sendRoutes(intake),
      ...manyRoutes(intake),
      ...scheduledRoutes(intake),
      ...messageRoutes({ files, indexer }),
      ...sourceRoutes({ files, clock, ...copies }),
      ...captureRoutes({ files, key: captureKey }),
      ...suppressionRoutes(suppressions),
      ...suppressionTransferRoutes(suppressions),
      ...unsubscribeRoutes({
        ...suppressions,
        platform,
        unsubscribeKey,
        serviceName: service.name,
        simulatorDomain,
      }),
      ...pauseRoutes({
        storage,
        clock,
        tell: pauseNotices.tell,
        holdDue: dueRegistry.hold,
        wake: (tenantId, lane, dueAt) => dispatcher.wake({ tenantId, lane }, dueAt),
      }),
      ...templateRoutes({ files, clock }),
      ...presetRoutes({ files, clock }),
    ],
    jobs: [],
  };
};
