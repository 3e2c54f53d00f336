interface AppointmentFacts {
  readonly day: string;
  readonly time: string;
  readonly location: string | null;
  /** It is the practice's name. */
  readonly name: string;
}

export const words = {
  /** What an answer says of recipients who get nothing. */
  suppressed: {
    recipient_suppressed:
      'Alle Empfänger stehen auf einer Sperrliste dieser Praxis; es wird nichts versendet.',
    recipients_suppressed:
      'Die in `suppressed` stehen auf einer Sperrliste dieser Praxis; die anderen bekommen die Nachricht.',
  },
  /** What is found in a mail beside its content. */
  findings: {
    kind_not_allowed_on_route: {
      why: 'Der Versandweg nimmt Nachrichten dieser Art nicht an.',
      advice: 'Nehmen Sie einen Versandweg aus allowed_routes.',
    },
    impressum_incomplete: {
      why: 'Das Impressum der Praxis ist unvollständig: Werbung muss ihren Absender nennen, und der Versand wird abgelehnt. Der Dienst fügt es selbst an, sobald es vollständig ist.',
      advice: 'Tragen Sie Straße, Ort und Datenschutzerklärung ein: PATCH /api/practices/{id}/compliance.',
    },
    content_blocked: {
      why: 'Der Inhalt wird vor dem Versand gestoppt, weil er wie Spam oder Betrug wirkt.',
      advice: 'Ändern Sie, was sonst bemängelt wird.',
    },
    tracking_on_kind: {
      why: 'In einer Mail über einen Termin, zur Vorsorge oder zur Bestätigung einer Anmeldung werden Öffnungen oder Klicks erfasst. Dafür fehlt in der Regel die Einwilligung (§ 25 TDDDG).',
      advice: 'Schalten Sie track_opens und track_clicks für die Arten termin, recall und doi aus.',
    },
    subject_names_person: {
      why: 'Der Betreff nennt eine Person mit Namen; auf Sperrbildschirmen und in Protokollen sehen andere, dass sie bei Ihnen in Behandlung ist.',
      advice: 'Sprechen Sie die Person erst im Text mit Namen an.',
    },
    no_greeting: {
      why: 'Die Mail beginnt ohne Anrede; Mails ohne Anrede wirken auf Menschen und Filter wie Massenmail.',
      advice: 'Beginnen Sie mit „Guten Tag“ oder einer persönlichen Anrede.',
    },
    recipient_suppressed: {
      why: 'Alle Empfänger stehen auf der Sperrliste: Es würde nichts versendet.',
      advice: 'Prüfen Sie, warum die Empfänger gesperrt sind.',
    },
    recipients_suppressed: {
      why: 'Einige Empfänger stehen auf der Sperrliste und bekämen nichts.',
      advice: 'Nehmen Sie gesperrte Empfänger aus Ihren Verteilern.',
    },
    held: {
      why: 'Die Aufwärmphase der Domain ließe die Nachricht erst an einem späteren Tag hinaus.',
      advice: 'Verteilen Sie große Mengen auf mehrere Tage.',
    },
    no_way_out: {
      why: 'Die Nachricht hätte keinen Abmeldelink, weil der Dienst nicht über HTTPS erreichbar ist.',
      advice: 'Bitten Sie den Betreiber, eine öffentliche Adresse mit HTTPS einzurichten.',
    },
  },
  sample: (name: string) => ({
    subject: `Beispielnachricht von ${name}`,
    text: [
      'Guten Tag,',
      `so kommen E-Mails von ${name} bei Ihnen an. Bitte sehen Sie nach, ob diese Nachricht im Posteingang liegt und ob die Umlaute stimmen: Ä, Ö, Ü, ä, ö, ü, ß.`,
      `Freundliche Grüße\n${name}`,
    ].join('\n\n'),
  }),
  trial: (kind: string, name: string) => ({
    subject: `Test mit dem Postfach-Simulator: ${kind}`,
    text: `Diese Nachricht von ${name} geht an den Postfach-Simulator.`,
  }),
  appointment: {
    summary: (name: string) => `Termin: ${name}`,
    mail: ({ day, time, location, name }: AppointmentFacts) => ({
      subject: `Ihr Termin am ${day}`,
      paragraphs: [
        'Guten Tag,',
        'wir haben für Sie folgenden Termin eingetragen:',
        `Datum: ${day}\nUhrzeit: ${time} Uhr${location === null ? '' : `\nOrt: ${location}`}`,
        'Dies ist ein Beispiel: Es zeigt, wie Terminmails und die Kalendereinladung darin ankommen.',
        `Freundliche Grüße\n${name}`,
      ],
    }),
  },
  purposes: {
    termin:
      'Bestätigt, verschiebt oder sagt einen vereinbarten Termin ab, oder erinnert daran. Nennen Sie Datum, Uhrzeit und Ort; eine Kalendereinladung (calendar) passt dazu.',
    recall: 'Erinnert Personen, die darum gebeten haben, daran, einen neuen Termin zu vereinbaren.',
    transactional:
      'Gehört zu einem Vorgang, den die Person angestoßen hat: Unterlagen, Rechnungen, Antworten.',
    doi: 'Fragt nur, ob jemand eine Anmeldung bestätigt: was, von wem, der Link und was geschieht, wenn man nichts tut. Kein Angebot, keine Begrüßung.',
    newsletter: 'Neuigkeiten und Werbung an Personen, die den Newsletter bestellt und das bestätigt haben.',
    custom: 'Andere Werbung und Rundschreiben an Personen, die in den Kanal „other“ eingewilligt haben.',
    quality:
      'Fragt, wie zufrieden jemand war; auch das Muster, das der Praxis zeigt, wie ihre Mails ankommen.',
    test: 'Ein technischer Test, etwa an den Postfach-Simulator.',
  },
  streams: {
    transactional:
      'Geht über einen Versandweg für persönliche Post; Werbung darf nicht darin stehen (§ 7 UWG).',
    marketing:
      'Geht über einen Versandweg für Werbung, nur mit Einwilligung; Impressum und Abmeldelink fügt der Dienst an.',
  },
  tracking: {
    off: 'Öffnungen und Klicks werden nicht erfasst, solange die Nachricht es nicht verlangt; lassen Sie es dabei.',
    'as its route':
      'Ob Öffnungen und Klicks erfasst werden, sagt der Versandweg, sofern die Nachricht nichts anderes sagt.',
  },
};

export type Words = typeof words;
