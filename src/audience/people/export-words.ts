// Words of the page that shows a person what is held of them. Names of fields that are not here are shown as the API has them. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { PartName } from './held.ts';

type Words = Readonly<Record<Language, string>>;

export const partTitles: Readonly<Record<PartName, Words>> = {
  subscriptions: { de: 'Listen', en: 'Lists' },
  consent: { de: 'Einwilligungen', en: 'Consent' },
  suppressions: { de: 'Sperren', en: 'Suppressions' },
  forwarding: { de: 'Weiterleitung', en: 'Forwarding' },
  messages: { de: 'Nachrichten an Sie', en: 'Messages to you' },
  received: { de: 'Nachrichten von Ihnen', en: 'Mail from you' },
};

export const labels = {
  title: { de: 'Auskunft über gespeicherte Daten (Art. 15 DSGVO)', en: 'Data held about you (Art. 15 GDPR)' },
  made_at: { de: 'Erstellt', en: 'Made' },
  practice: { de: 'Praxis', en: 'Practice' },
  address: { de: 'Adresse', en: 'Address' },
  name: { de: 'Name', en: 'Name' },
  retention_days: { de: 'Aufbewahrung in Tagen', en: 'Kept for, in days' },
  not_shown: { de: 'Nicht enthalten', en: 'Not included' },
  list_name: { de: 'Liste', en: 'List' },
  status: { de: 'Status', en: 'Status' },
  data: { de: 'Angaben', en: 'Values' },
  created_at: { de: 'Angelegt', en: 'Created' },
  confirmed_at: { de: 'Bestätigt', en: 'Confirmed' },
  received_at: { de: 'Empfangen', en: 'Received' },
  at: { de: 'Zeitpunkt', en: 'Time' },
  action: { de: 'Vorgang', en: 'Action' },
  legal_basis: { de: 'Rechtsgrundlage', en: 'Legal basis' },
  wording: { de: 'Wortlaut', en: 'Wording' },
  ip: { de: 'Netzadresse', en: 'Network address' },
  user_agent: { de: 'Programm', en: 'Program' },
  url: { de: 'Link', en: 'Link' },
  reason: { de: 'Grund', en: 'Reason' },
  note: { de: 'Notiz', en: 'Note' },
  from: { de: 'Von', en: 'From' },
  to: { de: 'An', en: 'To' },
  subject: { de: 'Betreff', en: 'Subject' },
  text: { de: 'Text', en: 'Text' },
  attachments: { de: 'Anhänge', en: 'Attachments' },
  events: { de: 'Ereignisse', en: 'Events' },
  type: { de: 'Art', en: 'Type' },
  tags: { de: 'Schlagwörter', en: 'Tags' },
  metadata: { de: 'Zusatzangaben', en: 'Metadata' },
} as const satisfies Readonly<Record<string, Words>>;
export type Label = keyof typeof labels;
