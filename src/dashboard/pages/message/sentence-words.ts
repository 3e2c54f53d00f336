// The words of sentence.ts. Pure.

const de = {
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
  captured: (when: string) =>
    `Testbetrieb: Sie ging ${when} in die Testpost und hat das Haus nicht verlassen.`,
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
};

export type SentenceWords = typeof de;

const en: SentenceWords = {
  nearDay: (days, clock) => `${days === 0 ? 'today' : days < 0 ? 'yesterday' : 'tomorrow'} at ${clock}`,
  onDay: (day, clock) => `on ${day} at ${clock}`,
  now: 'now',
  noRecipients: 'It has no recipients.',
  several: (count, parts) => `${count} recipients: ${parts}.`,
  severalMore: 'What became of the message to each of them is below.',
  scheduled: (when) => `It is scheduled and leaves ${when}.`,
  waiting: 'It still waits to be sent.',
  waitingMore: 'That mostly takes only seconds. This page shows by itself how it goes on.',
  captured: (when) => `Test mode: it went into the captured mail ${when} and did not leave the house.`,
  capturedMore: 'The recipients got nothing.',
  handedOver: (when) => `Our sending server took it over ${when}; whether it arrived, we do not know.`,
  handedOverMore:
    'What the recipient’s server does with it is said here as soon as our sending server reports it. Some never do.',
  accepted: (host, when) => `The server of ${host} accepted it ${when}.`,
  acceptedMore: 'Whether it is in the inbox or in the spam folder, no server says. Ask them to look there.',
  machineOpened: (when) =>
    `A program checked it ${when}. That does not count as opened: it was hardly a person.`,
  delayed: (host, when, why) =>
    `It has not arrived yet: the server of ${host} did not accept it for now, ${when}. ${why}.`,
  relayOutOfUse: 'It has not left yet: our sending server cannot be reached at the moment.',
  tryAgain: (when) => `The next attempt is ${when}. You need not do anything.`,
  othersTryAgain: 'The server that has it keeps trying by itself. You need not do anything.',
  autoReplied: (host, when) => `The server of ${host} accepted it, and an automatic reply came ${when}.`,
  autoRepliedMore: 'That is mostly an out-of-office notice: it is in the mailbox, and will be read later.',
  opened: (when) => `It has arrived and was last opened ${when}.`,
  openedMore:
    'Some mail programs open mail by themselves. What we recognise as a program does not count; it is never certain.',
  clicked: (when) => `It has arrived: a link in it was last followed ${when}.`,
  unsubscribed: (when) => `It has arrived: the recipient unsubscribed ${when}.`,
  refused: (host, when, why) => `The server of ${host} refused it ${when}. ${why}.`,
  suppressedNow: 'An address that was refused for good stays suppressed until someone lifts the suppression.',
  complained: (when) => `It has arrived, but the recipient reported it as spam ${when}.`,
  complainedMore:
    'They get no more mail from you until they expressly ask for it and you lift the suppression.',
  suppressed: (why) => `It was not sent, because the address is suppressed: ${why}.`,
  suppressedMore: 'Lift the suppression if the recipient wants mail again, and then send once more.',
  suppressionUnknown: 'the reason is no longer kept',
  suppressionReasons: {
    hard_bounce: 'earlier mail was refused for good',
    soft_bounces: 'earlier mail was refused several times',
    complaint: 'the recipient reported earlier mail as spam',
    unsubscribe: 'the recipient has unsubscribed',
    unsubscribe_all: 'the recipient has unsubscribed from everything',
    manual: 'someone suppressed it by hand',
    import: 'it came with a list of suppressions',
    erasure: 'the person’s data was erased',
  },
  cancelled: (when) => `It was cancelled ${when} and not sent.`,
  contentBlocked: 'It was not sent because of its content.',
  contentBlockedMore: 'Which check stopped it is below, under “Technical”.',
  notSent: (when) => `It was not sent: that was decided ${when}.`,
  givenUp: (attempts, when, why) =>
    `It did not arrive: after ${attempts} attempts we gave up ${when}. ${why}.`,
};

export const sentenceWords: Readonly<Record<'de' | 'en', SentenceWords>> = { de, en };
