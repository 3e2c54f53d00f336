// What the office can do about a refusal.
const wait = 'Sie müssen nichts tun; wenn es dabei bleibt, senden Sie sie später noch einmal.';
const byTelephone = 'Fragen Sie am Telefon nach einer anderen Adresse.';
const technical = 'Geben Sie die Antwort des Servers (unter „Technik“) an Ihre technische Betreuung.';
const filtered = 'Schreiben Sie den Text ohne Links und Werbung neu, oder rufen Sie an.';

export const words = {
  sent: 'Erstellt',
  scheduled: 'Geplant für',
  campaign: 'Aus einem Rundschreiben',
  tags: 'Schlagwörter',
  timeline: 'Verlauf',
  timelineEmpty: 'Noch ist nichts geschehen.',
  reply: 'Antwort eingegangen',
  openReply: 'Antwort lesen',
  views: { desktop: 'Am Computer', phone: 'Am Handy', text: 'Nur Text' },
  preview: 'Vorschau der Nachricht',
  removed: 'Der Inhalt wird nicht mehr aufbewahrt: Seine Frist ist abgelaufen.',
  notShown: 'Ihre Rolle darf den Inhalt nicht sehen.',
  ofService: 'Den Inhalt dieser Nachricht darf niemand lesen: Sie kam vom Dienst selbst.',
  attachmentsRemoved: 'Die Anhänge werden nicht mehr aufbewahrt: Ihre Frist ist abgelaufen.',
  calendar: 'Termin',
  technical: 'Technik',
  replies: 'Antworten der Server',
  noReply: 'noch keine',
  machine: 'Programm',
  decisions: 'Prüfungen vor dem Versand',
  verdict: 'Ergebnis',
  facts: 'Grundlage',
  verdicts: {
    passed: 'bestanden',
    suppressed: 'gesperrt',
    held: 'zurückgehalten',
    warned: 'mit Hinweis',
    blocked: 'aufgehalten',
    refused: 'abgelehnt',
  },
  headers: 'Zusätzliche Kopfzeilen',
  metadata: 'Mitgegebene Angaben',
  ids: 'Kennungen',
  internetId: 'Message-ID',
  origin: 'Herkunft',
  source: 'Quelltext herunterladen',
  againToRecipients: 'An die Empfänger',
  againToMe: 'An mich',
  againToOther: 'An eine andere Adresse',
  againText: (to: string) => `Der gespeicherte Inhalt geht als neue Nachricht an ${to}.`,
  againDone: 'Die Nachricht ist noch einmal unterwegs.',
  cancel: 'Nicht senden',
  cancelTitle: 'Diese Nachricht nicht senden?',
  cancelText: 'Sie wird abgebrochen und wird auch später nicht gesendet.',
  cancelled: 'Die Nachricht wird nicht gesendet.',
  reschedule: 'Zeit ändern',
  rescheduleField: 'Neuer Zeitpunkt',
  rescheduled: 'Die Nachricht hat einen neuen Zeitpunkt.',
  gone: 'Diese Nachricht gibt es hier nicht',
  goneText:
    'Vielleicht ist ihre Aufbewahrungsfrist abgelaufen, oder der Link gehört zu einer anderen Praxis.',
  toPost: 'Zur Post',
  /** What became of a mail, see sentence.ts. */
  sentence: {
    nearDay: (days: number, clock: string) =>
      `${days === 0 ? 'heute' : days < 0 ? 'gestern' : 'morgen'} um ${clock}`,
    onDay: (day: string, clock: string) => `am ${day} um ${clock}`,
    now: 'jetzt',
    noRecipients: 'Sie hat keine Empfänger.',
    several: (count: number, parts: string) => `${count} Empfänger: ${parts}.`,
    severalMore: 'Was aus der Nachricht an jeden von ihnen wurde, steht unten.',
    scheduled: (when: string) => `Sie ist geplant und geht ${when} hinaus.`,
    waiting: 'Sie wartet noch auf den Versand.',
    waitingMore: 'Das dauert meist nur Sekunden. Diese Seite zeigt von selbst, wie es weitergeht.',
    captured: (when: string) => `Sie wurde ${when} abgefangen und hat den Dienst nicht verlassen.`,
    capturedMore: 'Die Empfänger haben nichts bekommen.',
    handedOver: (when: string) =>
      `Unser Versandserver hat sie ${when} übernommen; ob sie ankam, wissen wir nicht.`,
    handedOverMore:
      'Was der Server des Empfängers mit ihr tut, steht hier, sobald unser Versandserver es meldet. Manche melden es nie.',
    accepted: (host: string, when: string) => `Der Server von ${host} hat sie ${when} angenommen.`,
    acceptedMore:
      'Ob sie im Posteingang oder im Spam-Ordner liegt, verrät kein Server. Bitten Sie, dort nachzusehen.',
    machineOpened: (when: string) =>
      `Ein Programm hat sie ${when} geprüft. Das zählt nicht als geöffnet: Es war wohl kein Mensch.`,
    delayed: (host: string, when: string, why: string) =>
      `Sie ist noch nicht angekommen: Der Server von ${host} hat sie ${when} vorerst nicht angenommen. ${why}.`,
    relayOutOfUse: 'Sie ist noch nicht hinausgegangen: Unser Versandserver ist gerade nicht zu erreichen.',
    tryAgain: (when: string) => `Der nächste Versuch ist ${when}. Sie müssen nichts tun.`,
    othersTryAgain: 'Der Server, bei dem sie liegt, versucht es von selbst weiter. Sie müssen nichts tun.',
    autoReplied: (host: string, when: string) =>
      `Der Server von ${host} hat sie angenommen, und ${when} kam eine automatische Antwort.`,
    autoRepliedMore:
      'Das ist meist eine Abwesenheitsnotiz: Sie liegt im Postfach, gelesen wird sie wohl später.',
    opened: (when: string) => `Sie ist angekommen und wurde zuletzt ${when} geöffnet.`,
    openedMore:
      'Manche Mailprogramme öffnen Post von selbst. Was wir als Programm erkennen, zählt nicht; sicher ist es nie.',
    clicked: (when: string) => `Sie ist angekommen: Zuletzt wurde ${when} ein Link in ihr angeklickt.`,
    unsubscribed: (when: string) => `Sie ist angekommen: Der Empfänger hat sich ${when} abgemeldet.`,
    refused: (host: string, when: string, why: string) =>
      `Der Server von ${host} hat sie ${when} abgewiesen. ${why}.`,
    suppressedNow:
      'Eine Adresse, die endgültig abgewiesen wurde, bleibt gesperrt, bis jemand die Sperre aufhebt.',
    complained: (when: string) => `Sie ist angekommen, aber der Empfänger hat sie ${when} als Spam gemeldet.`,
    complainedMore:
      'Er bekommt von Ihnen keine Post mehr, bis er ausdrücklich darum bittet und Sie die Sperre aufheben.',
    suppressed: (why: string) => `Sie ging nicht hinaus, weil die Adresse gesperrt ist: ${why}.`,
    suppressedMore:
      'Heben Sie die Sperre auf, wenn der Empfänger wieder Post möchte, und senden Sie dann noch einmal.',
    suppressionUnknown: 'der Grund ist nicht mehr gespeichert',
    suppressionReasons: {
      hard_bounce: 'frühere Post wurde endgültig abgewiesen',
      soft_bounces: 'frühere Post wurde mehrmals abgewiesen',
      complaint: 'der Empfänger hat frühere Post als Spam gemeldet',
      unsubscribe: 'der Empfänger hat sich abgemeldet',
      unsubscribe_all: 'der Empfänger hat sich von allem abgemeldet',
      manual: 'jemand hat sie von Hand gesperrt',
      import: 'sie kam mit einer Sperrliste',
      erasure: 'die Daten der Person wurden gelöscht',
    } as Readonly<Record<string, string>>,
    cancelled: (when: string) => `Sie wurde ${when} abgebrochen und nicht versendet.`,
    contentBlocked: 'Sie wurde wegen ihres Inhalts nicht versendet.',
    contentBlockedMore: 'Welche Prüfung sie aufgehalten hat, steht unten bei „Technik“.',
    notSent: (when: string) => `Sie wurde nicht versendet: Das hat sich ${when} entschieden.`,
    givenUp: (attempts: number, when: string, why: string) =>
      `Sie kam nicht an: Nach ${attempts} Versuchen haben wir ${when} aufgegeben. ${why}.`,
    /** How a day is written that is not near. */
    month: 'numeric' as 'numeric' | 'short',
  },
  /** Why a server refused it, by the rule that classified the reply. */
  refusals: {
    unknown_address: {
      why: 'Die Adresse gibt es dort nicht',
      advice: 'Prüfen Sie die Schreibweise, oder fragen Sie am Telefon nach der richtigen Adresse.',
    },
    unknown_domain: {
      why: 'Was hinter dem @ steht, gibt es nicht oder nimmt keine Post an',
      advice: 'Prüfen Sie die Schreibweise der Adresse.',
    },
    mailbox_full: {
      why: 'Das Postfach ist voll',
      advice: 'Rufen Sie an, und senden Sie die Nachricht noch einmal, wenn wieder Platz ist.',
    },
    disabled: { why: 'Das Postfach ist abgeschaltet', advice: byTelephone },
    too_large: {
      why: 'Die Nachricht ist dem Server zu groß',
      advice: 'Senden Sie sie mit kleineren oder weniger Anhängen.',
    },
    content: { why: 'Der Server hält sie für Spam oder für gefährlich', advice: filtered },
    block: { why: 'Der Server nimmt von unserem Versandserver gerade keine Post', advice: technical },
    auth_policy: {
      why: 'Der Server erkennt Ihre Absenderadresse nicht als echt an',
      advice: 'Prüfen Sie die Einträge Ihrer Domain auf der Seite „Domain“.',
    },
    sender_address: {
      why: 'Der Server nimmt Ihre Absenderadresse nicht an',
      advice: 'Prüfen Sie die Einträge Ihrer Domain auf der Seite „Domain“.',
    },
    policy: { why: 'Die Regeln des Empfängers lassen sie nicht zu', advice: technical },
    recipient_policy: { why: 'Dieses Postfach nimmt von Ihnen keine Post an', advice: byTelephone },
    relay_suppression: {
      why: 'Unser Versanddienst hat die Adresse gesperrt, weil frühere Post nicht ankam',
      advice: byTelephone,
    },
    greylisted: { why: 'Der Server lässt neue Absender erst warten', advice: wait },
    throttled: { why: 'Der Server nimmt gerade nicht mehr Post an', advice: wait },
    network: { why: 'Der Server des Empfängers war nicht zu erreichen', advice: wait },
    loop: { why: 'Die Post des Empfängers wird im Kreis weitergeleitet', advice: byTelephone },
    tls: { why: 'Mit dem Server war keine verschlüsselte Verbindung möglich', advice: technical },
    unexplained: { why: 'Er nennt keinen Grund, den wir einordnen können', advice: technical },
  },
};
