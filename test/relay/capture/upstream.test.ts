import { beforeEach, expect, test } from 'vitest';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { unseal } from '#src/kernel/seal.ts';
import { captureStore } from '#src/relay/capture/store.ts';
import { createCaptureUpstream } from '#src/relay/capture/upstream.ts';
import { judge } from '#src/relay/outcome.ts';
import { testSealingKey } from '#test/support/keys.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const envelope = { returnPath: 'bounce@example.com', recipient: 'anna@example.org', envelopeId: '' };

let storage: Storage;
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
});

const KEY = testSealingKey(5);
const SOURCE = Buffer.from('Subject: Termin\r\n\r\nIhr Code: 123456\r\n');

const transmit = (tenantId: string) =>
  createCaptureUpstream({
    name: 'capture',
    keep: 10,
    files: storage.tenants,
    clock: createTestClock(),
    key: KEY,
  }).transmit(envelope, SOURCE, { tenantId, messageId: newId() });

test('what is kept was accepted', async () => {
  expect(judge(await transmit(await createSampleTenant(storage))).kind).toBe('accepted');
});

test('a file that cannot be written is the message’s misfortune, not the upstream’s that all share', async () => {
  expect(judge(await transmit(newId())).kind).toBe('deferred');
});

test('what is kept is sealed, bound to its capture, and its size is that of the source', async () => {
  const tenantId = await createSampleTenant(storage);
  await transmit(tenantId);
  const kept = await storage.tenants.read(tenantId, (db) => {
    const [row] = captureStore(db).list({ messageId: null, text: null, projects: null }, null, 10).rows;
    return { row, sealed: captureStore(db).source(row?.id ?? '', null) };
  });
  const { id = '', size_bytes } = kept.row ?? {};
  const sealed = kept.sealed ?? Buffer.alloc(0);
  expect(size_bytes).toBe(SOURCE.length);
  expect(sealed.includes('123456')).toBe(false);
  expect(unseal(KEY, sealed, id)).toEqual(SOURCE);
  expect(() => unseal(KEY, sealed, newId())).toThrow();
});
