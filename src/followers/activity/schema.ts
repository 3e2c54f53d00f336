// The activity of a practice as clients ask for it and see it.
import { z } from 'zod';
import { eventTypes } from '#src/events/catalogue.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery } from '#src/kernel/list.ts';

const CURSOR_LENGTH = 100;
const eventName = z.enum(eventTypes);

export const activityQuery = z.strictObject({
  ...listQuery,
  event: z
    .union([eventName, z.array(eventName).max(eventTypes.length)])
    .transform((names) => [names].flat())
    .optional()
    .describe('only those of the name; may be given several times'),
  message_id: idSchema.optional().describe('only those about the message'),
  from: z.iso.datetime({ offset: true }).optional().describe('of pages: those at that time or after'),
  to: z.iso.datetime({ offset: true }).optional().describe('of pages: those before that time'),
  last_event_id: z
    .string()
    .max(CURSOR_LENGTH)
    .optional()
    .describe('of the live stream: as `Last-Event-ID`, which wins, for clients that cannot set a header'),
});
export type ActivityQuery = z.output<typeof activityQuery>;

export const activityHeaders = z.object({
  Accept: z.string().optional().describe('`text/event-stream` for the live stream'),
  'Last-Event-ID': z
    .string()
    .max(CURSOR_LENGTH)
    .optional()
    .describe('of the live stream: goes on after that place; without it, from now on'),
});

export const activitySchema = z.strictObject({
  id: z.uuid().describe("the event's own: the `event_id` that deliveries of it bear in `data`"),
  event: eventName,
  timestamp: z.iso.datetime(),
  data: z
    .record(z.string(), z.unknown())
    .describe('as webhooks are told it; `repeated` where they are not, because it had been told before'),
});
export type Activity = z.output<typeof activitySchema>;

export const activityPage = z.strictObject({
  ...listOf(activitySchema).shape,
  last_event_id: z
    .string()
    .describe('where the log ended when the page was read: the live stream goes on from there without a gap'),
});
