// The way of a message from intake to an upstream that the test plays: real files, the real dispatcher, a clock that
// stands still until the test moves it. Ended by itself when the test ends.

import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { createTenant } from '#src/accounts/tenants/create.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createContentCheck } from '#src/content/check-content.ts';
import { createSigners } from '#src/domains/keys/signers.ts';
import { createBrake } from '#src/feedback/brake/brake.ts';
import { createTokenCounts } from '#src/feedback/brake/counts.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { type Accepted, accept } from '#src/intake/accept.ts';
import { createRequestQueue } from '#src/intake/answer.ts';
import type { Draft } from '#src/intake/draft.ts';
import type { Submission } from '#src/intake/evaluate.ts';
import { createImageLinks } from '#src/intake/images/image-links.ts';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import { acceptedMessages } from '#src/intake/metrics.ts';
import type { Disk } from '#src/kernel/db/disk.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { createLog } from '#src/kernel/log.ts';
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import { parseAddress } from '#src/mail/address.ts';
import { createTrackingLinks } from '#src/mail/copy-links.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { SignThreads } from '#src/messages/compose/sign-thread.ts';
import { createDueRegistry, type DueRegistry } from '#src/messages/queue/due-registry.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { createDispatcher, type Dispatcher } from '#src/relay/dispatcher.ts';
import { deliveryDuration } from '#src/relay/metrics.ts';
import type { Transcript, Upstream } from '#src/relay/upstream.ts';
import { createUpstreams, type NamedMail, type Upstreams } from '#src/relay/upstreams.ts';
import { MESSAGE } from '#test/support/draft.ts';
import { SETTINGS } from '#test/support/facts.ts';
import { testSealingKey, testTenantKey, testTokenKeys } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import { sharedSignThreads } from '#test/support/sign-threads.ts';
import {
  createTestClock,
  openTestStorage,
  SEALING_KEY,
  type TestClock,
  temporaryDirectory,
  tenantDeps,
} from '#test/support/storage.ts';

/** Without chance: each wait is what the test says. */
const policy: RetryPolicy = {
  waits: [MINUTE],
  thenEvery: MINUTE,
  jitter: 0,
  giveUpAfter: { 0: HOUR, 1: HOUR },
};

export const ACCEPTED: Transcript = {
  result: 'accepted',
  reply: { code: 250, enhanced: '2.0.0', text: 'queued' },
  dsnRequested: false,
};
export const UNREACHABLE: Transcript = { result: 'broken', phase: 'connect', error: 'connection refused' };
export const LATER: Transcript = {
  result: 'refused',
  phase: 'rcpt',
  reply: { code: 451, enhanced: '4.7.1', text: 'greylisted' },
};
/** Said of our account, not of the message. */
export const TOO_MANY: Transcript = {
  result: 'refused',
  phase: 'mail',
  reply: { code: 421, enhanced: '4.7.0', text: 'too many messages' },
};

/** One call of `transmit`. */
export interface Transmission {
  readonly tenantId: string;
  readonly messageId: string;
  readonly recipient: string;
}

export interface PlayedUpstream extends Upstream {
  /** What has been given to it, in that order. */
  readonly seen: readonly Transmission[];
  /** Transmissions that have not been answered yet. */
  underWay(): number;
}

/** `answer` may wait as long as the test likes. `number` counts its calls from 1. */
export const playUpstream = (
  answer: (transmission: Transmission, number: number) => Transcript | Promise<Transcript>,
  { name = 'relay', concurrency = 48 }: { readonly name?: string; readonly concurrency?: number } = {},
): PlayedUpstream => {
  const seen: Transmission[] = [];
  let underWay = 0;
  return {
    name,
    kind: 'smtp',
    address: `${name}.test:25`,
    concurrency,
    smtpUtf8: null,
    learn: async () => {},
    probe: () => Promise.reject(new Error('nothing is asked here')),
    seen,
    underWay: () => underWay,
    transmit: async ({ recipient }, _message, { tenantId, messageId }) => {
      const transmission = { tenantId, messageId, recipient };
      seen.push(transmission);
      underWay += 1;
      try {
        return await answer(transmission, seen.length);
      } finally {
        underWay -= 1;
      }
    },
    describe: () => ({}),
    stop: async () => undefined,
  };
};

