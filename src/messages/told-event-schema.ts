// What each event tells beside its name and time: always all of its fields, null where nothing is known. Pure.
import { z } from 'zod';
import type { EventType } from '#src/events/catalogue.ts';
import {
  contentField,
  linkField,
  messageFields,
  readerFields,
  ruleField,
  scopeField,
  suppressionField,
  suppressionFields,
  type ToldField,
  wordFields,
} from './told-fields.ts';

type Fields = Readonly<Record<string, ToldField>>;

const said: Fields = { ...messageFields, ...wordFields };
const bounced: Fields = { ...said, ...ruleField };
const unsubscribed: Fields = { ...messageFields, ...scopeField, ...suppressionField };

/** In the order in which they are told. */
export const toldFields: Readonly<Record<EventType, Fields>> = {
  'message.created': messageFields,
  'message.sent': said,
  'message.delivered': said,
  'message.opened': { ...messageFields, ...readerFields },
  'message.clicked': { ...messageFields, ...linkField, ...readerFields },
  'message.hard_bounced': bounced,
  'message.soft_bounced': bounced,
  'message.auto_replied': messageFields,
  'message.spam_complaint': messageFields,
  'message.failed': { ...said, ...contentField },
  'message.content_blocked': { ...messageFields, ...contentField },
  'message.suppressed': { ...messageFields, ...suppressionField },
  'message.unsubscribed': unsubscribed,
  'message.delivery_delayed': said,
  'message.subscription': unsubscribed,
  'suppression.added': suppressionFields,
  'suppression.removed': suppressionFields,
};

/** Shape of `data`. */
export const toldDataSchema = (type: EventType): z.ZodObject =>
  z.strictObject(
    Object.fromEntries(Object.entries(toldFields[type]).map(([name, { schema }]) => [name, schema])),
  );
