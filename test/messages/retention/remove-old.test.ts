// What is old leaves a tenant's file: real files, a clock that the test sets, every table before and after.
// @module-tag slow

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { eventStore, oldEvents } from '#src/events/store.ts';
import { oldDeliveries } from '#src/followers/webhooks/delivery-store.ts';
import { oldReports } from '#src/insight/domain-reports/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import type { KeptFor } from '#src/kernel/old-rows.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { DAY } from '#src/kernel/time.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { removeOld } from '#src/messages/retention/remove-old.ts';
import {
  attachments as oldAttachments,
  bodies as oldBodies,
  oldContent,
  retentionStore,
} from '#src/messages/retention/store.ts';
import { messageStore } from '#src/messages/store.ts';
import { captureStore, oldCaptures } from '#src/relay/capture/store.ts';
import { testTenantKey } from '#test/support/keys.ts';
import { plansOf } from '#test/support/query-plan.ts';
import {
  createSampleTenant,
  openTenantDb,
  openTestStorage,
  queueMessage,
  type SampleTenant,
  temporaryDirectory,
} from '#test/support/storage.ts';

const NOW = 1_700_000_000_000;
const oldRows = [...oldContent, ...oldCaptures, oldDeliveries, ...oldReports];
const installation: KeptFor = {
  bodies: 30 * DAY,
  attachments: 20 * DAY,
  events: 400 * DAY,
  messages: 400 * DAY,
  consent_ip: 90 * DAY,
  consent_user_agent: 90 * DAY,
  inbound: 90 * DAY,
  webhook_deliveries: 30 * DAY,
};
const key = testTenantKey(7);
const atOnce: Pace = (work) => work();

let directory: string;
let storage: Storage;
let tenantId: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  storage = await openTestStorage(directory);
  tenantId = await createSampleTenant(storage);
});

const inFile = <T>(work: (db: TenantDb) => T): Promise<T> => storage.tenants.write(tenantId, work);

const sampleOf = (db: TenantDb): SampleTenant => ({
  db,
  tenantId,
  projectId: tenantStore(db).defaultProject().id,
  routeId: tenantStore(db).defaultRoute().id,
});

interface Sample {
  /** Days before `NOW`. */
  readonly age: number;
  readonly scheduled?: number;
  /** Still to be sent. */
  readonly queued?: boolean;
  readonly attachment?: Buffer;
}

/** Number of the new message. */
const addMessage = (db: TenantDb, { age, scheduled, queued = false, attachment }: Sample): number => {
  const now = NOW - age * DAY;
  const { seq, recipientIds } = queueMessage(sampleOf(db), {
    now,
    recipients: ['a@example.org', 'b@example.org'],
  });
  const [first = 0, second = 0] = recipientIds;
  queueStore(db).remove(first);
  if (!queued) queueStore(db).remove(second);
  const content = attachment ?? Buffer.from('%PDF');
  const type = { content_type: 'application/pdf', content_id: null, size_bytes: content.length };
  messageStore(db).insertAttachment(seq, 0, { filename: 'befund.pdf', ...type, content });
  if (scheduled !== undefined) messageStore(db).setSchedule(seq, NOW - scheduled * DAY, '[]', now);
  return seq;
};

const addCapture = (db: TenantDb, messageId: string, age: number): void =>
  captureStore(db).insert(
    {
      id: newId(),
      message_id: messageId,
      recipient: 'a@example.org',
      return_path: 'b@example.org',
      captured_at: NOW - age * DAY,
      size_bytes: 6,
      source: Buffer.from('sealed'),
    },
    1_000,
  );

const remove = (options: { rowsPerBatch?: number; signal?: AbortSignal; now?: number; pace?: Pace } = {}) => {
  const { now = NOW, pace = atOnce, signal = new AbortController().signal, rowsPerBatch } = options;
  const limit = rowsPerBatch === undefined ? {} : { rowsPerBatch };
  const deps = { files: storage.tenants, installation, oldRows, key, now, pace, ...limit };
  return removeOld(tenantId, deps, signal);
};

const column = (statement: string): Promise<unknown[]> =>
  storage.tenants.read(tenantId, (db) => db.prepare(statement).pluck().all());
const bodies = () => column('SELECT message_seq FROM message_bodies ORDER BY 1');
const attachments = () => column('SELECT message_seq FROM attachments ORDER BY 1');

