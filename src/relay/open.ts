// The relay: what leaves. The upstreams of the configuration, and the dispatcher that sends what is due to them.
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Domains } from '#src/domains/open.ts';
import type { Feedback } from '#src/feedback/open.ts';
import type { Caller } from '#src/kernel/access.ts';
import { type Base, CUT_OFF_MS, type Room } from '#src/kernel/base.ts';
import type { Config, UpstreamConfig } from '#src/kernel/config/config.ts';
import { waitsForNotices } from '#src/kernel/config/delivery.ts';
import { createSignThreads, type SignThreads } from '#src/messages/compose/sign-thread.ts';
import type { Messages } from '#src/messages/open.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { transmit } from './attempt.ts';
import { captureRoutes, readCapture } from './capture/routes.ts';
import { createCaptureUpstream } from './capture/upstream.ts';
import { createDispatcher } from './dispatcher.ts';
import { leftAs } from './left-as.ts';
import type { Outcome } from './outcome.ts';
import { queueRoutes } from './queue-routes.ts';
import { smtpOptionsOf } from './smtp/options.ts';
import { createSmtpUpstream } from './smtp/upstream.ts';
import { createSources, sourceRoutes } from './source-routes.ts';
import type { Envelope, Upstream } from './upstream.ts';
import { upstreamRoutes } from './upstream-routes.ts';
import { createUpstreams } from './upstreams.ts';

export type Relay = ReturnType<typeof openRelay>;

export const retryPolicy = ({ queue }: Config): RetryPolicy => ({
  waits: queue.retry,
  thenEvery: queue.then_every,
  jitter: queue.jitter,
  giveUpAfter: { 0: queue.give_up.transactional, 1: queue.give_up.marketing },
});

const createUpstream = (entry: UpstreamConfig, base: Base): Upstream => {
  const { storage, clock, log } = base;
  if (entry.kind === 'capture')
    return createCaptureUpstream({
      name: entry.name,
      keep: entry.keep,
      files: storage.tenants,
      clock,
      key: base.key('captured mail'),
    });
  // The dispatcher has already waited for transactions.
  const timeouts = { stop: CUT_OFF_MS };
  return createSmtpUpstream({ ...smtpOptionsOf(entry, base.config().service.host), timeouts }, log);
};

/** A message that goes out as it is: it was composed and signed elsewhere. */
export interface FinishedSource {
  readonly tenantId: string;
  readonly messageId: string;
  readonly envelope: Envelope;
  readonly source: Buffer;
}

export interface RelayOptions {
  /** Shared by all apps of the process; each its own where absent. */
  readonly signThreads?: SignThreads;
}

