// An event as webhooks, alerts and the activity stream publish it: its name, its time and its data. The data always has all
// fields of its type, null where nothing is known. The same event always has the same bytes. Pure.
import { z } from 'zod';
import type { EventType } from '#src/events/catalogue.ts';
import type { FollowedEvent, FollowedMail } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import { toIso } from '#src/kernel/time.ts';
import {
  contentField,
  type LinkedMail,
  linkField,
  listField,
  messageFields,
  type PublishedField,
  readerFields,
  replyFields,
  ruleField,
  scopeField,
  suppressionField,
  suppressionFields,
} from './published-fields.ts';
import { inboundFields } from './published-mail.ts';
import type { MessageSettings } from './settings.ts';

type Fields = Readonly<Record<string, PublishedField>>;

const withReply: Fields = { ...messageFields, ...replyFields };
const bounced: Fields = { ...withReply, ...ruleField };
const unsubscribed: Fields = { ...messageFields, ...scopeField, ...suppressionField };

/** The fields of each event, in the order in which they are written. */
export const publishedFields: Readonly<Record<EventType, Fields>> = {
  'message.created': messageFields,
  'message.sent': withReply,
  'message.delivered': withReply,
  'message.opened': { ...messageFields, ...readerFields },
  'message.clicked': { ...messageFields, ...linkField, ...readerFields },
  'message.hard_bounced': bounced,
  'message.soft_bounced': bounced,
  'message.auto_replied': messageFields,
  'message.spam_complaint': messageFields,
  'message.failed': { ...withReply, ...contentField },
  'message.content_blocked': { ...messageFields, ...contentField },
  'message.suppressed': { ...messageFields, ...suppressionField },
  'message.unsubscribed': unsubscribed,
  'message.delivery_delayed': withReply,
  'message.subscription': { ...unsubscribed, ...listField },
  'suppression.added': suppressionFields,
  'suppression.removed': suppressionFields,
  'inbound.received': inboundFields,
};

/** Shape of `data` with these fields. */
export const dataOf = (fields: Fields): z.ZodObject =>
  z.strictObject(Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])));

export const publishedDataSchema = (type: EventType): z.ZodObject => dataOf(publishedFields[type]);

export interface PublishedEvent {
  readonly event: string;
  /** When it happened, ISO 8601 UTC. */
  readonly timestamp: string;
  /** The shape is `publishedDataSchema` of its type. */
  readonly data: Record<string, unknown>;
}

const storedData = ({ data_json }: FollowedEvent): EventData =>
  data_json === null ? {} : JSON.parse(data_json);

const isTracked = ({ settings_json }: FollowedEvent): boolean => {
  const settings: Partial<MessageSettings> = settings_json === null ? {} : JSON.parse(settings_json);
  return settings.track_opens === true || settings.track_clicks === true;
};

/**
 * Whether webhooks and alerts get the event. Repetitions are left out, and so are delays of messages whose opens and
 * clicks are not tracked.
 */
export const isPublished = (row: FollowedEvent): boolean =>
  storedData(row).repeated !== true && (row.type !== 'message.delivery_delayed' || isTracked(row));

/** Whether all is kept that it is about. The mail that it is about may be removed before it. */
export const isComplete = ({ inbound_seq, inbound_json }: FollowedEvent): boolean =>
  inbound_seq === null || inbound_json !== null;

/** Where the API has what belongs to a practice: `https://mail.example.com/api/practices/<id>`. */
export type PracticeUrl = (tenantId: string) => string;
export const practiceUrlAt =
  (origin: string): PracticeUrl =>
  (tenantId) =>
    `${origin}/api/practices/${tenantId}`;

/** `practiceUrl`: see `PracticeUrl`. */
export const mailUrl = (practiceUrl: string, inboundId: string): string =>
  `${practiceUrl}/inbound/messages/${inboundId}`;

const linkedMail = ({ inbound_json }: FollowedEvent, practiceUrl: string): LinkedMail | null => {
  if (inbound_json === null) return null;
  const mail: FollowedMail = JSON.parse(inbound_json);
  return { ...mail, url: mailUrl(practiceUrl, mail.id) };
};

/** `practiceUrl`: see `PracticeUrl`. */
export const publishedEvent = (row: FollowedEvent, practiceUrl: string): PublishedEvent => {
  const known = storedData(row);
  const mail = linkedMail(row, practiceUrl);
  const data: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(publishedFields[row.type]))
    data[name] = field.of(row, known, mail);
  return { event: row.type, timestamp: toIso(row.at), data };
};