describe('content of messages', () => {
  test('the tree of a submitted message goes with its attachments, which may be in it', async () => {
    await inFile((db) => {
      addMessage(db, { age: 21 });
      addMessage(db, { age: 19 });
      db.exec(`UPDATE message_bodies SET parts_json = '{"signed":"befund.pdf"}'`);
    });
    await remove();
    expect(await column('SELECT parts_json IS NULL FROM message_bodies ORDER BY message_seq')).toEqual([
      1, 0,
    ]);
  });

  test.each<[string, Sample, { body: boolean; attachment: boolean }]>([
    ['it is kept until a day before its time', { age: 19 }, { body: true, attachment: true }],
    ['attachments have their own period', { age: 21 }, { body: true, attachment: false }],
    ['it is removed a day after its time', { age: 31 }, { body: false, attachment: false }],
    [
      'a message that is still to be sent keeps everything',
      { age: 500, queued: true },
      { body: true, attachment: true },
    ],
    [
      'the period begins when the message is to be sent',
      { age: 45, scheduled: 19 },
      { body: true, attachment: true },
    ],
    [
      'the period of a scheduled message ends like that of others',
      { age: 45, scheduled: 31 },
      { body: false, attachment: false },
    ],
  ])('%s', async (_, sample, kept) => {
    const seq = await inFile((db) => addMessage(db, sample));
    await remove();
    expect({ body: (await bodies()).length === 1, attachment: (await attachments()).length === 1 }).toEqual(
      kept,
    );
    const removed = await storage.tenants.read(tenantId, (db) => messageStore(db).removed(seq));
    expect(removed).toEqual({ content: kept.body ? 0 : 1, attachments: kept.attachment ? 0 : 1 });
    // The message itself stays: links in its copies name its recipients for ever.
    expect(await column('SELECT seq FROM messages')).toEqual([seq]);
    expect(await column('SELECT id FROM recipients')).toHaveLength(2);
  });

  test('content that was held is removed once it has been sent', async () => {
    await inFile((db) => addMessage(db, { age: 31, queued: true }));
    await remove();
    await inFile((db) => db.exec('DELETE FROM queue'));
    expect([await bodies(), await attachments()]).toEqual([[1], [1]]);
    await remove();
    expect([await bodies(), await attachments()]).toEqual([[], []]);
  });

  test('held rows do not keep later rows', async () => {
    await inFile((db) => {
      for (let count = 0; count < 7; count++) addMessage(db, { age: 50, queued: true });
      addMessage(db, { age: 40 });
      addMessage(db, { age: 1 });
    });
    await remove({ rowsPerBatch: 2 });
    expect(await bodies()).toEqual([1, 2, 3, 4, 5, 6, 7, 9]);
  });

  test('a message that is queued between reading and removal keeps its content', async () => {
    await inFile((db) => addMessage(db, { age: 31, queued: true }));
    await inFile((db) => {
      retentionStore(db).remove(oldAttachments, [1]);
      retentionStore(db).remove(oldBodies, [1]);
    });
    expect([await bodies(), await attachments()]).toEqual([[1], [1]]);
    expect(await column('SELECT * FROM removed_attachments')).toEqual([]);
  });

  test('a practice with 0 days keeps content that is still to be sent', async () => {
    await inFile((db) => {
      tenantStore(db).updateRetention({
        keep_bodies: 0,
        keep_attachments: 0,
        keep_events: null,
        keep_messages: null,
        keep_consent_ip: null,
        keep_consent_user_agent: null,
      });
      addMessage(db, { age: 0.001 });
      addMessage(db, { age: 0.001, queued: true });
    });
    await remove();
    expect([await bodies(), await attachments()]).toEqual([[2], [2]]);
  });

  test('a practice may choose a shorter period, not a longer one', async () => {
    await inFile((db) => {
      tenantStore(db).updateRetention({
        keep_bodies: 7,
        keep_attachments: 500,
        keep_events: null,
        keep_messages: null,
        keep_consent_ip: null,
        keep_consent_user_agent: null,
      });
      addMessage(db, { age: 21 });
      addMessage(db, { age: 8 });
      addMessage(db, { age: 6 });
    });
    await remove();
    expect([await bodies(), await attachments()]).toEqual([[3], [2, 3]]);
  });

  test('removed content is overwritten in the file', async () => {
    const words = Buffer.from('Diagnose: nicht fuer fremde Augen. '.repeat(1_000));
    await inFile((db) => {
      addMessage(db, { age: 31, attachment: words });
      messageStore(db).insertShared({ text: words.toString(), html: null, data: {} }, NOW - 31 * DAY);
    });
    const file = path.join(directory, 'tenants', tenantId, 'tenant.db');
    await storage.close();
    expect((await readFile(file)).includes(words.subarray(0, 100))).toBe(true);
    storage = await openTestStorage(directory);
    await remove();
    await storage.close();
    expect((await readFile(file)).includes(words.subarray(0, 34))).toBe(false);
  });
});

