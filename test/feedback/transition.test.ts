// The status machine on a practice's real file: attempts claimed and settled as the dispatcher does it, reports by mail and
// by HTTP, opens, clicks and unsubscribes by their own ways in, rows read back from the tables.
// @module-tag slow

import { beforeEach, describe, expect, test } from 'vitest';
import { type CountedOutcome, countedOutcomes, counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createSigners } from '#src/domains/keys/signers.ts';
import { applySignal } from '#src/feedback/apply-signal.ts';
import { applyReport, type Source } from '#src/feedback/receive.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import type { Report } from '#src/feedback/rules.ts';
import { copyOf, unsubscribe } from '#src/feedback/unsubscribe/unsubscribe.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import { createTrackingLinks } from '#src/mail/copy-links.ts';
import { parseReply } from '#src/mail/reply.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import { after, messageStatus, type Signal, type Status, statusOf } from '#src/messages/rules.ts';
import { messageStore } from '#src/messages/store.ts';
import { type ClaimDeps, claimDue } from '#src/relay/claim.ts';
import type { Outcome } from '#src/relay/outcome.ts';
import { settle } from '#src/relay/settle.ts';
import { testSealingKey, testTenantKey, testTokenKeys } from '#test/support/keys.ts';
import { sharedSignThreads } from '#test/support/sign-threads.ts';
import { openTenantDb, queueMessage, type SampleTenant, SEALING_KEY } from '#test/support/storage.ts';

const patient: RetryPolicy = {
  waits: [MINUTE],
  thenEvery: MINUTE,
  jitter: 0,
  giveUpAfter: { 0: 900 * HOUR, 1: 900 * HOUR },
};
const impatient: RetryPolicy = { ...patient, giveUpAfter: { 0: 1, 1: 1 } };
const START = 1_700_000_000_000;

const signalDeps = {
  suppressionKey: testTenantKey(1),
  simulatorDomain: 'simulator.mail.example.com',
  guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
  softBounces: () => ({ count: 5, days: 30 }),
};

const outcomes = {
  accepted: { kind: 'accepted', reply: parseReply(['250 2.0.0 queued']), dsnRequested: true },
  deferred: { kind: 'deferred', reply: parseReply(['451 4.7.1 later']), diagnostic: '451 4.7.1 later' },
  broken: { kind: 'deferred', reply: null, diagnostic: 'timed out (waiting for dot)' },
  down: { kind: 'upstream_failure', reply: null, diagnostic: 'connection refused' },
  refused_hard: {
    kind: 'bounced',
    class: 'hard',
    rule: 'unknown_address',
    reply: parseReply(['550 5.1.1 no such user']),
  },
  refused_soft: {
    kind: 'bounced',
    class: 'soft',
    rule: 'mailbox_full',
    reply: parseReply(['552 5.2.2 mailbox full']),
  },
} satisfies Record<string, Outcome>;

const dsn = (action: 'delivered' | 'delayed' | 'failed', line: string): Report => ({
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
      diagnostic: parseReply([line]),
    },
  ],
});
const reported = (signal: Signal): Report => ({
  kind: 'relay_event',
  found: { signal, reply: null, rule: null },
});
const byHttp: Source = { via: 'http', upstream: 'relay' };

/** What others report, each in every way in which it can come. */
const reports = {
  delivered: [dsn('delivered', '250 2.0.0 stored'), reported('delivered')],
  delayed: [dsn('delayed', '451 4.4.1 no answer'), reported('delayed')],
  hard_bounced: [dsn('failed', '550 5.1.1 no such user'), reported('hard_bounced')],
  soft_bounced: [dsn('failed', '552 5.2.2 mailbox full'), reported('soft_bounced')],
  spam_complaint: [
    { kind: 'feedback', feedback: { feedbackType: 'abuse', originalMailFrom: null } },
    reported('spam_complaint'),
  ],
  auto_replied: [{ kind: 'auto_reply' }],
} satisfies Partial<Record<Signal, Report[]>>;

