import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_OPEN, MAX_OPEN_PER_REPORTER, type Stage, sourcesOfClient } from '#src/accounts/abuse/rules.ts';
import { MAX_SOURCE, reportBody, type TicketPatch } from '#src/accounts/abuse/schema.ts';
import { ticketStore } from '#src/accounts/abuse/store.ts';
import {
  getSource,
  getTicket,
  openTicket,
  type TicketDeps,
  ticketRetentionJob,
  updateTicket,
} from '#src/accounts/abuse/tickets.ts';
import { createOutbox } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { noticeStore } from '#src/accounts/mails/store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { createLog } from '#src/kernel/log.ts';
import { createRateCheck } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { DAY } from '#src/kernel/time.ts';
import { testSealingKey } from '#test/support/keys.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';

const outbox = createOutbox(testSealingKey(7));
const typed = { email: 'Erika@Example.org', subject: 'Werbung', description: 'Ich habe nichts bestellt.' };
const report = (fields: object = {}) => reportBody.parse({ ...typed, ...fields });
const de = { language: 'de', clientAddress: '192.0.2.1' } as const;

let storage: Storage;
let clock: TestClock;
let deps: TicketDeps;
let told: number;
let limited: string[];

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  clock = createTestClock();
  told = 0;
  limited = [];
  deps = {
    platform: storage.platform,
    clock,
    limitEmail: (key) => void limited.push(key),
    limitSources: createRateCheck(clock, () => sourcesOfClient, say`Too much.`),
    notices: {
      enqueue: outbox.enqueue,
      wake: () => {
        told += 1;
      },
    },
  };
});

const peek = <T>(work: (db: PlatformDb) => T): T => storage.platform.peek(work);
const count = (table: string): unknown =>
  peek((db) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
const waiting = (): Notice[] => peek((db) => noticeStore(db).waiting(100).map(outbox.open));
const audit = (): { before: unknown; after: unknown }[] =>
  peek((db) =>
    db
      .prepare<[], { before_json: string; after_json: string }>('SELECT * FROM audit ORDER BY seq')
      .all()
      .map((row) => ({ before: JSON.parse(row.before_json), after: JSON.parse(row.after_json) })),
  );

const operatorChange = (): Change => ({
  actor: { kind: 'operator', id: 'operator', name: '' },
  action: 'abuse_ticket.update',
  clientAddress: '192.0.2.1',
  requestId: newId(),
  recorded: false,
});
const update = (id: string, patch: TicketPatch) => updateTicket(deps, id, patch, operatorChange());
const refusal = async (work: Promise<unknown>): Promise<AppError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw new Error('it was not refused', { cause: error });
};

/** Tickets of many reporters, or of one. */
const fill = (rows: number, stage: Stage, reporter: (index: number) => string) =>
  storage.platform.write((db) => {
    for (let index = 0; index < rows; index += 1) {
      ticketStore(db).insert({
        id: newId(),
        stage,
        reporter_email: reporter(index),
        reporter_key: reporter(index),
        reporter_name: null,
        language: 'de',
        subject: 'x',
        description: 'x',
        source_bytes: null,
        tenant_id: null,
        created_at: 0,
        updated_at: 0,
      });
    }
  });

