// Events of the log as the activity shows them, as pages and as a live stream: the data that webhooks get, and whether they got it.
import { z } from 'zod';
import { eventTypes } from '#src/events/catalogue.ts';
import type { FollowedEvent } from '#src/events/follow-store.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { encodeCursor, listOf, listQuery } from '#src/kernel/list.ts';
import { publishedEvent } from '#src/messages/published-event.ts';

const CURSOR_LENGTH = 100;
const eventName = z.enum(eventTypes).meta({ id: 'EventName' });

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

export const activitySchema = z
  .strictObject({
    id: z.uuid().describe("the event's own: the `event_id` that deliveries of it bear in `data`"),
    event: eventName,
    timestamp: z.iso.datetime(),
    data: z
      .record(z.string(), z.unknown())
      .describe('as webhooks get it; `repeated` where they do not, because they had it before'),
  })
  .meta({ id: 'Activity' });
export type Activity = z.output<typeof activitySchema>;

export const activityPage = z
  .strictObject({
    ...listOf(activitySchema).shape,
    last_event_id: z
      .string()
      .describe(
        'where the log ended when the page was read: the live stream goes on from there without a gap',
      ),
  })
  .meta({ id: 'ActivityPage' });

/** Few records have the word in them: the others are not parsed. */
const isRepeated = ({ data_json }: FollowedEvent): boolean =>
  data_json?.includes('"repeated"') === true && JSON.parse(data_json).repeated === true;

/** `practiceUrl`: see `publishedEvent`. */
export const presentActivity = (row: FollowedEvent, practiceUrl: string): Activity => {
  const { event, timestamp, data } = publishedEvent(row, practiceUrl);
  const repeated = isRepeated(row) ? { repeated: true } : {};
  return { id: row.id, event: event as Activity['event'], timestamp, data: { ...data, ...repeated } };
};

// The form of a live stream is that of server-sent events (WHATWG HTML §9.2): fields in lines, an empty line after each event.

/** The place is its id, so that a client that has lost the connection names it in `Last-Event-ID`. */
export const eventFrame = (row: FollowedEvent, practiceUrl: string): string => {
  const activity = presentActivity(row, practiceUrl);
  return `id: ${encodeCursor(row.seq)}\nevent: ${activity.event}\ndata: ${JSON.stringify(activity)}\n\n`;
};

/** A place without an event: clients keep it and show nothing. */
export const placeFrame = (place: number): string => `id: ${encodeCursor(place)}\n\n`;

/** Keeps proxies from taking the connection for idle; clients pass it over. */
export const BEAT = ':\n\n';

/** Why events are missing before the next one: no longer kept; or the place is of a log that has been replaced by a backup. */
export type Gap = 'removed' | 'restored';
export const gapFrame = (reason: Gap): string => `event: gap\ndata: ${JSON.stringify({ reason })}\n\n`;

/** How soon a client that has lost the connection comes back, ms. */
export const retryFrame = (ms: number): string => `retry: ${ms}\n\n`;
