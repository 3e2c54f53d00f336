import { describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import {
  type CopyFacts,
  judgeReturnPath,
  RETURN_PATH_LIFE_MS,
  returnPathStatus,
} from '#src/feedback/return-path.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const sent: CopyFacts = {
  status: 'processed',
  attempts: 1,
  queuedAttempts: null,
  events: [
    { type: 'message.created', at: 0, own: false },
    { type: 'message.sent', at: 1_000, own: true },
  ],
  createdAt: 0,
};
const LATER = 1_000 + RETURN_PATH_LIFE_MS;

describe('the return path of a copy', () => {
  test.each([
    { name: 'that was sent', copy: sent, now: 2_000, status: 'current' },
    { name: 'that was sent sixty days ago', copy: sent, now: LATER, status: 'current' },
    { name: 'that was sent longer ago', copy: sent, now: LATER + 1, status: 'expired' },
    { name: 'that is no more', copy: null, now: 0, status: 'unknown' },
    {
      name: 'that waits for its first attempt',
      copy: { ...sent, status: 'queued', attempts: 0, queuedAttempts: 0, events: [] },
      now: 0,
      status: 'replayed',
    },
    {
      name: 'whose first attempt is in flight',
      copy: { ...sent, status: 'queued', attempts: 0, queuedAttempts: 1, events: [] },
      now: 0,
      status: 'current',
    },
    {
      name: 'whose first attempt is in flight after a long pause',
      copy: { ...sent, status: 'queued', attempts: 0, queuedAttempts: 1, events: [] },
      now: LATER * 2,
      status: 'current',
    },
    {
      name: 'that the upstream has not taken yet',
      copy: {
        ...sent,
        status: 'delivery_delayed',
        attempts: 0,
        queuedAttempts: 0,
        events: [{ type: 'message.delivery_delayed', at: 5, own: true }],
      },
      now: 10,
      status: 'replayed',
    },
    {
      name: 'that was kept back, because its recipient is suppressed',
      copy: { ...sent, status: 'suppressed', attempts: 0, events: [] },
      now: 0,
      status: 'replayed',
    },
    {
      name: 'that was cancelled',
      copy: { ...sent, status: 'failed', attempts: 0, events: [] },
      now: 0,
      status: 'replayed',
    },
    {
      name: 'whose sending was never written down, but a report of it came',
      copy: {
        ...sent,
        status: 'delivered',
        attempts: 0,
        events: [{ type: 'message.delivered', at: 1_000, own: false }],
      },
      now: LATER,
      status: 'current',
    },
    {
      name: 'whose delay was reported by others',
      copy: {
        ...sent,
        status: 'delivery_delayed',
        attempts: 0,
        events: [{ type: 'message.delivery_delayed', at: 1_000, own: false }],
      },
      now: LATER,
      status: 'current',
    },
    {
      name: 'is not prolonged by reports of others',
      copy: { ...sent, events: [...sent.events, { type: 'message.opened', at: LATER, own: false }] },
      now: LATER + 1,
      status: 'expired',
    },
    {
      name: 'is prolonged by another attempt',
      copy: { ...sent, events: [...sent.events, { type: 'message.sent', at: 5_000, own: true }] },
      now: LATER + 1,
      status: 'current',
    },
    {
      name: 'whose events have been removed',
      copy: { ...sent, events: [] },
      now: LATER,
      status: 'expired',
    },
  ] satisfies { name: string; copy: CopyFacts | null; now: number; status: string }[])(
    '$name: $status',
    ({ copy, now, status }) => {
      expect(judgeReturnPath(copy, now)).toBe(status);
    },
  );
});

test('the return path is found in the practice’s file once the copy is claimed', async () => {
  const storage = await openTestStorage(await temporaryDirectory());
  const tenantId = await createSampleTenant(storage);
  const clock = createTestClock();
  const { recipientId, tenantNumber } = await storage.tenants.write(tenantId, (db) => {
    const place = {
      db,
      tenantId,
      projectId: tenantStore(db).defaultProject().id,
      routeId: tenantStore(db).defaultRoute().id,
    };
    return {
      recipientId: queueMessage(place).recipientIds[0] ?? 0,
      tenantNumber: tenantStore(db).practice().number,
    };
  });
  const deps = { readPlatform: storage.platform.read, files: storage.tenants, clock };
  const target = { tenantNumber, recipientId };
  expect(await returnPathStatus(deps, target)).toBe('replayed');
  const policy = { waits: [1], thenEvery: 1, jitter: 0, giveUpAfter: { 0: 1, 1: 1 } };
  await storage.tenants.write(tenantId, (db) => queueStore(db).claim(0, 1, 1_000, 1, policy));
  expect(await returnPathStatus(deps, target)).toBe('current');
  expect(await returnPathStatus(deps, { ...target, recipientId: 999 })).toBe('unknown');
  expect(await returnPathStatus(deps, { ...target, tenantNumber: 999 })).toBe('unknown');
});