type Reported = keyof typeof reports;
type Done = 'opened' | 'clicked' | 'prefetched' | 'unsubscribed' | 'unsubscribed_all' | 'opted_out';
type Attempted = keyof typeof outcomes | 'accepted_as_delivery' | 'given_up' | 'died';
/** One thing that happens, to the recipient of that index. */
type Step =
  | { readonly of: number; readonly claim: true }
  | { readonly of: number; readonly attempt: Attempted }
  | { readonly of: number; readonly reported: Reported; readonly way: number }
  | { readonly of: number; readonly does: Done };

const rowStore = perConnection((db: TenantDb) => {
  const events = db.prepare<[number], { recipient_id: number; type: string; data_json: string }>(
    'SELECT recipient_id, type, data_json FROM events WHERE message_seq = ?',
  );
  const suppressions = db.prepare<[string], { scope: string; route_id: string | null; reason: string }>(
    'SELECT scope, route_id, reason FROM suppressions WHERE address = ? ORDER BY scope',
  );
  const counters = db.prepare<[string], Record<CountedOutcome, number>>(
    `SELECT ${countedOutcomes.map((outcome) => `coalesce(sum(${outcome}), 0) AS ${outcome}`).join(', ')} FROM counters WHERE route_id = ?`,
  );
  const added = db
    .prepare<[number, string], number>(
      `SELECT count(*) FROM events
       WHERE seq > ? AND type = 'suppression.added' AND data_json ->> '$.suppression.address' = ?`,
    )
    .pluck();
  const last = db.prepare<[], number>('SELECT max(seq) FROM events').pluck();
  const all = db.prepare<[], unknown>(
    'SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM suppressions) AS suppressions',
  );
  return {
    events: (seq: number) => events.all(seq),
    suppressions: (address: string) => suppressions.all(address),
    counters: (routeId: string) => {
      counterStore(db).write();
      return counters.get(routeId);
    },
    added: (after: number, address: string) => added.get(after, address),
    lastSeq: () => last.get() ?? 0,
    sums: () => all.get(),
  };
});

let tenant: SampleTenant;
let claimDeps: ClaimDeps;
beforeEach(async () => {
  tenant = await openTenantDb();
  claimDeps = {
    ...signalDeps,
    signersOf: createSigners(SEALING_KEY, { ed25519: true }).of,
    signThreads: sharedSignThreads(),
    returnPathKey: testTokenKeys(2),
    contentKey: testSealingKey(3),
    unsubscribeUrl: () => 'https://mail.example.com/api/public/unsub?t=token',
    addresses: null,
    trackingLinks: createTrackingLinks('https://mail.example.com', testTokenKeys(5)),
    service: { name: 'Sendwerk', origin: 'https://mail.example.com' },
  };
});

