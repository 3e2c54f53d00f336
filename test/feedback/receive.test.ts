// A report and all that follows from it, in a practice's real file.

import { describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type ReceiveDeps, receiveReport } from '#src/feedback/receive.ts';
import type { Reporter } from '#src/feedback/reporter.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import type { Report } from '#src/feedback/rules.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { RecipientStatus } from '#src/mail/dsn.ts';
import type { ReportResult } from '#src/mail/reception.ts';
import { parseReply } from '#src/mail/reply.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { testTenantKey } from '#test/support/keys.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const said = (action: RecipientStatus['action'], line: string | null): Report => ({
  kind: 'delivery_status',
  words: '',
  recipients: [
    {
      action,
      status: null,
      finalRecipient: null,
      originalRecipient: null,
      comment: null,
      remoteMta: null,
      diagnostic: line === null ? null : parseReply([line]),
    },
  ],
});
const UNKNOWN = said('failed', '550 5.1.1 User unknown');
const FULL = said('failed', '552 5.2.2 Mailbox full');
const DELIVERED = said('delivered', null);
const COMPLAINT: Report = { kind: 'feedback', feedback: { feedbackType: 'abuse', originalMailFrom: null } };

/** A mail that SPF or DKIM proves to be of the domain. */
const reporter = (domain: string): Reporter => ({
  proof: async () => ({ domains: [domain], isUncertain: false }),
  mailHosts: async () => ({ kind: 'none', nameExists: true }),
});

const policy = { waits: [1], thenEvery: 1, jitter: 0, giveUpAfter: { 0: 1, 1: 1 } };
const SIMULATOR = 'simulator.mail.example.com';
const TABLES = [
  'events',
  'recipients',
  'messages',
  'queue',
  'counters',
  'suppressions',
  'soft_bounces',
] as const;
type State = Record<(typeof TABLES)[number], Record<string, unknown>[]>;

const stateStore = perConnection((db: TenantDb) => ({
  all: (): State =>
    Object.fromEntries(TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()])) as State,
}));

const scene = async (address = 'erika@example.org') => {
  const storage = await openTestStorage(await temporaryDirectory());
  const tenantId = await createSampleTenant(storage);
  const { recipientId, number } = await storage.tenants.write(tenantId, (db) => {
    const project = tenantStore(db).defaultProject();
    const routeId = tenantStore(db).defaultRoute().id;
    const message = queueMessage({ db, tenantId, projectId: project.id, routeId }, { recipients: [address] });
    return { recipientId: message.recipientIds[0] ?? 0, number: tenantStore(db).practice().number };
  });
  const deps: ReceiveDeps = {
    readPlatform: storage.platform.read,
    files: storage.tenants,
    clock: createTestClock(),
    suppressionKey: testTenantKey(1),
    simulatorDomain: SIMULATOR,
    guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
    softBounces: () => ({ count: 5, days: 30 }),
    feedbackSources: () => ['provider.example'],
  };
  const receive = (
    report: Report,
    target: { tenantNumber?: number; recipientId?: number } = {},
    sentBy = reporter('provider.example'),
  ): Promise<ReportResult> =>
    receiveReport(deps, { tenantNumber: number, recipientId, ...target }, report, sentBy);
  const state = (): Promise<State> => storage.tenants.read(tenantId, (db) => stateStore(db).all());
  const inFile = <T>(work: (db: TenantDb) => T): Promise<T> => storage.tenants.write(tenantId, work);
  return { receive, state, inFile, recipientId };
};

describe('a report of a bounce', () => {
  test('changes status, counters, suppressions and events in one transaction', async () => {
    const { receive, state } = await scene();
    expect(await receive(UNKNOWN)).toBe('changed');
    const { events, recipients, messages, counters, suppressions } = await state();
    expect(recipients[0]).toMatchObject({
      status: 'hard_bounced',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: 'User unknown',
    });
    expect(messages[0]).toMatchObject({ status: 'hard_bounced' });
    expect(counters[0]).toMatchObject({ hard_bounced: 1, delivered: 0 });
    expect(suppressions).toMatchObject([
      {
        address: 'erika@example.org',
        scope: 'team',
        reason: 'hard_bounce',
        source_message_id: messages[0]?.id,
      },
    ]);
    expect(events.map(({ type }) => type)).toEqual(['message.hard_bounced', 'suppression.added']);
    expect(JSON.parse(String(events[0]?.data_json))).toMatchObject({
      rule: 'unknown_address',
      smtp_code: 550,
    });
  });

  test('that quotes a sign-in link does not store the link', async () => {
    const { receive, state } = await scene();
    await receive(
      said('failed', '550 5.7.1 bad link http://mail.example.com/invitation/svc_inv_a1B2c3 in it'),
    );
    const { events, recipients } = await state();
    expect(recipients[0]?.diagnostic).toBe('bad link http://mail.example.com/invitation/[redacted] in it');
    expect(JSON.stringify(events)).not.toContain('a1B2c3');
  });

  test('that arrives twice changes nothing the second time', async () => {
    const { receive, state } = await scene();
    await receive(UNKNOWN);
    const before = await state();
    expect(await receive(UNKNOWN)).toBe('unchanged');
    expect(await state()).toEqual(before);
  });

  test('that arrives many times at once counts once', async () => {
    const { receive, state } = await scene();
    const received = await Promise.all(Array.from({ length: 20 }, () => receive(COMPLAINT)));
    expect(received.filter((one) => one === 'changed')).toHaveLength(1);
    const { counters, suppressions } = await state();
    expect(counters[0]).toMatchObject({ complaints: 1 });
    expect(suppressions).toHaveLength(1);
  });
});