describe('content that many messages share', () => {
  const addShared = (db: TenantDb, age: number): number =>
    messageStore(db).insertShared({ text: 'Liebe {{name}}', html: null, data: {} }, NOW - age * DAY);
  const share = (db: TenantDb, seq: number, id: number) =>
    db.prepare('UPDATE message_bodies SET shared_id = ? WHERE message_seq = ?').run(id, seq);
  const shared = () => column('SELECT id FROM shared_contents ORDER BY 1');

  test('is removed with the last of them', async () => {
    await inFile((db) => {
      const id = addShared(db, 40);
      share(db, addMessage(db, { age: 40 }), id);
      share(db, addMessage(db, { age: 40, queued: true }), id);
    });
    await remove();
    expect([await bodies(), await shared()]).toEqual([[2], [1]]);
    await inFile((db) => db.exec('DELETE FROM queue'));
    await remove();
    expect([await bodies(), await shared()]).toEqual([[], []]);
  });

  test('is removed if no message uses it, but not while its bulk may still be in flight', async () => {
    await inFile((db) => {
      addShared(db, 1.1);
      addShared(db, 0.9);
    });
    await remove();
    expect(await shared()).toEqual([2]);
  });
});

describe('captured mail', () => {
  test('has the period of its message’s content; mail to the operator has that of incoming mail', async () => {
    await inFile((db) => {
      const { id } = messageStore(db).bySeq(addMessage(db, { age: 100 })) ?? { id: '' };
      for (const age of [91, 89, 31, 29]) {
        addCapture(db, id, age);
        addCapture(db, newId(), age);
      }
    });
    await remove();
    expect(await column(`SELECT (${NOW} - captured_at) / ${DAY} FROM captures ORDER BY seq`)).toEqual([
      89, 31, 29, 29,
    ]);
  });
});

describe('events', () => {
  const addEvents = (db: TenantDb, count: number, age: number) => {
    for (let index = 0; index < count; index++)
      eventStore(db).append({ type: 'message.sent', messageSeq: 1, recipientId: null, at: NOW - age * DAY });
  };

  test('are removed a day after their time, not a day before', async () => {
    await inFile((db) => {
      addEvents(db, 3, 401);
      addEvents(db, 2, 399);
    });
    await remove();
    expect(await column('SELECT seq FROM events')).toEqual([4, 5]);
  });

  test('100,000 of them are removed in transactions of 500, and then nothing more is written', async () => {
    await inFile((db) => {
      addEvents(db, 100_000, 401);
      addEvents(db, 1, 1);
    });
    let writes = 0;
    const most: number[] = [];
    const counting: Storage['tenants'] = {
      ...storage.tenants,
      write: (id, work) => {
        writes += 1;
        return storage.tenants.write(id, (db) => {
          const before = Number(db.prepare('SELECT total_changes()').pluck().get());
          const result = work(db);
          most.push(Number(db.prepare('SELECT total_changes()').pluck().get()) - before);
          return result;
        });
      },
    };
    const deps = { files: counting, installation, oldRows, key, now: NOW, pace: atOnce };
    await removeOld(tenantId, deps, new AbortController().signal);
    expect({ writes, most: Math.max(...most) }).toEqual({ writes: 200, most: 500 });
    expect(await column('SELECT seq FROM events')).toEqual([100_001]);
    await removeOld(tenantId, deps, new AbortController().signal);
    expect(writes).toBe(200);
  });
});

