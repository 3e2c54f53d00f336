import { beforeEach, expect, test } from 'vitest';
import type { Storage } from '#src/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { createCaptureUpstream } from '#src/relay/capture/upstream.ts';
import { judge } from '#src/relay/outcome.ts';
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

const transmit = (tenantId: string) =>
  createCaptureUpstream({
    name: 'capture',
    keep: 10,
    files: storage.tenants,
    clock: createTestClock(),
  }).transmit(envelope, Buffer.from('Subject: Termin\r\n'), { tenantId, messageId: newId() });

test('what is kept was accepted', async () => {
  expect(judge(await transmit(await createSampleTenant(storage))).kind).toBe('accepted');
});

test('a file that cannot be written is the message’s misfortune, not the upstream’s that all share', async () => {
  expect(judge(await transmit(newId())).kind).toBe('deferred');
});
