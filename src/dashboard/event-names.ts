// The events of a practice, by name; the compiler checks that none is missing.
import type { EventName } from '#api';

const names: Readonly<Record<EventName, true>> = {
  'message.created': true,
  'message.sent': true,
  'message.delivered': true,
  'message.opened': true,
  'message.clicked': true,
  'message.hard_bounced': true,
  'message.soft_bounced': true,
  'message.auto_replied': true,
  'message.spam_complaint': true,
  'message.failed': true,
  'message.content_blocked': true,
  'message.suppressed': true,
  'message.unsubscribed': true,
  'message.delivery_delayed': true,
  'message.subscription': true,
  'suppression.added': true,
  'suppression.removed': true,
  'inbound.received': true,
};

export const eventNames = Object.keys(names) as readonly EventName[];
