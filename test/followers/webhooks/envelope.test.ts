import { expect, test } from 'vitest';
import { z } from 'zod';
import { envelopeOf, envelopeSchema, testDataSchema, testEnvelope } from '#src/followers/webhooks/schema.ts';
import { newId } from '#src/kernel/id.ts';

test('is id, event, timestamp and data, in this order', () => {
  const told = {
    event: 'message.sent',
    timestamp: '2025-11-24T16:00:00.000Z',
    data: { message_id: 'm', status: 'processed' },
  };
  expect(envelopeOf('i', told)).toBe(
    '{"id":"i","event":"message.sent","timestamp":"2025-11-24T16:00:00.000Z","data":{"message_id":"m","status":"processed"}}',
  );
});

test('of a test says which webhook is tested', () => {
  const [id, webhookId] = [newId(), newId()];
  const body = JSON.parse(testEnvelope(id, { id: webhookId, name: 'Praxis „Süd“' }, 1_764_000_000_000));
  expect(body).toEqual({
    id,
    event: 'webhook.test',
    timestamp: '2025-11-24T16:00:00.000Z',
    data: { webhook_id: webhookId, webhook_name: 'Praxis „Süd“' },
  });
  expect(envelopeSchema('webhook.test', testDataSchema).parse(body)).toEqual(body);
  expect(() => envelopeSchema('webhook.test', z.strictObject({})).parse(body)).toThrow('webhook_id');
});
