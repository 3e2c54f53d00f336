// A webhook or alert that is enabled and disabled again while the owners are notified of the time before: they are notified of both.
// Over the real rows; when mails are enqueued, and when not, is in owner-notices.test.ts.
import { expect, test } from 'vitest';
import { alertStore } from '#src/followers/alerts/store.ts';
import { active, disabledFor } from '#src/followers/disabling.ts';
import { createFollowerNotices } from '#src/followers/owner-notices.ts';
import { webhookStore } from '#src/followers/webhooks/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createLog } from '#src/kernel/log.ts';
import { enqueuedIn, testOutbox } from '#test/support/outbox.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const SEALED = Buffer.from('sealed');
const named = {
  id: 'one',
  name: 'Website',
  sealed_url: SEALED,
  events_json: '[]',
  after_seq: 0,
  created_at: 1,
};

interface Kind {
  readonly what: string;
  readonly insert: (db: TenantDb) => void;
  readonly disable: (db: TenantDb, at: number) => void;
}

const kinds: readonly Kind[] = [
  {
    what: 'webhook',
    insert: (db) => webhookStore(db).insert({ ...named, inbound_mail: 'small', sealed_secret: SEALED }),
    disable: (db, at) => {
      for (const row of webhookStore(db).list())
        webhookStore(db).update({ ...row, ...disabledFor('gone', at), last_error: 'answered 410' });
    },
  },
  {
    what: 'alert',
    insert: (db) =>
      alertStore(db).insert({
        ...named,
        ...active,
        kind: 'slack',
        language: 'de',
        failing_since: null,
        due_at: null,
        attempts: 0,
        last_sent_at: null,
        last_error: null,
      }),
    disable: (db, at) => {
      for (const row of alertStore(db).all())
        alertStore(db).update({ ...row, ...disabledFor('gone', at), last_error: 'answered 410' });
    },
  },
];

test.each(kinds)('of a $what is notified each time', async ({ insert, disable }) => {
  const storage = await openTestStorage(await temporaryDirectory());
  const tenant = await createSampleTenant(storage);
  let between = async (): Promise<void> => undefined;
  const notices = createFollowerNotices({
    files: storage.tenants,
    platform: storage.platform,
    notices: { enqueue: testOutbox.enqueue, wake: () => undefined },
    ownersOf: async () => {
      await between();
      return [{ email: 'a@example.org', language: 'de' }];
    },
    clock: createTestClock(),
    log: createLog('silent'),
    origin: 'https://mail.example.com',
  });
  const notify = async (): Promise<void> => {
    notices.wake(tenant);
    await notices.stop();
  };
  await storage.tenants.write(tenant, (db) => {
    insert(db);
    disable(db, 1_000);
  });
  between = () => storage.tenants.write(tenant, (db) => disable(db, 2_000));
  await notify();
  between = async () => undefined;
  await notify();
  await notify();
  const notified = enqueuedIn(storage).map(({ notice }) => 'at' in notice && notice.at);
  expect(notified).toEqual([1_000, 2_000]);
});
