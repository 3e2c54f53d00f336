export const words = {
  /** How many of them there were. */
  counted: {
    'message.created': { one: 'angenommene E-Mail', other: 'angenommene E-Mails' },
    'message.sent': { one: 'versendete E-Mail', other: 'versendete E-Mails' },
    'message.delivered': { one: 'zugestellte E-Mail', other: 'zugestellte E-Mails' },
    'message.hard_bounced': { one: 'Hard Bounce', other: 'Hard Bounces' },
    'message.soft_bounced': { one: 'Soft Bounce', other: 'Soft Bounces' },
    'message.auto_replied': { one: 'automatische Antwort', other: 'automatische Antworten' },
    'message.spam_complaint': { one: 'Beschwerde', other: 'Beschwerden' },
    'message.failed': { one: 'fehlgeschlagene E-Mail', other: 'fehlgeschlagene E-Mails' },
    'message.content_blocked': {
      one: 'wegen ihres Inhalts abgewiesene E-Mail',
      other: 'wegen ihres Inhalts abgewiesene E-Mails',
    },
    'message.suppressed': {
      one: 'nicht versendete E-Mail an eine gesperrte Adresse',
      other: 'nicht versendete E-Mails an gesperrte Adressen',
    },
    'message.unsubscribed': { one: 'Abmeldung', other: 'Abmeldungen' },
    'message.delivery_delayed': { one: 'verzögerte E-Mail', other: 'verzögerte E-Mails' },
    'message.subscription': { one: 'geändertes Abonnement', other: 'geänderte Abonnements' },
    'suppression.added': { one: 'neu gesperrte Adresse', other: 'neu gesperrte Adressen' },
    'suppression.removed': { one: 'entsperrte Adresse', other: 'entsperrte Adressen' },
    'inbound.received': { one: 'empfangene E-Mail', other: 'empfangene E-Mails' },
  },
  events: { one: 'Ereignis', other: 'Ereignisse' },
  link: (service: string) => `In ${service} ansehen`,
  test: (name: string) => `Dies ist ein Test: Die Chat-Benachrichtigung „${name}“ kommt hier an.`,
  reports: (what: string) => `Sie meldet: ${what}.`,
};

export type Words = typeof words;