export const untilSeen = (upstream: PlayedUpstream, count: number): Promise<void> =>
  until(`${upstream.name} is given ${count} messages`, () => upstream.seen.length >= count);

/** For answers that wait; opened at the end of the test at the latest. */
export const createGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  onTestFinished(() => resolve());
  return { opened: promise, open: () => resolve() };
};

export const mailboxes = (count: number): Mailbox[] =>
  Array.from({ length: count }, (_, index) => parseAddress(`r${index}@example.org`));

/** Every turn of the event loop that could let something happen that should not. */
export const turns = async (count = 50): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

export interface Relay {
  readonly storage: Storage;
  readonly clock: TestClock;
  readonly upstreams: Upstreams;
  readonly dueRegistry: DueRegistry;
  readonly dispatcher: Dispatcher;
  readonly intake: IntakeContext;
  /** Messages of the log's errors. */
  readonly errors: readonly string[];
  createPractice(name: string): Promise<string>;
  send(tenantId: string, fields?: Partial<Draft>): Promise<Extract<Accepted, { kind: 'accepted' }>>;
  /** Moves the clock, and lets the dispatcher look at it. */
  pass(milliseconds: number): void;
  /** From now on a foreign program keeps the practice's file from being written, until the result is called. */
  lockFile(tenantId: string): () => void;
  queue(tenantId: string): Promise<readonly QueuedRow[]>;
  eventTypes(tenantId: string): Promise<readonly string[]>;
  /** Until nothing of the practice is queued. */
  untilSent(tenantId: string): Promise<void>;
  /** Until an error has been logged so often. */
  untilLogged(message: string, count?: number): Promise<void>;
  /** Until each place that is taken is a transmission: nothing is being claimed, composed or written down. */
  untilOnlyTransmitting(): Promise<void>;
  /** Practices that a restart would look at. */
  registered(): Promise<readonly string[]>;
}

export interface QueuedRow {
  readonly attempts: number;
  readonly claimed: number;
  readonly due_at: number;
}

/** The shortest that RSA-SHA256 can sign with in reasonable time; made once. */
const RSA_PAIR = generateKeyPairSync('rsa', { modulusLength: 1_024 });

const CONTENT_KEY = testSealingKey(3);
const SUPPRESSION_KEY = testTenantKey(4);

/** Throws where the content was blocked. */
export const acceptWhole = async (
  deps: IntakeContext,
  submission: Submission,
): Promise<Extract<Accepted, { kind: 'accepted' }>> => {
  const accepted = await accept(deps, submission);
  if (accepted.kind === 'blocked') throw accepted.error;
  return accepted;
};

