import { expect, test } from 'vitest';
import { eventStore } from '#src/events/store.ts';
import { inboundStore } from '#src/inbound/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { openTenantDb } from '#test/support/storage.ts';

const bytesIn = (db: TenantDb): number =>
  db.prepare<[], number>('SELECT sum(size_bytes) FROM inbound_messages').pluck().get() ?? 0;

test('the bytes that are kept are right from the first mail of a connection, and the first removal', async () => {
  const { db } = await openTenantDb();
  const store = inboundStore(db);
  receiveMail(db, { size_bytes: 10_000 });
  expect(store.storedBytes()).toBe(10_000);
  const { seq } = receiveMail(db, { size_bytes: 500 });
  // A small mail takes more than its bytes.
  expect(store.storedBytes()).toBe(14_096);

  const { db: other } = await openTenantDb();
  other.prepare('ATTACH ? AS first').run(db.name);
  other.prepare('INSERT INTO inbound_messages SELECT * FROM first.inbound_messages').run();
  inboundStore(other).remove([seq, seq, 99]);
  expect([inboundStore(other).storedBytes(), bytesIn(other)]).toEqual([10_000, 10_000]);
});

test('pieces of removed mail go a few at a time', async () => {
  const { db } = await openTenantDb();
  const store = inboundStore(db);
  const { seq } = receiveMail(db, { size_bytes: 2_000_000 });
  receiveMail(db, { size_bytes: 300_000 });
  const pieces = () => db.prepare<[], number>('SELECT count(*) FROM inbound_pieces').pluck().get();
  expect(pieces()).toBe(8 + 2);
  store.remove([seq]);
  const counts: unknown[] = [];
  while (store.hasRemoved(null)) {
    store.removePieces(null);
    counts.push(pieces());
  }
  expect(counts).toEqual([6, 2, 2]);
});

test('small mails that were removed go many at a time, and one that is deleted waits for no other', async () => {
  const { db } = await openTenantDb();
  const store = inboundStore(db);
  const seqs = Array.from({ length: 300 }, () => receiveMail(db, { size_bytes: 1_000 }).seq);
  const { seq: large } = receiveMail(db, { size_bytes: 600_000 });
  store.remove([...seqs, large]);
  const turns = (of: number | null): number => {
    let count = 0;
    for (; store.hasRemoved(of); count += 1) store.removePieces(of);
    return count;
  };
  expect([turns(large), turns(null)]).toEqual([1, 2]);
  expect(db.prepare<[], number>('SELECT count(*) FROM inbound_pieces').pluck().get()).toBe(0);
});

test('answers are no part of what a return path is judged by', async () => {
  const { db } = await openTenantDb();
  receiveMail(db, {}, { messageSeq: 1, recipientId: 2 });
  expect(eventStore(db).ofRecipient(1, 2)).toEqual([]);
});
