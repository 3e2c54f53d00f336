// The way of a message, from the one way in to the upstream: part of the composition root.
import { createSecretKey } from 'node:crypto';
import type { Config } from '#src/config.ts';
import { createContentCheck } from '#src/content/check-content.ts';
import type { Storage } from '#src/db/storage.ts';
import type { Signers } from '#src/domains/keys/signers.ts';
import type { AcceptDeps } from '#src/intake/accept.ts';
import { createRepeats } from '#src/intake/repeats.ts';
import { sendRoutes } from '#src/intake/routes.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Route } from '#src/kernel/route.ts';
import { deriveKey } from '#src/kernel/seal.ts';
import type { Clock } from '#src/kernel/time.ts';
import { createUnsubscribeUrl } from '#src/mail/unsubscribe-token.ts';
import { messageRoutes } from '#src/messages/routes.ts';
import type { Outbox } from '#src/notices/outbox.ts';
import { createDueRegistry, type DueRegistry } from '#src/queue/due-registry.ts';
import type { RetryPolicy } from '#src/queue/rules.ts';
import { captureRoutes } from '#src/relay/capture/routes.ts';
import { createDispatcher, type Dispatcher } from '#src/relay/dispatcher.ts';
import type { WaysOut } from '#src/relay/ways-out.ts';
import { createPostman, type Postman } from '#src/service-mail/postman.ts';
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
  /** ms: what outlives the drain has so long to notice. */
  readonly cutOff: number;
}

export interface SendingParts {
  readonly intake: AcceptDeps;
  readonly waysOut: WaysOut;
  readonly dueRegistry: DueRegistry;
  readonly dispatcher: Dispatcher;
  readonly postman: Postman;
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
  const { config, storage, clock, log, masterKey, signers, outbox, systemTenantId, cutOff } = deps;
  const { platform, tenants: files } = storage;
  const { service, upstreams } = config();
  const contentKey = deriveKey(masterKey, 'service mail');
  const captureKey = deriveKey(masterKey, 'captured mail');
  const suppressionKey = createSecretKey(deriveKey(masterKey, 'suppressions'));
  const unsubscribeKey = createSecretKey(deriveKey(masterKey, 'unsubscribe links'));

  const waysOut = waysOutOf(upstreams, { files, clock, log, ehloName: service.host, captureKey, cutOff });
  const dueRegistry = createDueRegistry(platform);
  const dispatcher = createDispatcher({
    files,
    waysOut,
    policy: () => retryPolicy(config()),
    clock,
    log,
    signers,
    returnPathKey: createSecretKey(deriveKey(masterKey, 'return paths')),
    contentKey,
    suppressionKey,
    unsubscribeUrl: createUnsubscribeUrl(service.public_origin, unsubscribeKey),
    simulatorDomain: `simulator.${service.host}`,
  });
  const intake: AcceptDeps = {
    files,
    clock,
    serviceHost: service.host,
    safeMode: () => {
      const { allowlist, placement_testers } = config().safe_mode;
      return { allowed: [...allowlist, ...placement_testers] };
    },
    content: createContentCheck(),
    repeats: createRepeats(),
    contentKey,
    managedHostCap: () => config().limits.managed_host_mails,
    publicOrigin: service.public_origin,
    suppressionKey,
    tellUsage: () => undefined,
    holdDue: dueRegistry.hold,
    wake: (tenantId, lane, dueAt) => dispatcher.wake({ tenantId, lane }, dueAt),
  };
  const postman = createPostman({
    platform,
    outbox,
    intake,
    systemTenantId,
    log,
    serviceName: service.name,
  });
  return {
    intake,
    waysOut,
    dueRegistry,
    dispatcher,
    postman,
    routes: [
      ...sendRoutes(intake),
      ...messageRoutes({ files }),
      ...captureRoutes({ files, key: captureKey }),
    ],
    jobs: [],
  };
};
