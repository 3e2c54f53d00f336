import { expect, test } from 'vitest';
import { messageOrderStore } from '#src/messages/order-store.ts';
import { openTenantDb, queueMessage } from '#test/support/storage.ts';

test('the first message since a time is found with and without gaps in the numbers', async () => {
  const tenant = await openTenantDb();
  const store = messageOrderStore(tenant.db);
  expect([store.firstSince(0), store.newest()]).toEqual([1, 0]);
  const seqs = Array.from({ length: 100 }, (_, number) => queueMessage(tenant, { now: 10 * number }).seq);
  expect(store.newest()).toBe(seqs.at(-1));
  tenant.db.prepare('DELETE FROM messages WHERE seq % 7 = 0').run();
  for (let at = 0; at <= 1_000; at += 5) {
    const first = seqs.find((seq, number) => seq % 7 !== 0 && 10 * number >= at);
    const found = store.firstSince(at);
    // It may name a gap just before it.
    const next = seqs.find((seq) => seq >= found && seq % 7 !== 0);
    expect({ at, next }).toEqual({ at, next: first });
  }
});