describe('a report', () => {
  test('is a ticket with its first step, and its reporter gets a mail', async () => {
    const id = await openTicket(deps, report({ name: 'Erika', source: 'From: x' }), {
      ...de,
      language: 'en',
    });
    const { row, steps } = peek((db) => getTicket(db, id));
    expect(row).toMatchObject({
      stage: 'open',
      reporter_email: 'Erika@example.org',
      reporter_key: 'erika@example.org',
      reporter_name: 'Erika',
      language: 'en',
      subject: 'Werbung',
      description: 'Ich habe nichts bestellt.',
      source_bytes: 7,
      tenant_id: null,
      created_at: clock.now(),
    });
    expect(steps).toEqual([{ ticket_id: id, stage: 'open', note: null, at: clock.now() }]);
    expect(waiting()).toEqual([
      {
        kind: 'abuse_ticket',
        ticketId: id,
        stage: 'open',
        to: 'Erika@example.org',
        language: 'en',
        expiresAfter: clock.now() + 7 * DAY,
      },
    ]);
    expect({ told, limited }).toEqual({ told: 1, limited: ['erika@example.org'] });
  });

  test('over the limit of its address leaves nothing', async () => {
    const limitEmail = () => {
      throw new AppError('rate_limited', say`Too many.`, { extra: { retry_after: 1 } });
    };
    expect((await refusal(openTicket({ ...deps, limitEmail }, report(), de))).code).toBe('rate_limited');
    expect([count('abuse_tickets'), count('notices'), told]).toEqual([0, 0, 0]);
  });

  test('whose notice cannot be kept leaves no ticket', async () => {
    const notices = {
      ...deps.notices,
      enqueue: () => {
        throw new Error('no room');
      },
    };
    await expect(openTicket({ ...deps, notices }, report(), de)).rejects.toThrow('no room');
    expect([count('abuse_tickets'), count('abuse_ticket_steps'), told]).toEqual([0, 0, 0]);
  });

  test('of an address with many open ones is refused until some are looked at, however it is spelled', async () => {
    await fill(MAX_OPEN_PER_REPORTER, 'open', () => 'erika@example.org');
    await fill(MAX_OPEN_PER_REPORTER, 'investigating', () => 'otto@example.org');
    const refused = await refusal(openTicket(deps, report({ email: 'ERIKA@example.org' }), de));
    expect(refused.code).toBe('rate_limited');
    expect(count('notices')).toBe(0);
    await openTicket(deps, report({ email: 'otto@example.org' }), de);
    await storage.platform.write((db) =>
      db.prepare("UPDATE abuse_tickets SET stage = 'investigating' WHERE seq = 1").run(),
    );
    await openTicket(deps, report(), de);
  });

  test('brings no further mail where its network has brought much that day, and comes without', async () => {
    const source = 'x'.repeat(MAX_SOURCE);
    const by = (clientAddress: string, fields: object = { source }) =>
      openTicket(deps, report(fields), { ...de, clientAddress });
    for (const host of [1, 2, 3]) await by(`2001:db8::${host}`);
    expect((await refusal(by('2001:db8::4'))).code).toBe('rate_limited');
    expect(count('abuse_tickets')).toBe(3);
    await by('2001:db8::4', {});
    await by('2001:db8:0:1::1');
    clock.set(clock.now() + DAY);
    await by('2001:db8::4');
  });

  test('is refused where too many wait', async () => {
    await fill(MAX_OPEN, 'open', (index) => `r${index}@example.org`);
    const refused = await refusal(openTicket(deps, report(), de));
    expect(refused).toMatchObject({ code: 'unavailable', extra: { retry_after: 3_600 } });
    expect([count('abuse_tickets'), count('notices')]).toEqual([MAX_OPEN, 0]);
  });
});

