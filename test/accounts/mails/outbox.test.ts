import { beforeEach, describe, expect, test } from 'vitest';
import { createOutbox } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { type NoticeRow, noticeStore } from '#src/accounts/mails/store.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { testSealingKey } from '#test/support/keys.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const NOW = 1_700_000_000_000;
const notice = (code: string): Notice => ({
  kind: 'sign_in_code',
  code,
  minutes: 10,
  link: 'https://mail.example.com/app/sign-in',
  to: 'anna@example.org',
  language: 'de',
  expiresAfter: NOW + 600_000,
});

const outbox = createOutbox(testSealingKey(7));
let storage: Storage;
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
});

const write = <T>(work: (db: PlatformDb) => T): Promise<T> => storage.platform.write(work);
const rows = (): Promise<NoticeRow[]> => storage.platform.read((db) => noticeStore(db).waiting(100));

describe('a notice that waits', () => {
  test('is opened as it was written, and shows nothing before', async () => {
    await write((db) => outbox.enqueue(db, notice('042317'), NOW));
    const [row] = await rows();
    expect(row).toMatchObject({ expires_at: NOW + 600_000, created_at: NOW });
    expect(row?.sealed.includes('042317')).toBe(false);
    expect(row?.sealed.includes('anna@example.org')).toBe(false);
    expect(row && outbox.open(row)).toEqual(notice('042317'));
  });

  test('is not opened under another key, nor as another notice', async () => {
    await write((db) => outbox.enqueue(db, notice('042317'), NOW));
    await write((db) => outbox.enqueue(db, notice('571902'), NOW));
    const [first, second] = await rows();
    if (!first || !second) throw new Error('two notices wait');
    expect(() => createOutbox(testSealingKey(8)).open(first)).toThrow();
    expect(() => outbox.open({ ...first, sealed: second.sealed })).toThrow();
  });

  test('is not there where its change was undone', async () => {
    const undone = write((db) => {
      outbox.enqueue(db, notice('042317'), NOW);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await rows()).toEqual([]);
  });
});

test('what was handed in under an id of its own waits once', async () => {
  await write((db) => outbox.enqueue(db, notice('042317'), NOW, 'told'));
  await write((db) => outbox.enqueue(db, notice('571902'), NOW + 1, 'told'));
  await write((db) => outbox.enqueue(db, notice('571902'), NOW, 'told-again'));
  const [first, second, ...others] = await rows();
  expect(others).toEqual([]);
  expect(first && outbox.open(first)).toEqual(notice('042317'));
  expect(second && outbox.open(second)).toEqual(notice('571902'));
});

test('notices are read in the order they were written, but for those that are left out', async () => {
  for (const code of ['000001', '000002', '000003'])
    await write((db) => outbox.enqueue(db, notice(code), NOW));
  const waiting = (limit: number, leftOut: readonly string[] = []) =>
    storage.platform.read((db) => noticeStore(db).waiting(limit, (id) => leftOut.includes(id)));
  const codes = (found: readonly NoticeRow[]) =>
    found.map((row) => {
      const opened = outbox.open(row);
      return opened.kind === 'sign_in_code' ? opened.code : '';
    });
  const first = await waiting(2);
  expect(codes(first)).toEqual(['000001', '000002']);
  expect(codes(await waiting(2, [first[0]?.id ?? '']))).toEqual(['000002', '000003']);
});

test('a notice that was removed is gone', async () => {
  await write((db) => outbox.enqueue(db, notice('042317'), NOW));
  const [row] = await rows();
  await write((db) => noticeStore(db).remove(row?.id ?? ''));
  expect(await rows()).toEqual([]);
});