describe('mail to the simulator', () => {
  test('is not counted and suppresses no address', async () => {
    const { receive, state } = await scene(`bounce@${SIMULATOR}`);
    for (const report of [DELIVERED, FULL, UNKNOWN, COMPLAINT]) expect(await receive(report)).toBe('changed');
    const { recipients, counters, suppressions, soft_bounces } = await state();
    expect(soft_bounces).toEqual([]);
    expect(recipients[0]).toMatchObject({ status: 'spam_complaint' });
    expect(counters).toEqual([]);
    expect(suppressions).toEqual([]);
  });
});

describe('a recipient whose mail was to be tried again', () => {
  test('gets no further copy once an outcome is reported', async () => {
    const { receive, state } = await scene();
    await receive(DELIVERED);
    expect((await state()).queue).toEqual([]);
  });

  test.each<[string, Report]>([
    ['delayed', said('delayed', '451 4.4.1 no answer')],
    ['automatically answered', { kind: 'auto_reply' }],
    ['complained of', COMPLAINT],
  ])('gets no further copy either if a report says that the mail was %s', async (_, report) => {
    const { receive, state } = await scene();
    await receive(report);
    expect((await state()).queue).toEqual([]);
  });

  test('has been sent the mail if the end of an attempt was never stored', async () => {
    const { receive, state, inFile } = await scene();
    await inFile((db) => {
      queueStore(db).claim(0, 1, 1_000, 1, policy);
      queueStore(db).releaseAll();
    });
    await receive(DELIVERED);
    const { events, counters, recipients } = await state();
    expect(events.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered']);
    expect(counters).toMatchObject([{ sent: 1, delivered: 1 }]);
    expect(recipients).toMatchObject([{ status: 'delivered' }]);
  });

  test('keeps its place in the queue while an attempt is in flight', async () => {
    const { receive, state, inFile } = await scene();
    await inFile((db) => queueStore(db).claim(0, 1, 1_000, 1, policy));
    await receive(DELIVERED);
    expect((await state()).queue).toMatchObject([{ claimed: 1 }]);
  });
});

describe('a report without a known recipient', () => {
  test.each([{ recipientId: 999_999 }, { tenantNumber: 999_999 }])('%o changes nothing', async (target) => {
    const { receive, state } = await scene();
    const before = await state();
    expect(await receive(UNKNOWN, target)).toBe('unknown');
    expect(await state()).toEqual(before);
  });

  test('a stray reply changes nothing', async () => {
    const { receive, state } = await scene();
    const before = await state();
    expect(await receive({ kind: 'other' })).toBe('unchanged');
    expect(await state()).toEqual(before);
  });
});

describe('a complaint of someone who is not proven', () => {
  test('suppresses and is shown, and counts nothing; one of the provider counts after it, once', async () => {
    const { receive, state } = await scene();
    expect(await receive(COMPLAINT, {}, reporter('stranger.example'))).toBe('changed');
    expect(await receive(COMPLAINT, {}, reporter('stranger.example'))).toBe('unchanged');
    const before = await state();
    expect(before.recipients[0]).toMatchObject({ status: 'spam_complaint' });
    expect(before.suppressions).toMatchObject([{ address: 'erika@example.org', reason: 'complaint' }]);
    expect(before.counters).toEqual([]);
    const [event] = before.events;
    expect(event).toMatchObject({ type: 'message.spam_complaint' });
    expect(JSON.parse(String(event?.data_json))).toMatchObject({
      counted: false,
      rule: 'reporter_not_proven',
      via: 'arf',
    });

    expect(await receive(COMPLAINT)).toBe('changed');
    expect(await receive(COMPLAINT)).toBe('unchanged');
    const after = await state();
    expect(after.counters).toMatchObject([{ complaints: 1 }]);
    expect(after.suppressions).toEqual(before.suppressions);
    const last = after.events.findLast(({ type }) => type === 'message.spam_complaint');
    const { counted, repeated, rule } = JSON.parse(String(last?.data_json));
    expect([counted, repeated, rule]).toEqual([undefined, true, undefined]);
  });

  test('a bounce needs no proof, and asks for none', async () => {
    const { receive, state } = await scene();
    const asked = async (): Promise<never> => {
      throw new Error('asked the DNS');
    };
    expect(await receive(UNKNOWN, {}, { proof: asked, mailHosts: asked })).toBe('changed');
    expect((await state()).counters).toMatchObject([{ hard_bounced: 1 }]);
  });
});
