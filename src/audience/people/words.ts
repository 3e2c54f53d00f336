// Words of the certificate of an erasure, in German and English. Pure.
import type { Language } from '#src/kernel/language.ts';

type Words = Readonly<Record<Language, string>>;

/** What was erased, by the names of its counts. */
export const erasedWords = {
  copies: {
    de: 'Nachrichten an diese Person, je Empfänger',
    en: 'messages to the person, one for each recipient',
  },
  mentions_in_messages: {
    de: 'Stellen in anderen Nachrichten, die die Adresse nannten',
    en: 'places in other messages that named the address',
  },
  captured_mails: { de: 'Nachrichten im lokalen Testpostfach', en: 'mails in the local test mailbox' },
  mailbox_settings: { de: 'Einstellungen des Postfachs', en: 'settings of the mailbox' },
  mails_received: { de: 'empfangene Nachrichten', en: 'mails received' },
  mentions_in_mails_received: {
    de: 'Suchtexte empfangener Nachrichten',
    en: 'search texts of mails received',
  },
  forwarded_copies: { de: 'weitergeleitete Kopien', en: 'forwarded copies' },
  forwarding_addresses: { de: 'Weiterleitungsadressen', en: 'addresses of a forwarding' },
  events: { de: 'Ereignisse', en: 'events' },
  suppressions: {
    de: 'Sperreinträge, in denen die Adresse lesbar war',
    en: 'suppressions in which the address was readable',
  },
  subscriptions: { de: 'Einträge in Listen', en: 'subscriptions' },
  mentions_in_lists: { de: 'Nennungen in Einträgen anderer', en: 'mentions in the subscriptions of others' },
  mentions_in_consent: {
    de: 'Einträge anderer im Einwilligungsprotokoll, aus denen Angaben mit der Adresse entfernt wurden',
    en: 'consent entries of others from which values that named the address were removed',
  },
  mentions_in_erasures: { de: 'Anlässe anderer Löschungen', en: 'reasons of other erasures' },
  import_reports: { de: 'Zeilen in Berichten über Importe', en: 'rows in reports of imports' },
  links: { de: 'Links in Kampagnen', en: 'links of campaigns' },
  stored_answers: { de: 'gespeicherte Antworten der Schnittstelle', en: 'stored answers of the API' },
  webhooks: { de: 'Antworten von Webhooks', en: 'answers of webhooks' },
  alerts: { de: 'Beispiele in Meldungen', en: 'samples in alerts' },
  reports: { de: 'Berichte über Domains', en: 'reports about domains' },
  audit_entries: {
    de: 'Einträge des Änderungsprotokolls, auf ein Pseudonym verkürzt',
    en: 'audit entries, reduced to a pseudonym',
  },
  consent_entries_reduced: {
    de: 'Einträge des Einwilligungsprotokolls, auf Prüfsummen verkürzt',
    en: 'entries of the consent ledger, reduced to hashes',
  },
  consent_documents: {
    de: 'Bestätigungsmails im Einwilligungsprotokoll',
    en: 'confirmation mails in the consent ledger',
  },
} as const satisfies Readonly<Record<string, Words>>;

