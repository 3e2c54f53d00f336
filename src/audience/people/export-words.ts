// Words of the page that shows a person what is held of them. Fields that are not here are not on it. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { PartName } from './held.ts';

type Words = Readonly<Record<Language, string>>;

export const partTitles: Readonly<Record<PartName, Words>> = {
  subscriptions: { de: 'Listen', en: 'Lists' },
  consent: { de: 'Einwilligungen', en: 'Consent' },
  suppressions: { de: 'Sperren', en: 'Suppressions' },
  forwarding: { de: 'Weiterleitung', en: 'Forwarding' },
  messages: { de: 'Nachrichten an Sie', en: 'Messages to you' },
  received: {
    de: 'Empfangene Nachrichten von Ihnen oder auch an Sie',
    en: 'Mail received from you, or addressed to you too',
  },
};

export const leftOut: Readonly<Record<Language, readonly string[]>> = {
  de: [
    'Kopien desselben: gespeicherte Antworten der Schnittstelle, Zustellungen an Webhooks und der Suchindex',
    'Zeilen in Berichten über Importe, und Dateien, die gerade importiert werden',
    'bei welchen Kampagnen die Adresse ausgelassen wurde, und gezählte vorübergehende Zustellfehler',
    'Einträge des Änderungsprotokolls, das Konto als Mitglied der Praxis, und Nachrichten anderer, die die Adresse nur nennen',
  ],
  en: [
    'copies of the same: stored answers of the API, deliveries of webhooks and the search index',
    'rows in reports of imports, and files that are being imported',
    'the campaigns that left the address out, and the counted soft bounces',
    'audit entries, the account as a member of the practice, and mail of others that merely names the address',
  ],
};

/** Their inner names are those that the practice has chosen. */
export const hasFreeNames: ReadonlySet<string> = new Set(['data', 'metadata']);

export const labels = {
  title: { de: 'Auskunft über gespeicherte Daten (Art. 15 DSGVO)', en: 'Data held about you (Art. 15 GDPR)' },
  made_at: { de: 'Erstellt', en: 'Made' },
  practice: { de: 'Praxis', en: 'Practice' },
  address: { de: 'Adresse', en: 'Address' },
  name: { de: 'Name', en: 'Name' },
  retention_days: { de: 'Aufbewahrung in Tagen', en: 'Kept for, in days' },
  left_out: { de: 'Nicht in dieser Auskunft', en: 'Not in this answer' },
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
  bodies: { de: 'Inhalte', en: 'Content' },
  messages: { de: 'Nachrichten', en: 'Messages' },
  consent_ip: {
    de: 'Netzadressen bei Einwilligungen, nach deren Ende oder kürzer',
    en: 'Network addresses of consent, after its end or less',
  },
  consent_user_agent: {
    de: 'Programme bei Einwilligungen, nach deren Ende oder kürzer',
    en: 'Programs of consent, after its end or less',
  },
  html: { de: 'HTML', en: 'HTML' },
  bcc: { de: 'Blindkopie', en: 'Blind copy' },
  cc: { de: 'Kopie', en: 'Copy' },
  reply_to: { de: 'Antwort an', en: 'Reply to' },
  filename: { de: 'Dateiname', en: 'File name' },
  calendar: { de: 'Termin', en: 'Appointment' },
  summary: { de: 'Titel', en: 'Title' },
  starts_at: { de: 'Beginn', en: 'Begin' },
  ends_at: { de: 'Ende', en: 'End' },
  location: { de: 'Ort', en: 'Place' },
  description: { de: 'Beschreibung', en: 'Description' },
  scheduled_at: { de: 'Geplant für', en: 'Scheduled for' },
  recipients: { de: 'Empfänger', en: 'Recipients' },
  recipient: { de: 'Empfänger', en: 'Recipient' },
  diagnostic: { de: 'Antwort des Servers', en: 'Reply of the server' },
  mail_from: { de: 'Absender des Umschlags', en: 'Sender of the envelope' },
  date: { de: 'Datum laut Absender', en: 'Date by the sender' },
  channel: { de: 'Kanal', en: 'Channel' },
  way: { de: 'Weg', en: 'Way' },
  evidence: { de: 'Nachweis', en: 'Evidence' },
  form_address: { de: 'Adresse des Formulars', en: 'Address of the form' },
  scope: { de: 'Umfang', en: 'Scope' },
  metadata: { de: 'Zusatzangaben', en: 'Metadata' },
} as const satisfies Readonly<Record<string, Words>>;
export type Label = keyof typeof labels;