/** A message on a route of its own, so that its counters are its own. */
const newScene = (recipientCount: number) => {
  const { db } = tenant;
  const routeId = newId();
  const address = (index: number) => `r${index}-${routeId}@example.org`;
  db.transaction(() =>
    tenantStore(db).insertRoute({
      id: routeId,
      slug: `r-${routeId}`,
      name: 'Route',
      type: 'transactional',
      project_id: null,
      is_default: 0,
      track_opens: 0,
      track_clicks: 0,
      plain_text_fallback: 1,
      created_at: 0,
    }),
  )();
  const addresses = Array.from({ length: recipientCount }, (_, index) => address(index));
  const { seq, recipientIds } = queueMessage({ ...tenant, routeId }, { recipients: addresses, now: START });
  const since = rowStore(db).lastSeq();
  let now = START;
  const rows = new Map<number, QueueRow>();
  const idOf = (index: number): number => recipientIds[index] ?? 0;

  const claim = (index: number): void => {
    // The others of the message wait for their turn.
    for (const id of recipientIds) {
      const waiting = queueStore(db).row(id);
      if (waiting?.claimed === 0)
        queueStore(db).release(id, waiting.attempts, id === idOf(index) ? now : now + 800 * HOUR);
    }
    const request = { tenantId: tenant.tenantId, lane: 0, limit: 1, byteBudget: 1e6, now, policy: patient };
    const [claimed] = claimDue(db, { ...request, lane: 0 }, claimDeps).claimed;
    if (claimed) rows.set(index, claimed.row);
    else rows.delete(index);
  };

  const attempt = (index: number, name: Attempted): void => {
    const row = rows.get(index);
    if (!row) return;
    rows.delete(index);
    // What the process knew is lost with it; the next one puts the claim back.
    if (name === 'died') {
      queueStore(db).giveBack(row, row.attempts, now);
      return;
    }
    const isPresumed = name === 'accepted_as_delivery';
    const outcome: Outcome = outcomes[isPresumed ? 'accepted' : name === 'given_up' ? 'deferred' : name];
    const policy = name === 'given_up' ? impatient : patient;
    const facts = { row, outcome, upstream: 'relay', acceptIsDelivery: isPresumed, upstreamWorks: true };
    settle(db, { ...signalDeps, ...facts }, policy, now);
  };

  const does = (index: number, what: Done): void => {
    const recipient = messageStore(db).recipient(idOf(index));
    const copy = copyOf(db, idOf(index));
    if (!recipient || !copy) throw new Error('no such copy');
    switch (what) {
      case 'opened':
      case 'clicked':
        applySignal(db, recipient, { signal: what, data: { url: 'https://example.org/' } }, signalDeps, now);
        return;
      case 'prefetched':
        applySignal(db, recipient, { signal: 'opened', data: { bot: true } }, signalDeps, now);
        return;
      case 'opted_out': {
        const feedback = { feedbackType: 'opt-out', originalMailFrom: null };
        applyReport(db, idOf(index), { kind: 'feedback', feedback }, 'proven', signalDeps, now);
        return;
      }
      default:
        unsubscribe(db, copy, { scope: what === 'unsubscribed' ? 'route' : 'team' }, signalDeps, now);
    }
  };

  const playReport = (index: number, what: Reported, way: number): void => {
    const ways: readonly Report[] = reports[what];
    const report = ways[way % ways.length];
    if (!report) throw new Error('no such way');
    const source = report.kind === 'relay_event' ? byHttp : 'proven';
    applyReport(db, idOf(index), report, source, signalDeps, now);
  };

  const playOne = (step: Step): void => {
    now += HOUR;
    if ('claim' in step) claim(step.of);
    else if ('attempt' in step) attempt(step.of, step.attempt);
    else if ('reported' in step) playReport(step.of, step.reported, step.way);
    else does(step.of, step.does);
  };
  const play = (steps: readonly Step[]): void => {
    db.transaction(() => {
      for (const step of steps) playOne(step);
    })();
  };

  const namesOf = (id: number, isRepeated = false): string[] => {
    const reported = rowStore(db)
      .events(seq)
      .filter(({ recipient_id, data_json }) => {
        const { bot, repeated } = JSON.parse(data_json ?? '{}');
        return recipient_id === id && !bot && (isRepeated || !repeated);
      });
    return reported.map(({ type }) => type);
  };

  const outcome = () => ({
    message: messageStore(db).bySeq(seq)?.status,
    recipients: addresses.map((one, index) => ({
      status: messageStore(db).recipient(idOf(index))?.status,
      events: [...new Set(namesOf(idOf(index)))].toSorted(),
      suppressions: rowStore(db)
        .suppressions(one)
        .map((row) => ({ ...row, route_id: row.route_id === routeId ? 'own' : row.route_id })),
      suppressions_told: rowStore(db).added(since, one),
    })),
    counters: rowStore(db).counters(routeId),
    queued: recipientIds.filter((id) => queueStore(db).row(id)).length,
  });
  return {
    play,
    outcome,
    /** Of the first recipient, in the order they were reported. */
    events: () => namesOf(idOf(0), true),
    /** Without those that are marked as reported before. */
    news: () => namesOf(idOf(0)),
    recipient: () => messageStore(db).recipient(idOf(0)),
  };
};