/** What is kept, and why; in their order. */
export const keptWords = {
  suppressions: {
    what: {
      de: 'Sperreinträge mit einer verschlüsselten Prüfsumme der Adresse',
      en: 'suppressions with a keyed hash of the address',
    },
    why: {
      de: 'Damit die Adresse keine Post mehr bekommt, auch wenn sie wieder importiert wird (Art. 17 Abs. 3 Buchst. b, Art. 21 DSGVO). Die Adresse lässt sich daraus nicht lesen.',
      en: 'So that the address gets no more mail, also where it is imported again (Art. 17(3)(b), Art. 21 GDPR). The address cannot be read from it.',
    },
  },
  consent_entries: {
    what: {
      de: 'Einträge des Einwilligungsprotokolls ohne persönliche Angaben',
      en: 'entries of the consent ledger without personal values',
    },
    why: {
      de: 'Sie belegen, dass und wann eingewilligt und widerrufen wurde (Art. 7 Abs. 1, Art. 17 Abs. 3 Buchst. e DSGVO); ihre Kette bleibt prüfbar.',
      en: 'They prove that and when consent was given and withdrawn (Art. 7(1), Art. 17(3)(e) GDPR); their chain can still be verified.',
    },
  },
  counts: {
    what: {
      de: 'Zahlen, Zeiten und Ergebnisse des Versands unter einem Pseudonym',
      en: 'counts, times and outcomes of sending under a pseudonym',
    },
    why: {
      de: 'Sie nennen die Person nicht mehr und sichern den Betrieb.',
      en: 'They no longer name the person and keep the service working.',
    },
  },
  member: {
    what: {
      de: 'das Konto dieser Adresse als Mitglied der Praxis',
      en: 'the membership of that address in the practice',
    },
    why: {
      de: 'Wer in der Praxis arbeitet, wird unter „Mitglieder“ entfernt.',
      en: 'Those who work for the practice are removed among its members.',
    },
  },
  audit_entries: {
    what: {
      de: 'Einträge des Änderungsprotokolls über Änderungen, die diese Adresse als Mitglied gemacht hat',
      en: 'audit entries of changes that this address made as a member',
    },
    why: {
      de: 'Wer etwas geändert hat, muss nachvollziehbar bleiben (Art. 5 Abs. 2, Art. 32 DSGVO), bis ihre Frist endet.',
      en: 'It must remain known who changed what (Art. 5(2), Art. 32 GDPR) until their retention period ends.',
    },
  },
} as const satisfies Readonly<Record<string, { readonly what: Words; readonly why: Words }>>;

/** What the erasure does not reach. */
export const beyondWords = {
  backups: {
    de: 'Sicherungen des Datenverzeichnisses und Schnappschüsse des Dateisystems: Sie laufen nach ihrer Frist ab. Wird eine zurückgespielt, ist die Löschung zu wiederholen.',
    en: 'Backups of the data directory and snapshots of the file system: they run out after their period. Where one is restored, the erasure has to be repeated.',
  },
  wal: {
    de: 'Das Schreibprotokoll der Datenbank (WAL): Es wurde am Ende der Löschung geleert; bis dahin konnte es die Adresse enthalten.',
    en: 'The write-ahead log of the database (WAL): it was emptied at the end of the erasure; until then it could hold the address.',
  },
  unused_space: {
    de: 'Ungenutzter Platz in der Datenbankdatei: Sie ist zu groß, um sie im Betrieb neu zu schreiben, und kann Reste enthalten, bis der Platz wieder benutzt oder sie bei angehaltenem Dienst mit VACUUM neu geschrieben wird.',
    en: 'Unused space of the database file: it is too large to be rewritten while in use, and may hold remnants until the space is used again or the file is rewritten by VACUUM with the service stopped.',
  },
  others: {
    de: 'Dateianhänge von Nachrichten an andere und der Text von Nachrichten, die andere geschrieben haben: Sie werden nicht durchsucht und enden mit ihrer Frist.',
    en: 'Files attached to mail to others, and the text of mail that others wrote: they are not searched, and end with their retention period.',
  },
  own: {
    de: 'Was die Praxis selbst geschrieben hat: Vorlagen, Kampagnen, Einstellungen und ihre Bezeichnungen.',
    en: 'What the practice wrote itself: templates, campaigns, settings and their names.',
  },
  delivered: {
    de: 'Nachrichten, die schon zugestellt oder gerade unterwegs waren, und was Empfänger von Webhooks, Meldungen und Weiterleitungen bekommen haben: Sie liegen bei anderen.',
    en: 'Mail that was delivered or just being delivered, and what receivers of webhooks, alerts and forwardings were sent: others have it.',
  },
} as const satisfies Readonly<Record<string, Words>>;
