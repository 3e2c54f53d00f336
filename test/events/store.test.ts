import { beforeEach, expect, test } from 'vitest';
import { eventStore } from '#src/events/store.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

let tenant: SampleTenant;
beforeEach(async () => {
  tenant = await openTenantDb();
});

test('events are read in the order they happened, page by page, of one message only', () => {
  const events = eventStore(tenant.db);
  const { seq, recipientIds } = queueMessage(tenant, { recipients: ['anna@example.org'] });
  const other = queueMessage(tenant).seq;
  const [recipientId = 0] = recipientIds;
  events.append({ type: 'message.created', messageSeq: seq, recipientId: null, at: 3 });
  events.append({ type: 'message.created', messageSeq: other, recipientId: null, at: 2 });
  events.append({ type: 'message.sent', messageSeq: seq, recipientId, at: 1, data: { smtp_code: 250 } });

  const [created, sent, ...more] = events.ofMessage(seq, 0, 10);
  expect(created).toMatchObject({ type: 'message.created', recipient: null, at: 3, data_json: null });
  expect(sent).toMatchObject({
    type: 'message.sent',
    recipient: 'anna@example.org',
    data_json: '{"smtp_code":250}',
  });
  expect(more).toEqual([]);
  expect(events.ofMessage(seq, 0, 1)).toEqual([created]);
  expect(events.ofMessage(seq, created?.seq ?? 0, 10)).toEqual([sent]);
});

test('a reply is among the events of its message, but for who may not see mail received', () => {
  const events = eventStore(tenant.db);
  const { seq, recipientIds } = queueMessage(tenant, { recipients: ['anna@example.org'] });
  receiveMail(tenant.db);
  const [recipientId = 0] = recipientIds;
  const reply = receiveMail(tenant.db, {}, { messageSeq: seq, recipientId });
  const of = () => events.ofMessage(seq, 0, 10);
  expect(of()).toMatchObject([
    { type: 'inbound.received', recipient: 'anna@example.org', inbound_id: reply.id },
  ]);
  expect(events.ofMessage(seq, 0, 10, false)).toEqual([]);
  tenant.db.prepare('DELETE FROM inbound_messages').run();
  expect(of()).toMatchObject([{ type: 'inbound.received', inbound_id: null }]);
});

test('nothing in the log can be changed', () => {
  const { seq } = queueMessage(tenant);
  eventStore(tenant.db).append({ type: 'message.created', messageSeq: seq, recipientId: null, at: 1 });
  const before = tenant.db.prepare('SELECT * FROM events').all();
  for (const column of [
    'seq',
    'id',
    'message_seq',
    'recipient_id',
    'inbound_seq',
    'type',
    'at',
    'data_json',
  ]) {
    expect(() => tenant.db.exec(`UPDATE events SET ${column} = ${column}`), column).toThrow(
      'events are append-only',
    );
  }
  expect(() => tenant.db.exec('UPDATE OR REPLACE events SET at = 9')).toThrow('events are append-only');
  expect(tenant.db.prepare('SELECT * FROM events').all()).toEqual(before);
});

test('a position is never given twice, also after old events were removed', () => {
  const events = eventStore(tenant.db);
  const { seq } = queueMessage(tenant);
  const append = () => events.append({ type: 'message.sent', messageSeq: seq, recipientId: null, at: 1 });
  append();
  const first = events.ofMessage(seq, 0, 1)[0]?.seq ?? 0;
  tenant.db.exec('DELETE FROM events');
  append();
  expect(events.ofMessage(seq, 0, 1)[0]?.seq).toBe(first + 1);
});

test('events outlive the recipient they are about', () => {
  const { seq, recipientIds } = queueMessage(tenant);
  const [recipientId = 0] = recipientIds;
  eventStore(tenant.db).append({ type: 'message.sent', messageSeq: seq, recipientId, at: 1 });
  tenant.db.prepare('DELETE FROM recipients WHERE id = ?').run(recipientId);
  expect(eventStore(tenant.db).ofMessage(seq, 0, 10)).toMatchObject([
    { type: 'message.sent', recipient: null },
  ]);
});