const claimed: Step = { of: 0, claim: true };
const tried = (attempt: Attempted): Step[] => [claimed, { of: 0, attempt }];
const receives = (what: Reported, way = 0): Step => ({ of: 0, reported: what, way });
const person = (does: Done): Step => ({ of: 0, does });

describe('a row of the table of decisions, in the tables', () => {
  const rows: readonly {
    name: string;
    before: readonly Step[];
    next: readonly Step[];
    status: Status;
    event: string;
    suppressed?: string;
    counted: Partial<Record<CountedOutcome, number>>;
  }[] = [
    {
      name: 'queued, 2xx',
      before: [],
      next: tried('accepted'),
      status: 'processed',
      event: 'message.sent',
      counted: { sent: 1 },
    },
    {
      name: 'queued, 4xx',
      before: [],
      next: tried('deferred'),
      status: 'delivery_delayed',
      event: 'message.delivery_delayed',
      counted: {},
    },
    {
      name: 'queued, out of reach',
      before: [],
      next: tried('down'),
      status: 'delivery_delayed',
      event: 'message.delivery_delayed',
      counted: {},
    },
    {
      name: 'delayed, 2xx',
      before: tried('deferred'),
      next: tried('accepted'),
      status: 'processed',
      event: 'message.sent',
      counted: { sent: 1 },
    },
    {
      name: 'queued, 5xx of the address',
      before: [],
      next: tried('refused_hard'),
      status: 'hard_bounced',
      event: 'message.hard_bounced',
      suppressed: 'hard_bounce',
      counted: { refused: 1, hard_bounced: 1 },
    },
    {
      name: 'delayed, 5xx of the address',
      before: tried('deferred'),
      next: tried('refused_hard'),
      status: 'hard_bounced',
      event: 'message.hard_bounced',
      suppressed: 'hard_bounce',
      counted: { refused: 1, hard_bounced: 1 },
    },
    {
      name: 'queued, another 5xx',
      before: [],
      next: tried('refused_soft'),
      status: 'soft_bounced',
      event: 'message.soft_bounced',
      counted: { refused: 1, soft_bounced: 1 },
    },
    {
      name: 'delayed, attempts exhausted',
      before: tried('deferred'),
      next: tried('given_up'),
      status: 'failed',
      event: 'message.failed',
      counted: {},
    },
    {
      name: 'queued, 2xx that is delivery',
      before: [],
      next: tried('accepted_as_delivery'),
      status: 'delivered',
      event: 'message.delivered',
      counted: { sent: 1, delivered: 1 },
    },
    {
      name: 'processed, success notice',
      before: tried('accepted'),
      next: [receives('delivered')],
      status: 'delivered',
      event: 'message.delivered',
      counted: { sent: 1, delivered: 1 },
    },
    {
      name: 'processed, delay notice',
      before: tried('accepted'),
      next: [receives('delayed')],
      status: 'delivery_delayed',
      event: 'message.delivery_delayed',
      counted: { sent: 1 },
    },
    {
      name: 'delivered by a 2xx, delay notice',
      before: tried('accepted_as_delivery'),
      next: [receives('delayed')],
      status: 'delivery_delayed',
      event: 'message.delivery_delayed',
      counted: { sent: 1, delivered: 1 },
    },
    {
      name: 'delay notice, then success',
      before: [...tried('accepted'), receives('delayed')],
      next: [receives('delivered')],
      status: 'delivered',
      event: 'message.delivered',
      counted: { sent: 1, delivered: 1 },
    },
    {
      name: 'processed, failure of the address',
      before: tried('accepted'),
      next: [receives('hard_bounced')],
      status: 'hard_bounced',
      event: 'message.hard_bounced',
      suppressed: 'hard_bounce',
      counted: { sent: 1, hard_bounced: 1 },
    },
    {
      name: 'delivered, another failure',
      before: [...tried('accepted'), receives('delivered')],
      next: [receives('soft_bounced')],
      status: 'soft_bounced',
      event: 'message.soft_bounced',
      counted: { sent: 1, delivered: 1, soft_bounced: 1 },
    },
    {
      name: 'delay notice, failure of the address',
      before: [...tried('accepted'), receives('delayed')],
      next: [receives('hard_bounced')],
      status: 'hard_bounced',
      event: 'message.hard_bounced',
      suppressed: 'hard_bounce',
      counted: { sent: 1, hard_bounced: 1 },
    },
    {
      name: 'processed, automatic reply',
      before: tried('accepted'),
      next: [receives('auto_replied')],
      status: 'auto_replied',
      event: 'message.auto_replied',
      counted: { sent: 1 },
    },
    {
      name: 'delivered, automatic reply',
      before: [...tried('accepted'), receives('delivered')],
      next: [receives('auto_replied')],
      status: 'auto_replied',
      event: 'message.auto_replied',
      counted: { sent: 1, delivered: 1 },
    },
    {
      name: 'processed, opened',
      before: tried('accepted'),
      next: [person('opened')],
      status: 'opened',
      event: 'message.opened',
      counted: { sent: 1, opens: 1 },
    },
    {
      name: 'processed, clicked: an open too',
      before: tried('accepted'),
      next: [person('clicked')],
      status: 'clicked',
      event: 'message.clicked',
      counted: { sent: 1, opens: 1, clicks: 1 },
    },
    {
      name: 'opened, complaint',
      before: [...tried('accepted'), person('opened')],
      next: [receives('spam_complaint')],
      status: 'spam_complaint',
      event: 'message.spam_complaint',
      suppressed: 'complaint',
      counted: { sent: 1, opens: 1, complaints: 1 },
    },
    {
      name: 'clicked, unsubscribed',
      before: [...tried('accepted'), person('clicked')],
      next: [person('unsubscribed')],
      status: 'unsubscribed',
      event: 'message.unsubscribed',
      suppressed: 'unsubscribe',
      counted: { sent: 1, opens: 1, clicks: 1, unsubscribes: 1 },
    },
    {
      name: 'processed, unsubscribed from all',
      before: tried('accepted'),
      next: [person('unsubscribed_all')],
      status: 'unsubscribed',
      event: 'message.unsubscribed',
      suppressed: 'unsubscribe_all',
      counted: { sent: 1, unsubscribes: 1 },
    },
  ];
  test.each(rows)('$name: $status by $event', ({ before, next, status, event, suppressed, counted }) => {
    const scene = newScene(1);
    scene.play(before);
    const earlier = scene.events().length;
    scene.play(next);
    const { message, recipients, counters } = scene.outcome();
    expect([message, recipients[0]?.status]).toEqual([status, status]);
    expect(scene.events().slice(earlier)).toContain(event);
    expect(recipients[0]?.suppressions.map(({ reason }) => reason)).toEqual(suppressed ? [suppressed] : []);
    const none = Object.fromEntries(countedOutcomes.map((outcome) => [outcome, 0]));
    expect(counters).toEqual({ ...none, ...counted });
  });
});

