// The published events, each declared once: its group, the operation that fires it, and whether chat alerts count it. The log,
// subscriptions, alerts, the reference and its tests are derived from this list. A new event needs its entry here, its fields in
// `messages/published-event.ts`, the operation that fires it, where alerts count it its words in `followers/words/`, and its name in
// the dashboard (`event-names.ts`, `parts/words/`).

interface EventFacts {
  readonly group: 'message' | 'suppression' | 'inbound';
  /** The operations that fire it. */
  readonly firedBy: string;
  /** Only where opens or clicks of the message are tracked, by its route or its settings. */
  readonly needsTracking?: true;
  /** Absent where no chat alert reports it: what a person does with a mail is watched for no chat room. */
  readonly alert?: AlertFacts;
}

interface AlertFacts {
  /** Among the events of a chat alert that names none. */
  readonly byDefault?: true;
  /** Someone has to act on it, so some are shown; for the others the number says enough. */
  readonly samples?: true;
}

export const eventCatalogue = {
  'message.created': {
    group: 'message',
    firedBy:
      'A message with at least one recipient is accepted: by any of the send calls, by SMTP, at once or scheduled. Once a message.',
    alert: {},
  },
  'message.sent': {
    group: 'message',
    firedBy: 'The relay answers 2xx to the whole message, or a report says that it was accepted.',
    alert: {},
  },
  'message.delivered': {
    group: 'message',
    firedBy:
      'A delivery notice or a report of the relay says that it has arrived; with `delivered_on: accept` the relay’s 2xx.',
    alert: {},
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
    firedBy:
      'The relay, a bounce message or a report refuses for good because the address does not exist or takes no mail.',
    alert: {
      byDefault: true,
      samples: true,
    },
  },
  'message.soft_bounced': {
    group: 'message',
    firedBy:
      'The relay, a bounce message or a report refuses for good for another reason: mailbox full, policy, content, size.',
    alert: {
      byDefault: true,
      samples: true,
    },
  },
  'message.auto_replied': {
    group: 'message',
    firedBy: 'An automatic reply, such as an out-of-office notice, comes back.',
    alert: {},
  },
  'message.spam_complaint': {
    group: 'message',
    firedBy: 'A feedback loop or a report of the relay says that the recipient called it spam.',
    alert: {
      byDefault: true,
      samples: true,
    },
  },
  'message.failed': {
    group: 'message',
    firedBy:
      'The time for attempts is over; a scheduled message is cancelled; or its content is blocked (then about the whole message).',
    alert: {
      byDefault: true,
      samples: true,
    },
  },
  'message.content_blocked': {
    group: 'message',
    firedBy: 'Content is refused at a send call or by SMTP. `message.failed` comes with it.',
    alert: {
      byDefault: true,
      samples: true,
    },
  },
  'message.suppressed': {
    group: 'message',
    firedBy:
      'A recipient is on a suppression that applies, at acceptance or right before an attempt, or has left all lists of a campaign whose mail still waits; `suppression` is null then.',
    alert: {},
  },
  'message.unsubscribed': {
    group: 'message',
    firedBy:
      'The recipient unsubscribes by the link of the message, by one click in the mail program, or by an opt-out report.',
    alert: {},
  },
  'message.delivery_delayed': {
    group: 'message',
    needsTracking: true,
    firedBy: 'The relay answers 4xx or cannot be reached, or a delay notice comes. The first time only.',
    alert: {
      samples: true,
    },
  },
  'message.subscription': {
    group: 'message',
    firedBy:
      'What the recipient wants to get has changed: by an unsubscription, where `scope` says how much, or by a link to confirm or to choose lists, where `list` says which.',
    alert: {},
  },
  'suppression.added': {
    group: 'suppression',
    firedBy:
      'An address is suppressed: by a hard bounce, a complaint, an unsubscription, by hand, by an import.',
    alert: {},
  },
  'suppression.removed': {
    group: 'suppression',
    firedBy: 'A suppression is removed: one, or many at once.',
    alert: {},
  },
  'inbound.received': {
    group: 'inbound',
    firedBy:
      'A mail reaches the inbox of the practice: when it is received, or when it is released from hold or quarantine. Once a mail.',
    alert: {},
  },
} as const satisfies Readonly<Record<string, EventFacts>>;

export type EventType = keyof typeof eventCatalogue;
/** The events that chat alerts report. */
export type AlertEvent = {
  [Name in EventType]: (typeof eventCatalogue)[Name] extends { readonly alert: AlertFacts } ? Name : never;
}[EventType];

export const alertFactsOf = (name: AlertEvent): AlertFacts => eventCatalogue[name].alert;

export const eventTypes = Object.keys(eventCatalogue) as [EventType, ...EventType[]];

/** Fired for one webhook alone, by `POST …/webhooks/{webhookID}/test`; it is in no log. */
export const TEST_EVENT = 'webhook.test';
export const TEST_FIRED_BY =
  '`POST …/webhooks/{webhookID}/test`, for that webhook alone, also while it is disabled. One attempt.';
