// Opens and clicks of copies that are still to be sent, on a practice's real file: claimed and settled as the dispatcher does it.

import { expect, test } from 'vitest';
import { createSigners } from '#src/domains/keys/signers.ts';
import { eventStore } from '#src/events/store.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { recordHits } from '#src/feedback/tracking/record-hits.ts';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { createTrackingLinks } from '#src/mail/copy-links.ts';
import { parseReply } from '#src/mail/reply.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import { messageStore } from '#src/messages/store.ts';
import { type ClaimDeps, claimDue } from '#src/relay/claim.ts';
import type { Outcome } from '#src/relay/outcome.ts';
import { settle } from '#src/relay/settle.ts';
import { testSealingKey, testTenantKey, testTokenKeys } from '#test/support/keys.ts';
import { sharedSignThreads } from '#test/support/sign-threads.ts';
import { openTenantDb, queueMessage, SEALING_KEY } from '#test/support/storage.ts';

const deps: ClaimDeps = {
  suppressionKey: testTenantKey(1),
  simulatorDomain: 'simulator.mail.example.com',
  guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
  softBounces: () => ({ count: 5, days: 30 }),
  signersOf: createSigners(SEALING_KEY, { ed25519: true }).of,
  signThreads: sharedSignThreads(),
  returnPathKey: testTokenKeys(2),
  contentKey: testSealingKey(3),
  unsubscribeUrl: () => 'https://mail.example.com/api/public/unsub?t=token',
  addresses: null,
  trackingLinks: createTrackingLinks('https://mail.example.com', testTokenKeys(5)),
  service: { name: 'Sendwerk', origin: 'https://mail.example.com' },
};
const policy = { waits: [MINUTE], thenEvery: MINUTE, jitter: 0, giveUpAfter: { 0: DAY, 1: DAY } };

const outcomes = {
  later: { kind: 'deferred', reply: parseReply(['451 4.7.1 come back later']), diagnostic: 'later' },
  lost: { kind: 'deferred', reply: null, diagnostic: 'connection lost (waiting for dot)' },
  uncomposed: { kind: 'deferred', reply: null, diagnostic: 'The message could not be composed.' },
  down: { kind: 'upstream_failure', reply: parseReply(['421 4.7.0 busy']), diagnostic: 'busy' },
  taken: { kind: 'accepted', reply: parseReply(['250 2.0.0 queued']), dsnRequested: true },
} satisfies Record<string, Outcome>;

type Step = 'claim' | 'erase' | 'open' | 'click' | 'restart' | keyof typeof outcomes;

const play = async (steps: readonly Step[]) => {
  const tenant = await openTenantDb();
  const { db, tenantId } = tenant;
  const { seq, recipientIds } = queueMessage(tenant);
  const recipientId = recipientIds[0] ?? 0;
  let row: QueueRow | undefined;
  let now = 1_700_000_000_000;
  for (const step of steps) {
    now += HOUR;
    const hit = { recipientId, at: now, ip: null, userAgent: 'Firefox', machine: null };
    db.transaction(() => {
      if (step === 'claim') {
        const request = { tenantId, lane: 0, limit: 1, byteBudget: 1e6, now, policy } as const;
        row = claimDue(db, request, deps).claimed[0]?.row;
      } else if (step === 'erase') db.prepare('UPDATE recipients SET address = ?').run(`#${'A'.repeat(43)}`);
      else if (step === 'restart') queueStore(db).releaseAll();
      else if (step === 'open') recordHits(db, [{ ...hit, kind: 'open', url: null }], deps);
      else if (step === 'click') recordHits(db, [{ ...hit, kind: 'click', url: 'https://a.example/' }], deps);
      else if (row) {
        const facts = { row, outcome: outcomes[step], upstream: step === 'uncomposed' ? null : 'relay' };
        settle(db, { ...deps, ...facts, acceptIsDelivery: false, upstreamWorks: true }, policy, now);
      }
    })();
  }
  const seen = eventStore(db)
    .ofMessage(seq, 0, 100)
    .filter(({ type }) => type === 'message.opened' || type === 'message.clicked')
    .map(({ data_json }) => JSON.parse(data_json ?? '{}').rule ?? 'person');
  const status = messageStore(db).recipient(recipientId)?.status;
  return { status, isWaiting: queueStore(db).row(recipientId) !== undefined, seen };
};

const byFilter = { status: 'delivery_delayed', isWaiting: true, seen: ['too_soon'] };
const byPerson = { status: 'opened', isWaiting: false, seen: ['person'] };

test.each<{ name: string; steps: readonly Step[]; expected: unknown }>([
  {
    name: 'of a filter that reads before it defers does not end the mail',
    steps: ['claim', 'open', 'later'],
    expected: byFilter,
  },
  {
    name: 'of a filter after a deferral does not end it either',
    steps: ['claim', 'later', 'open'],
    expected: byFilter,
  },
  {
    name: 'of a filter during another attempt does not end it either',
    steps: ['claim', 'later', 'claim', 'open', 'later'],
    expected: byFilter,
  },
  {
    name: 'after a failed upstream and another deferral does not end it either',
    steps: ['claim', 'down', 'claim', 'later', 'open'],
    expected: byFilter,
  },
  {
    name: 'of a reader of the source while the copy cannot be composed does not end it either',
    steps: ['claim', 'uncomposed', 'open'],
    expected: byFilter,
  },
  {
    name: 'counts as a person if the end of an attempt is unknown',
    steps: ['claim', 'lost', 'open'],
    expected: byPerson,
  },
  {
    name: 'is of a person where an earlier attempt ended so',
    steps: ['claim', 'lost', 'claim', 'later', 'open'],
    expected: byPerson,
  },
  {
    name: 'is of a person where the process died',
    steps: ['claim', 'restart', 'open'],
    expected: byPerson,
  },
  {
    name: 'of a filter is followed by that of a person once it has arrived',
    steps: ['claim', 'click', 'later', 'claim', 'taken', 'open'],
    expected: { status: 'opened', isWaiting: false, seen: ['too_soon', 'person'] },
  },
  {
    name: 'of who was erased before it is recorded leaves nothing',
    steps: ['claim', 'taken', 'erase', 'click'],
    expected: { status: 'processed', isWaiting: false, seen: [] },
  },
])('an open or click $name', async ({ steps, expected }) => {
  expect(await play(steps)).toEqual(expected);
});