describe('a report about an attempt whose end was never stored', () => {
  test('after a crash proves that the mail was sent, so it is not sent again', () => {
    const scene = newScene(1);
    scene.play([claimed, receives('delivered'), { of: 0, attempt: 'died' } as const, claimed]);
    expect(scene.events()).toEqual(['message.delivered', 'message.sent']);
    expect(scene.outcome()).toMatchObject({ queued: 0, counters: { sent: 1, delivered: 1 } });
  });

  test('while the next attempt is in flight and then deferred ends the mail', () => {
    const scene = newScene(1);
    scene.play([...tried('broken'), claimed, receives('delivered'), { of: 0, attempt: 'deferred' } as const]);
    expect(scene.events()).toEqual(['message.delivery_delayed', 'message.delivered', 'message.sent']);
    expect(scene.outcome()).toMatchObject({ message: 'delivered', queued: 0, counters: { sent: 1 } });
  });

  test('does not count a mail that was never tried as sent', () => {
    const scene = newScene(1);
    scene.play([person('unsubscribed'), claimed]);
    expect(scene.outcome()).toMatchObject({ queued: 0, counters: { sent: 0, unsubscribes: 1 } });
    const other = newScene(1);
    other.play([receives('delivered'), claimed]);
    expect(other.outcome()).toMatchObject({ queued: 0, counters: { sent: 0, delivered: 1 } });
  });
});

