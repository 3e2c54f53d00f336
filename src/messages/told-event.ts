// What those who follow the events are told of one: its name, its time and what is known. An event is told in the same words
// each time. Pure.
import type { FollowedEvent } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import { toIso } from '#src/kernel/time.ts';
import type { MessageSettings } from './settings.ts';
import { toldFields } from './told-event-schema.ts';

export interface ToldEvent {
  readonly event: string;
  /** When it happened, ISO 8601 UTC. */
  readonly timestamp: string;
  /** As `toldDataSchema` of its type says. */
  readonly data: Record<string, unknown>;
}

const dataOf = ({ data_json }: FollowedEvent): EventData => (data_json === null ? {} : JSON.parse(data_json));

const isTracked = ({ settings_json }: FollowedEvent): boolean => {
  const settings: Partial<MessageSettings> = settings_json === null ? {} : JSON.parse(settings_json);
  return settings.track_opens === true || settings.track_clicks === true;
};

/**
 * Whether webhooks and alerts are told of it: not of what has been told before, nor of a delay of a message whose opens and
 * clicks nobody tracks (service.md, Events, rule 1).
 */
export const isTold = (row: FollowedEvent): boolean =>
  dataOf(row).repeated !== true && (row.type !== 'message.delivery_delayed' || isTracked(row));

export const toldEvent = (row: FollowedEvent): ToldEvent => {
  const known = dataOf(row);
  const data: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(toldFields[row.type])) data[name] = field.of(row, known);
  return { event: row.type, timestamp: toIso(row.at), data };
};
