// The published events, each declared once: its group, the operation that fires it, and how chat alerts count it. The log,
// subscriptions, alerts, the reference and its tests are derived from this list. A new event needs its entry here, its fields in
// `messages/published-event.ts`, and the operation that fires it.

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
  /** Of one, and of many: `Hard Bounce`, `Hard Bounces`. */
  readonly de: readonly [one: string, many: string];
  readonly en: readonly [one: string, many: string];
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
    alert: { de: ['angenommene E-Mail', 'angenommene E-Mails'], en: ['email accepted', 'emails accepted'] },
  },
  'message.sent': {
    group: 'message',
    firedBy: 'The relay answers 2xx to the whole message, or a report says that it was accepted.',
    alert: { de: ['versendete E-Mail', 'versendete E-Mails'], en: ['email sent', 'emails sent'] },
  },
  'message.delivered': {
    group: 'message',
    firedBy:
      'A delivery notice or a report of the relay says that it has arrived; with `delivered_on: accept` the relay’s 2xx.',
    alert: { de: ['zugestellte E-Mail', 'zugestellte E-Mails'], en: ['email delivered', 'emails delivered'] },
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
      de: ['Hard Bounce', 'Hard Bounces'],
      en: ['hard bounce', 'hard bounces'],
    },
  },
  'message.soft_bounced': {
    group: 'message',
    firedBy:
      'The relay, a bounce message or a report refuses for good for another reason: mailbox full, policy, content, size.',
    alert: {
      byDefault: true,
      samples: true,
      de: ['Soft Bounce', 'Soft Bounces'],
      en: ['soft bounce', 'soft bounces'],
    },
  },
  'message.auto_replied': {
    group: 'message',
    firedBy: 'An automatic reply, such as an out-of-office notice, comes back.',
    alert: {
      de: ['automatische Antwort', 'automatische Antworten'],
      en: ['automatic reply', 'automatic replies'],
    },
  },
  'message.spam_complaint': {
    group: 'message',
    firedBy: 'A feedback loop or a report of the relay says that the recipient called it spam.',
    alert: {
      byDefault: true,
      samples: true,
      de: ['Beschwerde', 'Beschwerden'],
      en: ['spam complaint', 'spam complaints'],
    },
  },
  'message.failed': {
    group: 'message',
    firedBy:
      'The time for attempts is over; a scheduled message is cancelled; or its content is blocked (then about the whole message).',
    alert: {
      byDefault: true,
      samples: true,
      de: ['fehlgeschlagene E-Mail', 'fehlgeschlagene E-Mails'],
      en: ['failed email', 'failed emails'],
    },
  },
  'message.content_blocked': {
    group: 'message',
    firedBy: 'Content is refused at a send call or by SMTP. `message.failed` comes with it.',
    alert: {
      byDefault: true,
      samples: true,
      de: ['wegen ihres Inhalts abgewiesene E-Mail', 'wegen ihres Inhalts abgewiesene E-Mails'],
      en: ['email refused because of its content', 'emails refused because of their content'],
    },
  },
  'message.suppressed': {
    group: 'message',
    firedBy:
      'A recipient is on a suppression that applies, at acceptance or right before an attempt, or has left all lists of a campaign whose mail still waits; `suppression` is null then.',
    alert: {
      de: [
        'nicht versendete E-Mail an eine gesperrte Adresse',
        'nicht versendete E-Mails an gesperrte Adressen',
      ],
      en: ['email to a suppressed address not sent', 'emails to suppressed addresses not sent'],
    },
  },
  'message.unsubscribed': {
    group: 'message',
    firedBy:
      'The recipient unsubscribes by the link of the message, by one click in the mail program, or by an opt-out report.',
    alert: { de: ['Abmeldung', 'Abmeldungen'], en: ['unsubscription', 'unsubscriptions'] },
  },
  'message.delivery_delayed': {
    group: 'message',
    needsTracking: true,
    firedBy: 'The relay answers 4xx or cannot be reached, or a delay notice comes. The first time only.',
    alert: {
      samples: true,
      de: ['verzögerte E-Mail', 'verzögerte E-Mails'],
      en: ['delayed email', 'delayed emails'],
    },
  },
  'message.subscription': {
    group: 'message',
    firedBy:
      'What the recipient wants to get has changed: by an unsubscription, where `scope` says how much, or by a link to confirm or to choose lists, where `list` says which.',
    alert: {
      de: ['geändertes Abonnement', 'geänderte Abonnements'],
      en: ['changed subscription', 'changed subscriptions'],
    },
  },
  'suppression.added': {
    group: 'suppression',
    firedBy:
      'An address is suppressed: by a hard bounce, a complaint, an unsubscription, by hand, by an import.',
    alert: {
      de: ['neu gesperrte Adresse', 'neu gesperrte Adressen'],
      en: ['newly suppressed address', 'newly suppressed addresses'],
    },
  },
  'suppression.removed': {
    group: 'suppression',
    firedBy: 'A suppression is removed: one, or many at once.',
    alert: {
      de: ['entsperrte Adresse', 'entsperrte Adressen'],
      en: ['address no longer suppressed', 'addresses no longer suppressed'],
    },
  },
  'inbound.received': {
    group: 'inbound',
    firedBy:
      'A mail reaches the inbox of the practice: when it is received, or when it is released from hold or quarantine. Once a mail.',
    alert: { de: ['empfangene E-Mail', 'empfangene E-Mails'], en: ['email received', 'emails received'] },
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
