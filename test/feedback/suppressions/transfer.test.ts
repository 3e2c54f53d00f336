import { expect, test } from 'vitest';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { removeSuppressions, type SuppressionDeps } from '#src/feedback/suppressions/transfer.ts';
import { anonymous } from '#src/kernel/access.ts';
import { systemChange } from '#src/kernel/change.ts';
import { newId } from '#src/kernel/id.ts';
import { openTenantDb } from '#test/support/storage.ts';

test('a suppression that becomes a complaint while its removal waits to be written stays', async () => {
  const { db } = await openTenantDb();
  const store = suppressionStore(db);
  const id = newId();
  store.insert({
    id,
    address_hash: Buffer.from('hash'),
    address: 'erika@example.org',
    scope: 'team',
    project_id: null,
    route_id: null,
    reason: 'hard_bounce',
    source_message_id: null,
    note: null,
    created_at: 0,
  });
  const files = {
    read: async (_: string, work: (file: typeof db) => unknown) => work(db),
    write: async (_: string, work: (file: typeof db) => unknown) => {
      store.restate(id, 'complaint', null);
      return work(db);
    },
  };
  const deps = { files, clock: { now: () => 0 } } as unknown as SuppressionDeps;
  const by = { tenantId: newId(), caller: anonymous, change: systemChange('suppression.delete') };
  const removed = await removeSuppressions(deps, [id], by, ({ reason }) => reason === 'hard_bounce');
  expect([...removed]).toEqual([]);
  expect(store.byId(id)?.reason).toBe('complaint');
});