/** Throws where a file named in the configuration cannot be read. */
export const openRelay = (
  base: Base,
  domains: Domains,
  { queue }: Messages,
  feedback: Feedback,
  options: RelayOptions = {},
) => {
  const { config, storage, clock, log } = base;
  const files = storage.tenants;
  const contentKey = base.key('service mail');
  const upstreams = createUpstreams(
    config().upstreams.map((entry) => ({
      upstream: createUpstream(entry, base),
      acceptIsDelivery: entry.kind === 'smtp' && entry.delivered_on === 'accept',
      notices: waitsForNotices(entry) ? (config().smtp.inbound ? 'heard' : 'unheard') : undefined,
      for: entry.for,
    })),
    (tenantId) => {
      try {
        return storage.platform.peek((db) => registryStore(db).get(tenantId)?.slug ?? null);
      } catch (error) {
        // It is asked again; what has been stored must not seem refused.
        log.warn(
          { err: error, tenant: tenantId },
          'upstreams that name practices by slug are not found for one',
        );
        return null;
      }
    },
    clock,
    log,
  );
  const signThreads = options.signThreads ?? createSignThreads(log);
  const dispatcher = createDispatcher({
    ...feedback.received,
    ...feedback.links,
    upstreams,
    policy: () => retryPolicy(config()),
    log,
    signers: domains.signers,
    sign: signThreads.sign,
    returnPathKey: feedback.returnPathKey,
    contentKey,
  });
  queue.onWake((tenantId, lane, dueAt) => dispatcher.wake({ tenantId, lane }, dueAt));
  /** A mistyped name would send that practice's mail by another relay. */
  const warnOfUnknownPractices = (): void => {
    for (const { name, for: named } of config().upstreams)
      for (const practice of named?.practices ?? []) {
        const isKnown = storage.platform.peek((db) => {
          const registry = registryStore(db);
          return registry.get(practice) !== undefined || registry.isSlugTaken(practice);
        });
        if (!isKnown)
          log.warn({ upstream: name, practice }, 'an upstream names a practice that does not exist');
      }
  };
  /**
   * One attempt, by the path of the practice's transactional mail. Null where that has no room or no upstream that may be tried.
   * The caller sends few at a time.
   */
  const sendSource = async ({ tenantId, source, ...message }: FinishedSource): Promise<Outcome | null> => {
    const path = upstreams.pathOf({ tenantId, lane: 0 });
    if (path.capacity(clock.now()) === 0) return null;
    path.occupy(1);
    try {
      const deps = { upstreams, simulatorDomain: base.simulatorDomain, log };
      const sent = await transmit(deps, tenantId, path, { ...message, prepare: async () => source });
      return sent.outcome;
    } finally {
      path.occupy(-1);
    }
  };
  const settleDueRegistry = () => queue.settle(dispatcher.nextDue);
  const sources = createSources({ files, clock, ...feedback.links });
  const captures = {
    files,
    key: base.key('captured mail'),
    isSystem: (tenantId: string) => tenantId === base.systemTenantId(),
    clock,
  };
  return {
    sources,
    /** Which addresses can be sent to. */
    utf8: { takes: upstreams.takesUtf8, learn: upstreams.learnUtf8 },
    captureSource: (tenantId: string, id: string, caller: Caller) =>
      readCapture(captures, tenantId, id, caller),
    /** Seals the content of the service's own mails. */
    contentKey,
    sendSource,
    /** See `leftAs`. */
    leftAs: (tenantId: string, messageSeq: number) =>
      leftAs(
        { files, signers: domains.signers, sign: signThreads.sign, ...feedback.links },
        tenantId,
        messageSeq,
      ),
    /** Looks whether relays offer the notices that are waited for, and warns of those that do not. */
    lookForNotices: () => upstreams.lookForNotices(),
    describe: () => ({ upstreams: upstreams.describe(), queue: dispatcher.describe() }),
    routes: [
      ...sourceRoutes(sources),
      ...captureRoutes(captures),
      ...queueRoutes({ storage, clock, upstreams, dispatcher }),
      ...upstreamRoutes({ platform: storage.platform, clock, upstreams, dispatcher }),
    ],
    jobs: [
      { name: 'bring the registry of due times up to date', schedule: '* * * * *', run: settleDueRegistry },
    ],
    start: async () => {
      warnOfUnknownPractices();
      for (const [tenantId, dueAt] of await queue.load()) {
        dispatcher.wake({ tenantId, lane: 0 }, dueAt);
        // A claim of one lane finds out what is due in the other, but not while the upstreams of its own path fail.
        if (upstreams.pathOf({ tenantId, lane: 1 }) !== upstreams.pathOf({ tenantId, lane: 0 }))
          dispatcher.wake({ tenantId, lane: 1 }, dueAt);
      }
    },
    /** Begins to claim. `simulator` brings mail to the mailbox simulator. */
    run: (simulator: Upstream) => {
      upstreams.simulateBy(simulator);
      dispatcher.start();
    },
    /** Claims nothing more; resolves when attempts in flight have ended, or after `drainMs`. */
    drain: (drainMs: number) => dispatcher.stop(drainMs),
    stop: async () => {
      await upstreams.stop();
      if (options.signThreads === undefined) await signThreads.stop();
      // Where it cannot be written, the times there are too early, which is harmless.
      await settleDueRegistry().catch((error) =>
        log.warn({ err: error }, 'the registry of due times is not brought up to date'),
      );
    },
  } satisfies Room & Record<string, unknown>;
};