describe('deliveries to webhooks', () => {
  /** Made `age` days ago, ended `ended` days ago; without an end it is pending. */
  const addDelivery = (db: TenantDb, age: number, ended?: number) => {
    db.exec(
      `INSERT OR IGNORE INTO webhooks (number, id, name, sealed_url, events_json, sealed_secret, status, after_seq, created_at)
       VALUES (1, 'w', 'w', x'00', '[]', x'00', 'active', 0, 0)`,
    );
    const { lastInsertRowid } = db
      .prepare(
        `INSERT INTO webhook_deliveries (id, webhook, event, event_seq, order_key, status, created_at, updated_at)
         VALUES (?, 1, 'message.sent', 1, 1, ?, ?, ?)`,
      )
      .run(
        newId(),
        ended === undefined ? 'pending' : 'delivered',
        NOW - age * DAY,
        NOW - (ended ?? age) * DAY,
      );
    return Number(lastInsertRowid);
  };
  const deliveries = () => column('SELECT seq FROM webhook_deliveries ORDER BY 1');

  test.each<[string, number, number | undefined, boolean]>([
    ['a day before their time they are there', 29, 29, true],
    ['a day after it they are gone', 31, 31, false],
    ['their time begins with their end', 31, 29, true],
    ['a pending delivery stays', 300, undefined, true],
  ])('%s', async (_, age, ended, isKept) => {
    await inFile((db) => addDelivery(db, age, ended));
    await remove();
    expect(await deliveries()).toHaveLength(isKept ? 1 : 0);
  });

  test('are kept no longer than their events', async () => {
    await inFile((db) => {
      tenantStore(db).updateRetention({
        keep_bodies: null,
        keep_attachments: null,
        keep_events: 7,
        keep_messages: null,
        keep_consent_ip: null,
        keep_consent_user_agent: null,
      });
      addDelivery(db, 8, 8);
      addDelivery(db, 6, 6);
    });
    await remove();
    expect(await deliveries()).toEqual([2]);
  });

  test('one that is replayed between reading and removal stays', async () => {
    await inFile((db) => {
      const seq = addDelivery(db, 40, 40);
      db.prepare("UPDATE webhook_deliveries SET status = 'pending' WHERE seq = ?").run(seq);
      retentionStore(db).remove(oldDeliveries, [seq]);
    });
    expect(await deliveries()).toEqual([1]);
  });
});

describe('a night that is cut short', () => {
  test('ends between two transactions, and the next night continues', async () => {
    await inFile((db) => {
      for (let count = 0; count < 10; count++) addMessage(db, { age: 40 });
    });
    const stop = new AbortController();
    let works = 0;
    const pace: Pace = async (work) => {
      const done = await work();
      works += 1;
      if (works === 2) stop.abort();
      return done;
    };
    await remove({ rowsPerBatch: 3, signal: stop.signal, pace });
    expect(await bodies()).toEqual([7, 8, 9, 10]);
    expect(await attachments()).toHaveLength(10);
    await storage.close();
    storage = await openTestStorage(directory);
    await remove({ rowsPerBatch: 3 });
    expect([await bodies(), await attachments()]).toEqual([[], []]);
  });

  test('rows that were written while the clock was wrong do not keep later rows', async () => {
    await inFile((db) => {
      addMessage(db, { age: -3_000 });
      addMessage(db, { age: 40 });
    });
    await remove();
    expect(await bodies()).toEqual([1]);
  });
});

test('rows are found by their key, and rows that are not old are not read', async () => {
  const { db } = await openTenantDb();
  const plans = plansOf(db, (connection) => {
    for (const { scan, remove } of [...oldRows, oldEvents])
      for (const sql of [scan, ...remove]) connection.prepare(sql);
  });
  const loose = plans.flatMap(({ sql, steps }) =>
    steps.filter((step) => /SCAN|TEMP B-TREE/.test(step)).map((step) => `${step}: ${sql}`),
  );
  expect(loose).toEqual([]);
  expect(plans.length).toBeGreaterThan(10);
});

describe('the rows of old messages', () => {
  const MANY = 120;
  const left = () => column('SELECT seq FROM messages WHERE is_pseudonymous = 0');

  test('lose what they say of people, and a night that was cut off goes on where it ended', async () => {
    await inFile((db) => {
      for (let count = 0; count < MANY; count += 1) addMessage(db, { age: 401 });
    });
    const failing: Storage['tenants'] = {
      ...storage.tenants,
      write: async (id, work) => {
        if ((await left()).length < MANY) throw new Error('no disk');
        return storage.tenants.write(id, work);
      },
    };
    const deps = { installation, oldRows, key, now: NOW, pace: atOnce };
    const { signal } = new AbortController();
    await expect(removeOld(tenantId, { ...deps, files: failing }, signal)).rejects.toThrow('no disk');
    const rest = (await left()).length;
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(MANY);
    await remove();
    expect(await left()).toEqual([]);
    expect(await column("SELECT address FROM recipients WHERE address LIKE '%@%'")).toEqual([]);
    expect(await column('SELECT count(DISTINCT address) FROM recipients')).toEqual([2]);
    expect(await column('SELECT seq FROM pseudonymous_to')).toEqual([MANY]);
  });

  test('keep it while a message waits, which does not hold up the others', async () => {
    const waiting = await inFile((db) => addMessage(db, { age: 500, queued: true }));
    await inFile((db) => addMessage(db, { age: 450 }));
    await remove();
    expect(await left()).toEqual([waiting]);
    expect(await column('SELECT seq FROM pseudonymous_to')).toEqual([waiting - 1]);
    await inFile((db) => db.prepare('DELETE FROM queue').run());
    await remove();
    expect(await left()).toEqual([]);
  });
});
