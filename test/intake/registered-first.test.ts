// Whatever makes mail of a practice due writes its file only after the registry holds the time: after a crash in between, the next
// start looks for mail that is not there. The other way round mail that was accepted would wait for an hour, or for the next mail.
import { expect, test } from 'vitest';
import { counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { heldMailsTask } from '#src/audience/consent/held-mails.ts';
import { confirmationMailStore } from '#src/audience/consent/mail-store.ts';
import { writePause } from '#src/feedback/reputation/pause.ts';
import { pauseRoutes } from '#src/feedback/reputation/routes.ts';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import { reschedule } from '#src/intake/scheduled.ts';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { openMessages } from '#src/messages/open.ts';
import { holdMail } from '#src/messages/queue/held.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { heldRoutes } from '#src/operations/held-routes.ts';
import { ACCEPTED, acceptWhole, createRelay, playUpstream, type Relay } from '#test/relay/fixture.ts';
import { MESSAGE } from '#test/support/draft.ts';

interface Operation {
  readonly name: string;
  /** Resolves with the operation on what it has prepared. */
  readonly prepare: (relay: Relay, tenantId: string) => Promise<(intake: IntakeContext) => Promise<unknown>>;
}

const caller: Caller = { ...anonymous, kind: 'operator', isOwner: true };

const operations: readonly Operation[] = [
  {
    name: 'a message',
    prepare: async (_, tenantId) => (intake) =>
      acceptWhole(intake, {
        tenantId,
        projects: null,
        projectId: null,
        source: 'api',
        draft: MESSAGE,
        idempotency: null,
      }),
  },
  {
    name: 'another time for a message that waits',
    prepare: async (relay, tenantId) => {
      const scheduledAt = relay.clock.now() + DAY;
      const { answer } = await relay.send(tenantId, { scheduledAt });
      const request = { tenantId, messageId: answer.id, caller, change: systemChange('message.reschedule') };
      return (intake) => reschedule(intake, request, scheduledAt - HOUR);
    },
  },
  {
    name: 'the end of a pause',
    prepare: async (relay, tenantId) => {
      const { storage, clock } = relay;
      await storage.tenants.write(tenantId, (db) =>
        writePause(db, 'x', { by: 'operator', name: '' }, systemChange('practice.pause'), clock.now()),
      );
      return async ({ holdDue, wake }) => {
        const routes = pauseRoutes({ storage, clock }, () => undefined, { hold: holdDue, wake });
        const resume = routes.find(({ id }) => id === 'resumePractice');
        const input = { params: { id: tenantId }, query: {}, body: undefined };
        await resume?.handle(input as never, { caller, change: systemChange('practice.resume') } as never);
      };
    },
  },
  {
    name: 'confirmation mails that waited for the cap of the plan',
    prepare: async (relay, tenantId) => {
      const { clock, storage } = relay;
      const until = clock.now() + 9 * DAY;
      await relay.send(tenantId, { scheduledAt: until });
      await storage.tenants.write(tenantId, (db) => {
        db.pragma('defer_foreign_keys = ON');
        const mail = { message_seq: 1, subscriber_seq: 1, request_seq: 1, held_until: until };
        confirmationMailStore(db).insert(mail);
      });
      return async (context) => {
        const limits = context.limits;
        const task = heldMailsTask({ files: storage.tenants, clock, limits, intake: { context } as never });
        await task.run(tenantId, 0 as never, undefined as never);
      };
    },
  },
  {
    name: 'the release of what a restore holds',
    prepare: async (relay, tenantId) => {
      const { clock, storage } = relay;
      await relay.send(tenantId);
      await storage.tenants.write(tenantId, (db) => holdMail(db, clock.now()));
      return async ({ holdDue, wake }) => {
        const platform = { write: () => holdDue(tenantId, clock.now()) };
        const base = { storage: { ...storage, platform }, clock, key: () => undefined };
        const { held } = openMessages(base as never, () => ({ wake, claimAlong: () => false }));
        const routes = heldRoutes({ storage, clock }, [held], () => undefined);
        const release = routes.find(({ id }) => id === 'releaseHeldMail');
        const input = { params: { id: tenantId }, query: {}, body: undefined };
        await release?.handle(input as never, { change: systemChange('held_mail.release') } as never);
      };
    },
  },
];

/** What the operations change. */
const stateOf = (db: TenantDb) => ({
  messages: db.prepare('SELECT count(*) FROM messages').pluck().get(),
  due: db.prepare('SELECT due_at FROM queue ORDER BY recipient_id').pluck().all(),
  held: queueStore(db).heldCount(),
  paused: tenantStore(db).practice().paused_at,
  accepted: counterStore(db).perRoute(0, Number.MAX_SAFE_INTEGER),
});

test.each(operations)('$name', async ({ prepare }) => {
  const relay = await createRelay([playUpstream(() => ACCEPTED)]);
  const tenantId = await relay.createPractice('Nord');
  const run = await prepare(relay, tenantId);
  const state = () => relay.storage.tenants.read(tenantId, stateOf);
  const before = await state();
  const refused = new Error('the registry cannot be written');
  await expect(run({ ...relay.intake, holdDue: () => Promise.reject(refused) })).rejects.toBe(refused);
  expect(await state()).toEqual(before);
  await run(relay.intake);
  expect(await state()).not.toEqual(before);
});