/** The dispatcher is not started. */
export const createRelay = async (
  played: readonly PlayedUpstream[],
  options: {
    readonly for?: readonly (NamedMail | undefined)[];
    readonly disk?: Disk;
    readonly sign?: SignThreads['sign'];
    readonly runsTwice?: boolean;
  } = {},
): Promise<Relay> => {
  const directory = await temporaryDirectory();
  const storage = await openTestStorage(directory, { maxOpenTenants: 32, ...options });
  const clock = createTestClock();
  const errors: string[] = [];
  const destination = new Writable({
    write: (chunk, _, done) => {
      errors.push(JSON.parse(String(chunk)).msg);
      done();
    },
  });
  const log = createLog('error', destination);
  const entries = played.map((upstream, index) => ({
    upstream,
    acceptIsDelivery: false,
    for: options.for?.[index],
  }));
  const slugOf = (id: string) => storage.platform.peek((db) => registryStore(db).get(id)?.slug ?? null);
  const upstreams = createUpstreams(entries, slugOf, clock, log);
  const dueRegistry = createDueRegistry(storage.platform);
  const dispatcher = createDispatcher({
    files: storage.tenants,
    upstreams,
    policy: () => policy,
    clock,
    log,
    deliveries: deliveryDuration(),
    signersOf: createSigners(SEALING_KEY, { ed25519: false }).of,
    signThreads: { ...sharedSignThreads(), ...(options.sign && { sign: options.sign }) },
    returnPathKey: testTokenKeys(2),
    contentKey: CONTENT_KEY,
    suppressionKey: SUPPRESSION_KEY,
    unsubscribeUrl: () => 'https://mail.example.com/api/public/unsub?t=token',
    addresses: null,
    trackingLinks: createTrackingLinks('https://mail.example.com', testTokenKeys(5)),
    service: { name: 'Sendwerk', origin: 'https://mail.example.com' },
    simulatorDomain: 'simulator.mail.example.com',
    guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
    softBounces: () => ({ count: 5, days: 30 }),
  });
  const intake: IntakeContext = {
    utf8: { takes: () => false, learn: async () => {} },
    files: storage.tenants,
    clock,
    config: () => ({ ...SETTINGS, upstreams: [] }),
    simulatorDomain: 'simulator.mail.example.com',
    contentKey: CONTENT_KEY,
    content: createContentCheck(),
    requests: createRequestQueue(),
    limits: () => ({ ...defaultLimits, managed_host_mails: 1_000_000 }),
    suppressionKey: SUPPRESSION_KEY,
    answering: () => ({ takes: () => null, usual: () => null }),
    images: createImageLinks('https://mail.example.com', testTokenKeys(5)),
    isDkimBroken: () => false,
    usageReached: () => undefined,
    accepted: acceptedMessages(),
    brake: createBrake({
      counts: createTokenCounts(),
      limits: () => defaultLimits,
      notify: () => undefined,
    }),
    holdDue: dueRegistry.hold,
    claimAlong: dispatcher.claimAlong,
    stored: () => undefined,
    wake: (tenantId, lane, dueAt) => dispatcher.wake({ tenantId, lane }, dueAt),
  };
  // Before the storage is closed: what was registered last ends first.
  onTestFinished(() => dispatcher.stop(0));
  const queue = (tenantId: string) =>
    storage.tenants.read(tenantId, (db) =>
      db.prepare<[], QueuedRow>('SELECT attempts, claimed, due_at FROM queue ORDER BY recipient_id').all(),
    );
  return {
    storage,
    clock,
    upstreams,
    dueRegistry,
    dispatcher,
    intake,
    errors,
    createPractice: async (name) => {
      const deps = tenantDeps(storage, clock, { generateKeyPair: async () => RSA_PAIR });
      const { id } = await createTenant(deps, { name, plan: 'praxis', customDomain: null });
      await storage.tenants.write(id, (db) => {
        const legal = {
          legal_street: 'Am Markt 1',
          legal_city: 'Hamburg',
          legal_privacy_url: 'https://a.example/',
        };
        tenantStore(db).updatePractice({ ...tenantStore(db).practice(), ...legal });
      });
      return id;
    },
    send: (tenantId, fields = {}) =>
      acceptWhole(intake, {
        tenantId,
        projects: null,
        projectId: null,
        source: 'api',
        draft: { ...MESSAGE, ...fields },
        idempotency: null,
      }),
    pass: (milliseconds) => {
      clock.set(clock.now() + milliseconds);
      dispatcher.start();
    },
    lockFile: (tenantId) => {
      const foreign = new Database(join(directory, 'tenants', tenantId, 'tenant.db'));
      foreign.exec('BEGIN IMMEDIATE');
      const unlock = () => {
        foreign.close();
      };
      onTestFinished(unlock);
      return unlock;
    },
    queue,
    eventTypes: (tenantId) =>
      storage.tenants.read(tenantId, (db) =>
        db.prepare<[], string>('SELECT type FROM events ORDER BY seq').pluck().all(),
      ),
    untilSent: (tenantId) => until('nothing is queued', async () => (await queue(tenantId)).length === 0),
    untilLogged: (message, count = 1) =>
      until(message, () => errors.filter((said) => said === message).length >= count),
    untilOnlyTransmitting: () =>
      until('only transmissions are under way', () => {
        const underWay = played.reduce((sum, upstream) => sum + upstream.underWay(), 0);
        return underWay > 0 && dispatcher.describe().in_flight === underWay;
      }),
    registered: async () => {
      await dueRegistry.settle(dispatcher.nextDue);
      return [...(await createDueRegistry(storage.platform).load()).keys()];
    },
  };
};
