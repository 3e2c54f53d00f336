import { expect, test } from 'vitest';
import { ticketRetentionJob } from '#src/accounts/abuse/retention.ts';
import type { Stage } from '#src/accounts/abuse/rules.ts';
import { ticketStore } from '#src/accounts/abuse/store.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { createLog } from '#src/kernel/log.ts';
import { DAY } from '#src/kernel/time.ts';
import { createTestClock, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const NOW = 1_000 * DAY;

const insert = (db: PlatformDb, id: string, stage: Stage, updated_at: number): void => {
  ticketStore(db).insert({
    id,
    stage,
    reporter_email: 'erika@example.org',
    reporter_key: 'erika@example.org',
    reporter_name: null,
    language: 'de',
    subject: 'Werbung',
    description: 'Ich habe nichts bestellt.',
    source: null,
    tenant_id: null,
    created_at: 0,
    updated_at,
  });
  ticketStore(db).insertStep({ ticket_id: id, stage, note: null, at: updated_at });
};

test('closed tickets go with their steps once they are old, and no others, however many', async () => {
  const { platform } = await openTestStorage(await temporaryDirectory());
  await platform.write((db) => {
    for (let index = 0; index < 250; index++) insert(db, `old ${index}`, 'closed', NOW - 365 * DAY - 1);
    insert(db, 'young', 'closed', NOW - 365 * DAY);
    insert(db, 'open', 'open', 0);
    insert(db, 'investigating', 'investigating', 0);
  });
  const job = ticketRetentionJob({ platform, keep: () => 365 * DAY, clock: createTestClock(NOW) });
  const log = createLog('silent');
  await job.run(AbortSignal.abort(), log);
  const ids = () =>
    platform.peek((db) => db.prepare('SELECT id FROM abuse_tickets ORDER BY seq').pluck().all());
  expect(ids()).toHaveLength(253);
  await job.run(new AbortController().signal, log);
  expect(ids()).toEqual(['young', 'open', 'investigating']);
  const steps = platform.peek((db) => db.prepare('SELECT ticket_id FROM abuse_ticket_steps').pluck().all());
  expect(steps.toSorted()).toEqual(['investigating', 'open', 'young']);
});