test('a repeated event is kept and marked: a success notice after a 2xx that was delivery, a second deferral', () => {
  const scene = newScene(1);
  scene.play([
    ...tried('deferred'),
    ...tried('deferred'),
    ...tried('accepted_as_delivery'),
    receives('delivered'),
  ]);
  const delayed = 'message.delivery_delayed';
  expect(scene.events()).toEqual([
    delayed,
    delayed,
    'message.sent',
    'message.delivered',
    'message.delivered',
  ]);
  expect(scene.news()).toEqual([delayed, 'message.sent', 'message.delivered']);
});

test('a 250 that is stored late does not hide why the mail bounced', () => {
  const scene = newScene(1);
  scene.play([claimed, receives('hard_bounced'), { of: 0, attempt: 'accepted' } as const]);
  expect(scene.recipient()).toMatchObject({
    status: 'hard_bounced',
    smtp_code: 550,
    diagnostic: 'no such user',
  });
});

test.each<[string, Reported]>([
  ['delivered', 'delivered'],
  ['delayed', 'delayed'],
  ['bounced', 'hard_bounced'],
  ['complained of', 'spam_complaint'],
])('the same fact by mail and by HTTP, %s: the second changes nothing', (_, what) => {
  for (const ways of [
    [0, 1],
    [1, 0],
  ] as const) {
    const scene = newScene(1);
    scene.play([...tried('accepted'), receives(what, ways[0])]);
    const before = [scene.outcome(), scene.recipient(), rowStore(tenant.db).sums()];
    scene.play([receives(what, ways[1])]);
    expect([scene.outcome(), scene.recipient(), rowStore(tenant.db).sums()]).toEqual(before);
  }
});

/** Small and repeatable: a linear congruential generator. */
const createRandom = (seed: number) => {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(random() * most);
  return { random, below, pick: <T>(list: readonly T[]): T => list[below(list.length)] as T };
};
type Random = ReturnType<typeof createRandom>;

/** What happens to one recipient, whatever its order. */
interface Fortune {
  /** Before anybody can have the mail. */
  readonly deferrals: readonly Attempted[];
  /** Processes that died after the upstream's 250, before they wrote it down. */
  readonly deaths: number;
  readonly last: Attempted;
  readonly reported: readonly Reported[];
  readonly done: readonly Done[];
}

const fortuneOf = (random: Random): Fortune => {
  const last = random.pick([
    'accepted',
    'accepted',
    'accepted',
    'accepted_as_delivery',
    'refused_hard',
    'refused_soft',
    'given_up',
  ] as const);
  const some = <T>(list: readonly T[]): T[] => list.filter(() => random.random() < 0.35);
  return {
    deferrals: Array.from({ length: random.below(3) }, () =>
      random.pick(['deferred', 'broken', 'down'] as const),
    ),
    deaths: last === 'accepted' ? random.below(2) : 0,
    last,
    reported: some(Object.keys(reports) as Reported[]),
    done: some(['opened', 'clicked', 'prefetched', 'unsubscribed', 'unsubscribed_all', 'opted_out'] as const),
  };
};

