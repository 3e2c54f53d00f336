// An event of the log as those who look at it see it: what webhooks are told, and whether they were. Pure.
import type { FollowedEvent } from '#src/events/follow-store.ts';
import { encodeCursor } from '#src/kernel/list.ts';
import { publishedEvent } from '#src/messages/published-event.ts';
import type { Activity } from './schema.ts';

/** A record says it only where it is so; anything else that has the word in it is parsed for nothing. */
const isRepeated = ({ data_json }: FollowedEvent): boolean =>
  data_json?.includes('"repeated"') === true && JSON.parse(data_json).repeated === true;

export const presentActivity = (row: FollowedEvent): Activity => {
  const { event, timestamp, data } = publishedEvent(row);
  const repeated = isRepeated(row) ? { repeated: true } : {};
  return { id: row.id, event: event as Activity['event'], timestamp, data: { ...data, ...repeated } };
};

// The form of a live stream is that of server-sent events (WHATWG HTML §9.2): fields in lines, an empty line after each event.

/** The place is its id, so that a client that has lost the connection names it in `Last-Event-ID`. */
export const eventFrame = (row: FollowedEvent): string => {
  const activity = presentActivity(row);
  return `id: ${encodeCursor(row.seq)}\nevent: ${activity.event}\ndata: ${JSON.stringify(activity)}\n\n`;
};

/** A place without an event: clients keep it and tell nobody of it. */
export const placeFrame = (place: number): string => `id: ${encodeCursor(place)}\n\n`;

/** Keeps proxies from taking the connection for idle; clients pass it over. */
export const BEAT = ':\n\n';

/** Why events are missing before the next one: no longer kept; or the place is of a log that has been replaced by a backup. */
export type Gap = 'removed' | 'restored';
export const gapFrame = (reason: Gap): string => `event: gap\ndata: ${JSON.stringify({ reason })}\n\n`;

/** How soon a client that has lost the connection comes back, ms. */
export const retryFrame = (ms: number): string => `retry: ${ms}\n\n`;
