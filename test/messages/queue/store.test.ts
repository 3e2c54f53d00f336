import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE } from '#src/kernel/time.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

const policy: RetryPolicy = {
  waits: [MINUTE],
  thenEvery: 2 * MINUTE,
  jitter: 0,
  giveUpAfter: { 0: MINUTE, 1: MINUTE },
};
const NO_LIMIT = 100;
const NO_BUDGET = 1_000_000;

let tenant: SampleTenant;
beforeEach(async () => {
  tenant = await openTenantDb();
});

const queue = () => queueStore(tenant.db);
const claim = (now: number, limit = NO_LIMIT, bytes = NO_BUDGET) =>
  queue().claim(0, limit, bytes, now, policy);

describe('claiming', () => {
  test('takes what is due in the order it became due, and nothing else', () => {
    const later = queueMessage(tenant, { dueAt: 20 }).recipientIds;
    const sooner = queueMessage(tenant, { dueAt: 10 }).recipientIds;
    queueMessage(tenant, { dueAt: 31 });
    queueMessage(tenant, { dueAt: 10, kind: 'newsletter' });
    expect(claim(30).map((row) => row.recipient_id)).toEqual([...sooner, ...later]);
  });

  test('records the attempt and the time of the next one, and gives nothing out twice', () => {
    const { recipientIds } = queueMessage(tenant, { recipients: ['a@example.org', 'b@example.org'] });
    expect(claim(5)).toMatchObject(
      recipientIds.map((recipient_id) => ({ recipient_id, attempts: 1, due_at: 5 + MINUTE })),
    );
    const stored = tenant.db.prepare('SELECT attempts, due_at, claimed FROM queue').all();
    expect(stored).toEqual([1, 2].map(() => ({ attempts: 1, due_at: 5 + MINUTE, claimed: 1 })));
    expect(claim(5 + MINUTE)).toEqual([]);
    expect(queue().nextDue()).toEqual({ 0: null, 1: null });
  });

  test('takes no more rows than asked for', () => {
    queueMessage(tenant, { recipients: ['a@example.org', 'b@example.org', 'c@example.org'] });
    expect(claim(0, 2)).toHaveLength(2);
    expect(claim(0, 2)).toHaveLength(1);
  });

  test.each([
    { name: 'all that fit', sizes: [40, 40, 20], budget: 100, taken: 3 },
    { name: 'up to the one that does not fit', sizes: [40, 40, 21], budget: 100, taken: 2 },
    { name: 'not what is behind one that does not fit', sizes: [40, 90, 1], budget: 100, taken: 1 },
    { name: 'the first even where it is larger', sizes: [500, 1], budget: 100, taken: 1 },
    { name: 'the first even without a budget', sizes: [1, 1], budget: 0, taken: 1 },
  ])('by size takes $name', ({ sizes, budget, taken }) => {
    for (const [index, size] of sizes.entries()) queueMessage(tenant, { size, dueAt: index });
    expect(claim(10, NO_LIMIT, budget)).toHaveLength(taken);
    // What was left is still due.
    expect(claim(10)).toHaveLength(sizes.length - taken);
  });
});

describe('patience', () => {
  const since = (now: number) => claim(now).map(({ queued_at }) => queued_at);
  const stored = () => tenant.db.prepare('SELECT queued_at FROM queue').pluck().all();

  test('begins with the first attempt, not with the acceptance', () => {
    queueMessage(tenant, { now: 5 });
    expect(stored()).toEqual([5]);
    expect(since(70)).toEqual([70]);
    expect(stored()).toEqual([70]);
  });

  test('is used up by the attempts that follow', () => {
    const [recipientId = 0] = queueMessage(tenant).recipientIds;
    claim(70);
    queue().release(recipientId, 1, 100);
    expect(since(100)).toEqual([70]);
  });

  test('begins again after an attempt that did not count', () => {
    const [recipientId = 0] = queueMessage(tenant).recipientIds;
    claim(70);
    queue().release(recipientId, 0, 100);
    expect(since(100)).toEqual([100]);
  });
});

describe('afterwards', () => {
  test('a released row returns with the attempts and the time it was given', () => {
    const [recipientId = 0] = queueMessage(tenant).recipientIds;
    claim(0);
    queue().release(recipientId, 0, 7);
    expect(queue().nextDue()).toEqual({ 0: 7, 1: null });
    expect(claim(6)).toEqual([]);
    expect(claim(7)).toMatchObject([{ recipient_id: recipientId, attempts: 1 }]);
  });

  test('a removed row never returns', () => {
    const [recipientId = 0] = queueMessage(tenant).recipientIds;
    claim(0);
    queue().remove(recipientId);
    queue().releaseAll();
    expect(claim(MINUTE * 10)).toEqual([]);
  });

  test('what a process left claimed returns at the times recorded with the claim', () => {
    queueMessage(tenant);
    claim(0);
    queue().releaseAll();
    expect(claim(MINUTE - 1)).toEqual([]);
    expect(claim(MINUTE)).toMatchObject([{ attempts: 2, due_at: MINUTE + 2 * MINUTE }]);
  });

  test('the next due time is known by lane', () => {
    queueMessage(tenant, { dueAt: 30 });
    queueMessage(tenant, { dueAt: 20 });
    queueMessage(tenant, { dueAt: 10, kind: 'newsletter' });
    expect(queue().nextDue()).toEqual({ 0: 20, 1: 10 });
  });

  test('the next attempts of one message are known by recipient', () => {
    const { seq, recipientIds } = queueMessage(tenant, { recipients: ['a@x.org', 'b@x.org'], dueAt: 5 });
    queueMessage(tenant, { dueAt: 9 });
    const [first = 0, second = 0] = recipientIds;
    queue().remove(second);
    expect([...queue().nextAttempts(seq)]).toEqual([[first, 5]]);
  });

  test('a message that is removed takes its queue rows with it', () => {
    const { seq } = queueMessage(tenant);
    tenant.db.prepare('DELETE FROM messages WHERE seq = ?').run(seq);
    expect(claim(MINUTE)).toEqual([]);
  });
});