/** One possible order. Reports of others come after the mail can have arrived, also before we know that it has. */
const orderOf = (of: number, fortune: Fortune, random: Random, isPlain: boolean): Step[] => {
  const { deferrals, deaths, last, reported, done } = fortune;
  const claim: Step = { of, claim: true };
  const first = deferrals.flatMap((attempt): Step[] => [claim, { of, attempt }]);
  const died = Array.from({ length: isPlain ? 0 : deaths }, (): Step[] => [
    claim,
    { of, attempt: 'died' },
  ]).flat();
  const end: Step[] = [...died, claim, { of, attempt: last }];
  const times = () => (isPlain ? 1 : 1 + random.below(3));
  const received = [
    ...reported.flatMap((what) =>
      Array.from(
        { length: times() },
        (): Step => ({ of, reported: what, way: isPlain ? 0 : random.below(2) }),
      ),
    ),
    ...done.flatMap((does) => Array.from({ length: times() }, (): Step => ({ of, does }))),
  ];
  if (isPlain) return [...first, ...end, ...received];
  // We give up only if no signal says otherwise; so a signal before the end would change the end itself.
  const from = last === 'given_up' ? end.length : 1;
  const steps = [...end];
  for (const step of received) {
    const at = from + random.below(steps.length - from + 1);
    steps.splice(at, 0, step);
  }
  return [...first, ...steps];
};

const interleaved = (orders: readonly (readonly Step[])[], random: Random): Step[] => {
  const left = orders.map((order) => [...order]).filter((order) => order.length > 0);
  const steps: Step[] = [];
  while (left.length > 0) {
    const order = random.pick(left);
    steps.push(order.shift() as Step);
    if (order.length === 0) left.splice(left.indexOf(order), 1);
  }
  return steps;
};

const signalOfAttempt: Readonly<Record<Attempted, readonly Signal[]>> = {
  accepted: ['accepted'],
  accepted_as_delivery: ['accepted', 'presumed'],
  deferred: ['deferred'],
  broken: ['deferred'],
  down: ['deferred'],
  refused_hard: ['hard_bounced'],
  refused_soft: ['soft_bounced'],
  given_up: ['failed'],
  died: [],
};
const signalOfDone: Readonly<Record<Done, readonly Signal[]>> = {
  opened: ['opened'],
  clicked: ['clicked'],
  prefetched: [],
  unsubscribed: ['unsubscribed'],
  unsubscribed_all: ['unsubscribed'],
  opted_out: ['unsubscribed'],
};

/** Said once more, from the signals alone. */
const expectedOf = (fortunes: readonly Fortune[]) => {
  const signals = fortunes.map(({ deferrals, last, reported, done }): Signal[] => [
    ...deferrals.flatMap((attempt) => signalOfAttempt[attempt]),
    ...signalOfAttempt[last],
    ...reported,
    ...done.flatMap((does) => signalOfDone[does]),
  ]);
  const statuses = signals.map((received) => statusOf(received.reduce(after, 'queued')));
  const having = (...wanted: Signal[]) =>
    signals.filter((received) => received.some((signal) => wanted.includes(signal))).length;
  return {
    message: messageStatus(statuses),
    recipients: statuses.map((status) => ({ status })),
    queued: 0,
    counters: {
      sent: having('accepted'),
      refused: fortunes.filter(({ last }) => last.startsWith('refused')).length,
      delivered: having('delivered', 'presumed'),
      hard_bounced: having('hard_bounced'),
      soft_bounced: having('soft_bounced'),
      complaints: having('spam_complaint'),
      unsubscribes: having('unsubscribed'),
      opens: having('opened', 'clicked'),
      clicks: having('clicked'),
    },
  };
};

test('signals in any order and any number lead to the same rows in every table', () => {
  const random = createRandom(6);
  for (let round = 0; round < 250; round++) {
    const fortunes = Array.from({ length: 1 + random.below(3) }, () => fortuneOf(random));
    const plain = newScene(fortunes.length);
    for (const [of, fortune] of fortunes.entries()) plain.play(orderOf(of, fortune, random, true));
    const wanted = plain.outcome();
    expect(wanted, JSON.stringify(fortunes)).toMatchObject(expectedOf(fortunes));
    for (let order = 0; order < 2; order++) {
      const steps = interleaved(
        fortunes.map((fortune, of) => orderOf(of, fortune, random, false)),
        random,
      );
      const scene = newScene(fortunes.length);
      scene.play(steps);
      expect(scene.outcome(), `${round}: ${JSON.stringify(steps)}`).toEqual(wanted);
    }
  }
}, 60_000);
