// The published events, each declared once: its group, the operation that fires it, and whether a chat alert that names
// no events reports it. The log, subscriptions, the reference and its tests are derived from this list.

interface EventFacts {
  readonly group: 'message' | 'suppression';
  /** The operations that fire it. */
  readonly firedBy: string;
  /** Only where opens or clicks of the message are tracked, by its route or its settings. */
  readonly needsTracking?: true;
  /** Among the events of a chat alert that names none. */
  readonly alerts?: true;
}

export const eventCatalogue = {
  'message.created': {
    group: 'message',
    firedBy:
      'A message with at least one recipient is accepted: by any of the send calls, by SMTP, at once or scheduled. Once a message.',
  },
  'message.sent': {
    group: 'message',
    firedBy: 'The relay answers 2xx to the whole message, or a report says that it was accepted.',
  },
  'message.delivered': {
    group: 'message',
    firedBy:
      'A delivery notice or a report of the relay says that it has arrived; with `delivered_on: accept` the relay’s 2xx.',
  },
  'message.opened': {
    group: 'message',
    needsTracking: true,
    firedBy: 'The tracking pixel is loaded. Each time; `bot` where a machine did.',
  },
  'message.clicked': {
    group: 'message',
    needsTracking: true,
    firedBy: 'A tracked link is followed. Each time; `bot` where a machine did.',
  },
  'message.hard_bounced': {
    group: 'message',
    alerts: true,
    firedBy:
      'The relay, a bounce message or a report refuses for good because the address does not exist or takes no mail.',
  },
  'message.soft_bounced': {
    group: 'message',
    alerts: true,
    firedBy:
      'The relay, a bounce message or a report refuses for good for another reason: mailbox full, policy, content, size.',
  },
  'message.auto_replied': {
    group: 'message',
    firedBy: 'An automatic reply, such as an out-of-office notice, comes back.',
  },
  'message.spam_complaint': {
    group: 'message',
    alerts: true,
    firedBy: 'A feedback loop or a report of the relay says that the recipient called it spam.',
  },
  'message.failed': {
    group: 'message',
    alerts: true,
    firedBy:
      'The time for attempts is over; a scheduled message is cancelled; or its content is blocked (then about the whole message).',
  },
  'message.content_blocked': {
    group: 'message',
    alerts: true,
    firedBy: 'Content is refused at a send call or by SMTP. `message.failed` comes with it.',
  },
  'message.suppressed': {
    group: 'message',
    firedBy: 'A recipient is on a suppression that applies, at acceptance or right before an attempt.',
  },
  'message.unsubscribed': {
    group: 'message',
    firedBy:
      'The recipient unsubscribes by the link of the message, by one click in the mail program, or by an opt-out report.',
  },
  'message.delivery_delayed': {
    group: 'message',
    needsTracking: true,
    firedBy: 'The relay answers 4xx or cannot be reached, or a delay notice comes. The first time only.',
  },
  'message.subscription': {
    group: 'message',
    firedBy: 'What the recipient wants to get has changed by an unsubscription: `scope` says how much.',
  },
  'suppression.added': {
    group: 'suppression',
    firedBy:
      'An address is suppressed: by a hard bounce, a complaint, an unsubscription, by hand, by an import.',
  },
  'suppression.removed': {
    group: 'suppression',
    firedBy: 'A suppression is removed: one, or many at once.',
  },
} as const satisfies Readonly<Record<string, EventFacts>>;

export type EventType = keyof typeof eventCatalogue;
export const eventTypes = Object.keys(eventCatalogue) as [EventType, ...EventType[]];

/** Fired for one webhook alone, by `POST …/webhooks/{webhookID}/test`; it is in no log. */
export const TEST_EVENT = 'webhook.test';
export const TEST_FIRED_BY =
  '`POST …/webhooks/{webhookID}/test`, for that webhook alone, also while it is disabled. One attempt.';