describe('the stages of a ticket', () => {
  test('are mailed one by one, with their steps and in the audit', async () => {
    const id = await openTicket(deps, report(), de);
    clock.set(clock.now() + DAY);
    await update(id, { stage: 'investigating', note: 'Der Absender ist bekannt.' });
    const { row, steps } = await update(id, { stage: 'closed' });
    expect(row).toMatchObject({ stage: 'closed', updated_at: clock.now() });
    expect(steps.map(({ stage, note }) => [stage, note])).toEqual([
      ['open', null],
      ['investigating', 'Der Absender ist bekannt.'],
      ['closed', null],
    ]);
    expect(waiting().map((notice) => 'stage' in notice && notice.stage)).toEqual([
      'open',
      'investigating',
      'closed',
    ]);
    expect(JSON.stringify(waiting())).not.toContain('bekannt');
    expect(audit()).toEqual([
      {
        before: { stage: 'open', practice_id: null },
        after: { stage: 'investigating', practice_id: null, note: 'Der Absender ist bekannt.' },
      },
      {
        before: { stage: 'investigating', practice_id: null },
        after: { stage: 'closed', practice_id: null },
      },
    ]);
  });

  test.each<[Stage, Stage]>([
    ['open', 'closed'],
    ['investigating', 'open'],
    ['closed', 'investigating'],
  ])('%s does not become %s, and nothing is kept of the try', async (from, to) => {
    await fill(1, from, () => 'erika@example.org');
    const id = peek((db) => ticketStore(db).list({ stage: null, before: null }, 1)[0]?.id) ?? '';
    const refused = await refusal(update(id, { stage: to, note: 'x' }));
    expect(refused).toMatchObject({
      code: 'conflict',
      message: `A ticket that is \`${from}\` cannot become \`${to}\`.`,
    });
    expect(peek((db) => getTicket(db, id))).toMatchObject({ row: { stage: from, updated_at: 0 }, steps: [] });
    expect([count('notices'), count('audit')]).toEqual([0, 0]);
  });

  test('the same stage again is no step and no mail', async () => {
    const id = await openTicket(deps, report(), de);
    const change = operatorChange();
    const { steps } = await updateTicket(deps, id, { stage: 'open' }, change);
    expect([steps.length, waiting().length, count('audit'), change.recorded]).toEqual([1, 1, 0, true]);
  });

  test('a note is a step of its own and mailed to no one', async () => {
    const id = await openTicket(deps, report(), de);
    const { steps } = await update(id, { note: 'Nachgefragt.' });
    expect(steps.at(-1)).toMatchObject({ stage: 'open', note: 'Nachgefragt.' });
    expect(waiting()).toHaveLength(1);
    expect(audit()).toMatchObject([{ after: { note: 'Nachgefragt.' } }]);
  });

  test('a ticket is about a practice, or about none again', async () => {
    const practice = await createSampleTenant(storage);
    const id = await openTicket(deps, report(), de);
    expect((await update(id, { practice_id: practice })).row.tenant_id).toBe(practice);
    expect((await update(id, { note: 'x' })).row.tenant_id).toBe(practice);
    expect((await update(id, { practice_id: null })).row.tenant_id).toBeNull();
    expect((await refusal(update(id, { practice_id: newId() }))).message).toBe('There is no such practice.');
    expect((await refusal(update(newId(), { note: 'x' }))).message).toBe('There is no such ticket.');
  });

  test('the service itself is no practice', async () => {
    const id = await openTicket(deps, report(), de);
    const system = await createSampleTenant(storage);
    await storage.platform.write((db) =>
      db.prepare("UPDATE tenants SET purpose = 'system' WHERE id = ?").run(system),
    );
    expect((await refusal(update(id, { practice_id: system }))).code).toBe('not_found');
  });

  test('what strangers wrote is not in the audit', async () => {
    const id = await openTicket(deps, report({ name: 'Erika Muster', source: 'Received: by x' }), de);
    await update(id, { stage: 'investigating' });
    const kept = JSON.stringify(peek((db) => db.prepare('SELECT * FROM audit').all()));
    for (const word of ['erika', 'Werbung', 'bestellt', 'Received'])
      expect(kept.toLowerCase()).not.toContain(word.toLowerCase());
  });
});

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
    source_bytes: null,
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
  const job = ticketRetentionJob(platform, () => 365 * DAY, createTestClock(NOW));
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

test('the mail goes from a ticket 30 days after it was closed, and the ticket stays', async () => {
  const { platform } = storage;
  const ids = ['closed', 'closed and young', 'open'] as const;
  const bytes = 'From: x'.length;
  await platform.write((db) => {
    for (let index = 0; index < 30; index++) insert(db, `old ${index}`, 'closed', 0);
    insert(db, ids[0], 'closed', NOW - 30 * DAY - 1);
    insert(db, ids[1], 'closed', NOW - 30 * DAY);
    insert(db, ids[2], 'open', 0);
    db.prepare('UPDATE abuse_tickets SET source_bytes = ?').run(bytes);
    const all = db.prepare<[], string>('SELECT id FROM abuse_tickets').pluck().all();
    for (const id of all) ticketStore(db).insertSource(id, Buffer.from('From: x'));
  });
  const job = ticketRetentionJob(platform, () => 10_000 * DAY, createTestClock(NOW));
  await job.run(new AbortController().signal, createLog('silent'));
  expect([count('abuse_tickets'), count('abuse_ticket_sources')]).toEqual([33, 2]);
  expect(ids.map((id) => peek((db) => getTicket(db, id).row.source_bytes))).toEqual([null, bytes, bytes]);
  expect(() => peek((db) => getSource(db, ids[0]))).toThrow('or it was removed since');
  expect(peek((db) => ticketStore(db).sourceBytes())).toBe(2 * bytes);
});
