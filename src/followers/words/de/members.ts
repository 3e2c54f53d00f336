export const words = {
  /** How many of them there were. */
  counted: {
    'message.created': { one: 'angenommene E-Mail', other: 'angenommene E-Mails' },
    'message.sent': { one: 'versendete E-Mail', other: 'versendete E-Mails' },
    'message.delivered': { one: 'zugestellte E-Mail', other: 'zugestellte E-Mails' },
    'message.hard_bounced': { one: 'abgewiesene E-Mail', other: 'abgewiesene E-Mails' },
    'message.soft_bounced': { one: 'vorerst abgewiesene E-Mail', other: 'vorerst abgewiesene E-Mails' },
    'message.auto_replied': { one: 'automatische Antwort', other: 'automatische Antworten' },
    'message.spam_complaint': { one: 'als Spam gemeldete E-Mail', other: 'als Spam gemeldete E-Mails' },
    'message.failed': { one: 'fehlgeschlagene E-Mail', other: 'fehlgeschlagene E-Mails' },
    'message.content_blocked': {
      one: 'wegen ihres Inhalts blockierte E-Mail',
      other: 'wegen ihres Inhalts blockierte E-Mails',
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
  test: (name: string) => `Dies ist ein Test: Die Meldung im Chat „${name}“ kommt hier an.`,
  reports: (what: string) => `Sie meldet: ${what}.`,
};

export type Words = typeof words;
