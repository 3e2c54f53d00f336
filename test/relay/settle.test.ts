import { beforeEach, describe, expect, test } from 'vitest';
import { counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { eventStore } from '#src/events/store.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { parseReply } from '#src/mail/reply.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import type { Status } from '#src/messages/rules.ts';
import { messageStore } from '#src/messages/store.ts';
import type { Outcome } from '#src/relay/outcome.ts';
import { settle } from '#src/relay/settle.ts';
import { testTenantKey } from '#test/support/keys.ts';
import { openTenantDb, queueMessage, type SampleMessage, type SampleTenant } from '#test/support/storage.ts';

const policy: RetryPolicy = {
  waits: [MINUTE],
  thenEvery: MINUTE,
  jitter: 0,
  giveUpAfter: { 0: HOUR, 1: HOUR },
};
const replyOf = (line: string) => parseReply([line]);

const ACCEPTED: Outcome = { kind: 'accepted', reply: replyOf('250 2.0.0 queued'), dsnRequested: false };
const DEFERRED: Outcome = {
  kind: 'deferred',
  reply: replyOf('451 4.7.1 later'),
  diagnostic: '451 4.7.1 later (to rcpt)',
};
const BROKEN: Outcome = { kind: 'deferred', reply: null, diagnostic: 'timed out (waiting for dot)' };
const HARD: Outcome = {
  kind: 'bounced',
  class: 'hard',
  rule: 'bad_mailbox',
  reply: replyOf('550 5.1.1 no such user'),
};
const SOFT: Outcome = { kind: 'bounced', class: 'soft', rule: 'full', reply: replyOf('552 5.2.2 full') };
const UPSTREAM: Outcome = { kind: 'upstream_failure', reply: null, diagnostic: 'connection refused' };

let tenant: SampleTenant;
let message: SampleMessage;
beforeEach(async () => {
  tenant = await openTenantDb();
  message = queueMessage(tenant, { recipients: ['anna@example.org', 'berta@example.org'] });
});

const claim = (now: number): QueueRow => {
  const [row] = queueStore(tenant.db).claim(0, 1, 1_000, now, policy);
  if (!row) throw new Error('nothing is due');
  return row;
};
/** In no outage: another message may go at once. */
const facts = {
  upstream: 'relay',
  simulatorDomain: 'simulator.mail.example.com',
  guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
  softBounces: () => ({ count: 5, days: 30 }),
  suppressionKey: testTenantKey(4),
};
const settleAt = (now: number, row: QueueRow, outcome: Outcome, acceptIsDelivery = false) =>
  settle(tenant.db, { ...facts, row, outcome, acceptIsDelivery, upstreamWorks: true }, policy, now);
const settleInOutage = (now: number, row: QueueRow, outcome: Outcome) =>
  settle(tenant.db, { ...facts, row, outcome, acceptIsDelivery: false, upstreamWorks: false }, policy, now);
const recipient = (row: QueueRow) => messageStore(tenant.db).recipient(row.recipient_id);
const events = () =>
  eventStore(tenant.db)
    .ofMessage(message.seq, 0, 100)
    .map(({ type, recipient: address, data_json }) => ({ type, address, ...JSON.parse(data_json ?? '{}') }));
const queued = (row: QueueRow) =>
  tenant.db
    .prepare('SELECT attempts, due_at, claimed FROM queue WHERE recipient_id = ?')
    .get(row.recipient_id);

test('a reply that quotes a link of the service is kept without what lets someone in', () => {
  const row = claim(0);
  const text =
    '554 5.7.1 bad link http://mail.example.com/invitation/svc_inv_0123456789abcdefghijABCDEFGHIJ in it';
  settleAt(0, row, { kind: 'bounced', class: 'soft', rule: 'full', reply: replyOf(text) });
  const kept = [recipient(row)?.diagnostic, events()[0]?.diagnostic];
  expect(kept).toEqual(Array(2).fill('bad link http://mail.example.com/invitation/[redacted] in it'));
});

test('a failure of the relay is shown without its words, which name the operator’s network and account', () => {
  const row = claim(0);
  settleAt(0, row, {
    kind: 'upstream_failure',
    reply: replyOf('535 5.7.8 clinic-relay@operator.example: no such account'),
    diagnostic: 'connect ECONNREFUSED 10.0.0.5:25 (waiting for connect)',
  });
  const told = 'the relay cannot be used at the moment';
  expect(recipient(row)).toMatchObject({ diagnostic: told, smtp_code: 535, enhanced_code: '5.7.8' });
  expect(events()).toMatchObject([{ type: 'message.delivery_delayed', diagnostic: told, smtp_code: 535 }]);
});

describe('the first attempt', () => {
  const NOW = 5_000;
  test.each<{
    name: string;
    outcome: Outcome;
    acceptIsDelivery?: boolean;
    status: Status;
    types: string[];
    next: { attempts: number; due_at: number } | null;
  }>([
    { name: 'was taken', outcome: ACCEPTED, status: 'processed', types: ['message.sent'], next: null },
    {
      name: 'was taken, which is delivery',
      outcome: ACCEPTED,
      acceptIsDelivery: true,
      status: 'delivered',
      types: ['message.sent', 'message.delivered'],
      next: null,
    },
    {
      name: 'was deferred: again after the wait',
      outcome: DEFERRED,
      status: 'delivery_delayed',
      types: ['message.delivery_delayed'],
      next: { attempts: 1, due_at: NOW + MINUTE },
    },
    {
      name: 'broke after the final dot',
      outcome: BROKEN,
      status: 'delivery_delayed',
      types: ['message.delivery_delayed'],
      next: { attempts: 1, due_at: NOW + MINUTE },
    },
    {
      name: 'bounced hard',
      outcome: HARD,
      status: 'hard_bounced',
      types: ['message.hard_bounced'],
      next: null,
    },
    {
      name: 'bounced softly',
      outcome: SOFT,
      status: 'soft_bounced',
      types: ['message.soft_bounced'],
      next: null,
    },
    {
      name: 'failed by the upstream: due at once, and no attempt of the message',
      outcome: UPSTREAM,
      status: 'delivery_delayed',
      types: ['message.delivery_delayed'],
      next: { attempts: 0, due_at: NOW },
    },
  ])('$name', ({ outcome, acceptIsDelivery = false, status, types, next }) => {
    const row = claim(NOW - 1);
    expect(settleAt(NOW, row, outcome, acceptIsDelivery)).toBe(next?.due_at ?? null);
    expect(recipient(row)).toMatchObject({
      status,
      attempts: next?.attempts ?? 1,
      upstream: 'relay',
      smtp_code: outcome.reply?.code ?? null,
      enhanced_code: outcome.reply?.enhanced ?? null,
      updated_at: NOW,
    });
    expect(events().map(({ type, address, attempt }) => `${type} ${address} ${attempt}`)).toEqual(
      types.map((type) => `${type} anna@example.org 1`),
    );
    expect(queued(row)).toEqual(next === null ? undefined : { ...next, claimed: 0 });
  });

  test('keeps what the other side said and the rule that judged it', () => {
    const row = claim(0);
    settleAt(1, row, HARD);
    expect(events()).toEqual([
      expect.objectContaining({
        smtp_code: 550,
        enhanced_code: '5.1.1',
        diagnostic: expect.stringContaining('no such user'),
        rule: 'bad_mailbox',
        upstream: 'relay',
      }),
    ]);
  });

  test('changes nothing of the other recipients, and the message follows the highest', () => {
    const row = claim(0);
    settleAt(1, row, ACCEPTED);
    const statuses = messageStore(tenant.db).recipients(message.seq);
    expect(statuses.map(({ address, status }) => `${address} ${status}`)).toEqual([
      'anna@example.org processed',
      'berta@example.org queued',
    ]);
    expect(messageStore(tenant.db).bySeq(message.seq)?.status).toBe('processed');
  });
});

describe('an address that does not exist', () => {
  const suppressions = () =>
    tenant.db.prepare('SELECT address, scope, reason, source_message_id FROM suppressions').all();
  const bounceOf = (address: string, outcome: Outcome, source = 'api') => {
    tenant.db.prepare('DELETE FROM queue').run();
    message = queueMessage(tenant, { recipients: [address] });
    tenant.db.prepare('UPDATE messages SET source = ?').run(source);
    settleAt(1, claim(0), outcome);
  };

  test('is written to no more', () => {
    bounceOf('nobody@example.org', HARD);
    expect(suppressions()).toEqual([
      { address: 'nobody@example.org', scope: 'team', reason: 'hard_bounce', source_message_id: message.id },
    ]);
  });

  test.each([
    { name: 'a full mailbox', address: 'full@example.org', outcome: SOFT },
    { name: 'the simulator', address: 'bounce@simulator.mail.example.com', outcome: HARD },
    { name: 'the service’s own mail', address: 'owner@example.org', outcome: HARD, source: 'system' },
  ])('$name keeps nobody from further mail', ({ address, outcome, source }) => {
    bounceOf(address, outcome, source);
    expect(suppressions()).toEqual([]);
  });
});

describe('when it is due again', () => {
  /** As if chance had made the wait recorded with the claim longer than the one drawn now. */
  const claimUntil = (dueAt: number): QueueRow => ({ ...claim(0), due_at: dueAt });
  const alreadyDelayed = (): QueueRow => {
    const first = claim(0);
    queueStore(tenant.db).remove(message.recipientIds.find((id) => id !== first.recipient_id) ?? 0);
    settleAt(0, first, UPSTREAM);
    return claim(0);
  };
  test.each<{ name: string; due: () => number | null; expected: number }>([
    {
      name: 'deferred after a transmission longer than the wait: the wait begins anew',
      due: () => settleAt(10 * MINUTE, claim(0), DEFERRED),
      expected: 11 * MINUTE,
    },
    {
      name: 'deferred at once: not before the time recorded with the claim',
      due: () => settleAt(1, claimUntil(2 * MINUTE), DEFERRED),
      expected: 2 * MINUTE,
    },
    {
      name: 'failed by the upstream the first time: at once, another may take it',
      due: () => settleAt(5, claim(0), UPSTREAM),
      expected: 5,
    },
    {
      name: 'failed by an upstream that works for others, and delayed before: at the time recorded',
      due: () => settleAt(5, alreadyDelayed(), UPSTREAM),
      expected: MINUTE,
    },
    {
      name: 'failed by the upstream in an outage, and delayed before: at once, for the next probe',
      due: () => settleInOutage(5, alreadyDelayed(), UPSTREAM),
      expected: 5,
    },
  ])('$name', ({ due, expected }) => {
    expect(due()).toBe(expected);
  });
});

describe('later attempts', () => {
  const runUntilDone = (outcome: Outcome): { attempts: number; last: number } => {
    const row = claim(0);
    queueStore(tenant.db).remove(message.recipientIds.find((id) => id !== row.recipient_id) ?? 0);
    let current = row;
    for (let attempts = 1; ; attempts++) {
      const now = current.due_at - MINUTE;
      const due = settleAt(now, current, outcome);
      if (due === null) return { attempts, last: now };
      current = claim(due);
    }
  };

  test('end with failure when the next would come after the patience has ended', () => {
    const { attempts, last } = runUntilDone(DEFERRED);
    expect({ attempts, last }).toEqual({ attempts: 61, last: HOUR });
    expect(messageStore(tenant.db).recipient(message.recipientIds[0] ?? 0)).toMatchObject({
      status: 'failed',
      attempts: 61,
    });
    expect(events().at(-1)).toMatchObject({ type: 'message.failed', attempt: 61 });
  });

  test('have their full patience again after a pause that took longer', () => {
    const row = claim(0);
    queueStore(tenant.db).remove(message.recipientIds.find((id) => id !== row.recipient_id) ?? 0);
    const due = settleAt(1, row, DEFERRED) ?? 0;
    const paused = tenantStore(tenant.db).practice();
    tenantStore(tenant.db).updatePause({ ...paused, paused_at: null, resumed_at: due + 3 * HOUR });
    const again = claim(due + 3 * HOUR);
    expect(again.queued_at).toBe(0);
    expect(settleAt(due + 3 * HOUR + 1, again, DEFERRED)).toBe(due + 3 * HOUR + 1 + MINUTE);
    expect(recipient(row)?.status).toBe('delivery_delayed');
    const last = claim(due + 4 * HOUR);
    expect(settleAt(due + 4 * HOUR, last, DEFERRED)).toBeNull();
    expect(recipient(row)?.status).toBe('failed');
  });

  test('mark a delay that was published before', () => {
    const row = claim(0);
    const due = settleAt(1, row, DEFERRED) ?? 0;
    const again = queueStore(tenant.db)
      .claim(0, 10, 10_000, due, policy)
      .find(({ recipient_id }) => recipient_id === row.recipient_id);
    if (!again) throw new Error('nothing is due');
    settleAt(due + 1, again, DEFERRED);
    expect(events().map(({ repeated = false }) => repeated)).toEqual([false, true]);
  });

  test('an upstream that is away costs neither attempts nor patience', () => {
    let row = claim(0);
    for (const now of [HOUR, 2 * HOUR, 3 * HOUR]) {
      expect(settleInOutage(now, row, UPSTREAM)).toBe(now);
      queueStore(tenant.db).remove(message.recipientIds[1] ?? 0);
      row = claim(now);
      expect(row.attempts).toBe(1);
    }
    // Its patience begins now: one that is deferred for the first time is not given up.
    expect(settleAt(3 * HOUR + 1, row, DEFERRED)).toBe(3 * HOUR + 1 + MINUTE);
    expect(recipient(row)).toMatchObject({ status: 'delivery_delayed', attempts: 1 });
  });
});

test('what is known already is not undone, but the event is kept', () => {
  const row = claim(0);
  tenant.db.prepare("UPDATE recipients SET status = 'hard_bounced' WHERE id = ?").run(row.recipient_id);
  settleAt(1, row, ACCEPTED);
  expect(recipient(row)?.status).toBe('hard_bounced');
  expect(events().map(({ type }) => type)).toEqual(['message.sent']);
});

test('a recipient that was removed meanwhile is ignored', () => {
  const row = claim(0);
  tenant.db.prepare('DELETE FROM messages').run();
  expect(settleAt(1, row, DEFERRED)).toBeNull();
});

describe('what is counted on the route', () => {
  const DAY_OF_IT = 20_000;
  const NOW = DAY_OF_IT * DAY + HOUR;
  const none = { sent: 0, refused: 0, delivered: 0, hard_bounced: 0, soft_bounced: 0 };
  const counted = () => counterStore(tenant.db).perRoute(DAY_OF_IT, DAY_OF_IT + 1);

  const outcomes: readonly (readonly [name: string, Outcome, acceptIsDelivery: boolean, object | null])[] = [
    ['taken', ACCEPTED, false, { ...none, sent: 1 }],
    ['taken, which is delivery', ACCEPTED, true, { ...none, sent: 1, delivered: 1 }],
    ['bounced hard', HARD, false, { ...none, refused: 1, hard_bounced: 1 }],
    ['bounced softly', SOFT, true, { ...none, refused: 1, soft_bounced: 1 }],
    ['deferred', DEFERRED, true, null],
    ['failed by the upstream', UPSTREAM, true, null],
  ];
  test.each(outcomes)('%s', (_, outcome, acceptIsDelivery, counts) => {
    settleAt(NOW, claim(0), outcome, acceptIsDelivery);
    const others = { accepted: 0, complaints: 0, unsubscribes: 0, opens: 0, clicks: 0 };
    expect(counted()).toEqual(counts === null ? [] : [{ route_id: tenant.routeId, ...others, ...counts }]);
  });

  test('one that was given up is counted as nothing', () => {
    settleAt(NOW, { ...claim(0), queued_at: NOW - 2 * HOUR }, DEFERRED);
    expect(messageStore(tenant.db).bySeq(message.seq)?.status).toBe('failed');
    expect(counted()).toEqual([]);
  });

  test('mails add up, those to the simulator do not', () => {
    const to = ['success@simulator.mail.example.com', 'carla@mail.example.com'];
    queueMessage(tenant, { recipients: to });
    for (const row of queueStore(tenant.db).claim(0, 10, 10_000, 0, policy))
      settleAt(NOW, row, row.message_seq === message.seq ? HARD : ACCEPTED, true);
    expect(counted()).toMatchObject([{ sent: 1, delivered: 1, hard_bounced: 2 }]);
  });
});
