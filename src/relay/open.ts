// The relay: what leaves. The upstreams of the configuration, and the dispatcher that sends what is due to them.
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Feedback } from '#src/feedback/open.ts';
import type { Caller } from '#src/kernel/access.ts';
import { type Base, CUT_OFF_MS, type Room } from '#src/kernel/base.ts';
import type { Config, UpstreamConfig } from '#src/kernel/config/config.ts';
import { waitsForNotices } from '#src/kernel/config/delivery.ts';
import { newId } from '#src/kernel/id.ts';
import { letGoUnused } from '#src/kernel/large-octets.ts';
import type { OperatorMail } from '#src/mail/reception.ts';
import { createSignThreads, type SignThreads } from '#src/messages/compose/sign-thread.ts';
import type { Messages, RelaySignals } from '#src/messages/open.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { transmit } from './attempt.ts';
import { captureRoutes, readCapture } from './capture/routes.ts';
import { oldCaptures } from './capture/store.ts';
import { createCaptureUpstream, sealedCaptures } from './capture/upstream.ts';
import type { SignersOf } from './claim.ts';
import { createDispatcher } from './dispatcher.ts';
import { createHandOn } from './hand-on.ts';
import { relayHealth } from './health.ts';
import { leftAs } from './left-as.ts';
import { deliveryDuration, relayMetrics } from './metrics.ts';
import type { Outcome } from './outcome.ts';
import { personalData } from './personal-data.ts';
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

/** How many of the operator's mails are kept where no address is configured for them. */
const KEPT_MAILS = 1_000;
/** Connections by which mail comes to the simulator, and as many for its answers. */
const SIMULATED_AT_ONCE = 4;

/** Where a listener is reached from this machine. */
const ownAddress = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
};

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Throws where a file named in the configuration cannot be read. */
export const openRelay = (
  base: Base,
  signersOf: SignersOf,
  { queue }: Messages,
  feedback: Feedback,
  options: { readonly signThreads?: SignThreads } = {},
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
        // The registry is asked again later; mail that has been stored must not seem refused.
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
  const deliveries = deliveryDuration();
  const dispatcher = createDispatcher({
    ...feedback.received,
    ...feedback.links,
    upstreams,
    policy: () => retryPolicy(config()),
    log,
    deliveries,
    signersOf,
    signThreads,
    returnPathKey: feedback.returnPathKey,
    contentKey,
  });
  const wake: RelaySignals['wake'] = (tenantId, lane, dueAt) => dispatcher.wake({ tenantId, lane }, dueAt);
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
  /** A client of our own listener. Mail and its answer have one each, because a mail is not taken before its answer is. */
  const ownClient = ({ host, port }: ListenAddress): Upstream =>
    createSmtpUpstream(
      {
        name: 'simulator',
        host: ownAddress(host),
        port,
        tls: 'none',
        pool: SIMULATED_AT_ONCE,
        ehloName: base.simulatorDomain,
        deliveredOn: 'dsn',
        timeouts: { stop: CUT_OFF_MS },
      },
      log,
    );
  /** Brings the simulator's answers in; null until the listener has its port. */
  let answers: Upstream | null = null;
  const operatorMailbox = createCaptureUpstream({
    name: 'operator',
    keep: KEPT_MAILS,
    files,
    clock,
    key: base.key('captured mail'),
  });
  const { handOn, stop: stopHandingOn } = createHandOn(config().service.host, log);
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
    wake,
    claimAlong: dispatcher.claimAlong,
    /** The upstream of that name, to send one message beside the queue. */
    upstreamNamed: (name: string): Upstream | undefined =>
      upstreams.states().find(({ upstream }) => upstream.name === name)?.upstream,
    sign: signThreads.sign,
    /** Which addresses can be sent to. */
    utf8: { takes: upstreams.takesUtf8, learn: upstreams.learnUtf8 },
    captureSource: (tenantId: string, id: string, caller: Caller) =>
      readCapture(captures, tenantId, id, caller),
    /** Seals the content of the service's own mails. */
    contentKey,
    sendSource,
    isIdle: dispatcher.isIdle,
    /** The tenant is gone, with what was queued of it. Called while no work of it may begin. */
    forget: (tenantId: string): void => {
      dispatcher.forget(tenantId);
      queue.forget(tenantId);
    },
    /** See `leftAs`. */
    leftAs: (tenantId: string, messageSeq: number) =>
      leftAs({ files, signersOf, signThreads, ...feedback.links }, tenantId, messageSeq),
    /** Looks whether relays offer the notices that are waited for, and warns of those that do not. */
    lookForNotices: () => upstreams.lookForNotices(),
    health: relayHealth(upstreams.describe, dispatcher.describe),
    metrics: [...relayMetrics(upstreams.states, dispatcher, clock.now), deliveries.metric],
    personalData,
    oldRows: oldCaptures,
    sealed: { tenant: [sealedCaptures] },
    routes: [
      ...sourceRoutes(sources),
      ...captureRoutes(captures),
      ...queueRoutes(base, upstreams, dispatcher),
      ...upstreamRoutes(storage.platform, clock, upstreams, dispatcher),
    ],
    jobs: [
      { name: 'bring the registry of due times up to date', schedule: '* * * * *', run: settleDueRegistry },
      { name: 'let go of memory that is not used', schedule: '* * * * *', run: async () => letGoUnused() },
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
    /** Begins to claim. `listener`: where this daemon takes mail, to the simulator too. */
    run: (listener: ListenAddress) => {
      upstreams.simulateBy(ownClient(listener));
      answers = ownClient(listener);
      dispatcher.start();
    },
    /** Delivers an answer of the simulator at our own listener; false where it could not. */
    answer: async (recipient: string, content: Buffer): Promise<boolean> => {
      if (answers === null) return false;
      // The answer has the null sender, because it must not be answered (RFC 3464 §2, RFC 3834 §3.3).
      const envelope = { returnPath: '', recipient, envelopeId: '' };
      const transcript = await answers.transmit(envelope, content, { tenantId: '', messageId: '' });
      if (transcript.result !== 'accepted') log.warn({ transcript }, 'the simulator could not answer');
      return transcript.result === 'accepted';
    },
    handOn,
    /** Keeps a mail for the operator in the local mailbox of the service's practice. */
    keepForOperator: async (tenantId: string, { recipient, mailFrom, content }: OperatorMail) => {
      const envelope = { recipient, returnPath: mailFrom, envelopeId: '' };
      const transcript = await operatorMailbox.transmit(envelope, content, { tenantId, messageId: newId() });
      if (transcript.result !== 'accepted') throw new Error('the mail could not be kept');
      log.warn({ recipient }, 'mail for the operator was kept: smtp.inbound.postmaster is not set');
    },
    /** Claims nothing more; resolves when attempts in flight have ended, or after `drainMs`. */
    drain: async (drainMs: number) => {
      // A mail that the simulator has not answered by then is sent to it again.
      await Promise.all([dispatcher.stop(drainMs), answers?.stop()]);
    },
    stop: async () => {
      await Promise.all([upstreams.stop(), operatorMailbox.stop(), stopHandingOn()]);
      if (options.signThreads === undefined) await signThreads.stop();
      // Where it cannot be written, the times there are too early, which is harmless.
      await settleDueRegistry().catch((error) =>
        log.warn({ err: error }, 'the registry of due times is not brought up to date'),
      );
    },
  } satisfies Room & Record<string, unknown>;
};
