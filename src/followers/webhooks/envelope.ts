// The body of a delivery. It is composed anew at each attempt out of what never changes, so that one id always has the same
// bytes. Pure.
import { z } from 'zod';
import { TEST_EVENT } from '#src/events/catalogue.ts';
import { toIso } from '#src/kernel/time.ts';
import type { PublishedEvent } from '#src/messages/published-event.ts';

/** What is around the `data` of every event. */
export const envelopeSchema = <Data extends z.ZodType>(event: string, data: Data) =>
  z.strictObject({
    id: z.uuid().describe('of the delivery, as `webhook-id`: the same at each attempt and each replay'),
    event: z.literal(event).describe('name of the event'),
    timestamp: z.iso.datetime().describe('when it happened'),
    data,
  });

export const testDataSchema = z.strictObject({
  webhook_id: z.uuid(),
  webhook_name: z.string(),
});

/** `id`: of the delivery, UUID. */
export const envelopeOf = (id: string, { event, timestamp, data }: PublishedEvent): string =>
  JSON.stringify({ id, event, timestamp, data });

export interface TestFacts {
  readonly webhookId: string;
  readonly name: string;
  /** ms */
  readonly at: number;
}

export const testEnvelope = (id: string, { webhookId, name, at }: TestFacts): string => {
  const data: z.infer<typeof testDataSchema> = { webhook_id: webhookId, webhook_name: name };
  return envelopeOf(id, { event: TEST_EVENT, timestamp: toIso(at), data });
};
