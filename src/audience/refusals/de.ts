// What is refused of lists, subscribers, imports, campaigns and people's data, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'There is no such segment.': 'Es gibt keine solche Gruppe.',
  'There is a segment with the name {} already.': 'Es gibt schon eine Gruppe mit dem Namen {}.',
  'A segment': 'Eine Gruppe',
  'cannot be given beside segment_id': 'kann nicht neben segment_id stehen',
  segments: 'Gruppen',
  'The campaign {} goes to this segment and is not sent yet.':
    'Die Kampagne {} geht an diese Gruppe und ist noch nicht versendet.',
  'Choose other people for the campaign, or delete the segment once it is sent.':
    'Wählen Sie für die Kampagne andere Personen, oder löschen Sie die Gruppe, sobald sie versendet ist.',
  // Whole campaigns and the status they have.
  'expected the file: its content, or a form with the field `file`':
    'erwartet wird die Datei: ihr Inhalt oder ein Formular mit dem Feld `file`',
  'There is no such campaign.': 'Dieses Rundschreiben gibt es nicht.',
  'The campaign is {} and cannot be {}.': 'Das Rundschreiben hat den Status {} und kann nicht {} werden.',
  sent: 'gesendet',
  scheduled: 'geplant',
  paused: 'angehalten',
  resumed: 'fortgesetzt',
  cancelled: 'abgebrochen',
  'GET the campaign for its status; duplicate one that has ended.':
    'Ein GET auf das Rundschreiben nennt seinen Status; ein beendetes können Sie kopieren.',
  'The campaign is {} and cannot be changed any more.':
    'Das Rundschreiben hat den Status {} und kann nicht mehr geändert werden.',
  'Duplicate it, and change the copy.': 'Kopieren Sie es und ändern Sie die Kopie.',
  'The campaign is {}; only drafts can be deleted.':
    'Das Rundschreiben hat den Status {}; nur Entwürfe können gelöscht werden.',
  'Set schedule_at to null first.': 'Setzen Sie zuerst schedule_at auf null.',
  'Its numbers are kept.': 'Seine Zahlen bleiben erhalten.',
  'A campaign': 'Ein Rundschreiben',
  'A campaign sends messages, which this access may not.':
    'Ein Rundschreiben sendet Nachrichten, und das darf dieser Zugang nicht.',
  'Ask someone who may send.': 'Fragen Sie jemanden, der senden darf.',
  'belongs to schedule_at, which is missing': 'gehört zu schedule_at, das fehlt',
  'expected a date, such as 2026-12-24': 'erwartet wird ein Datum wie 2026-12-24',
  'is not the name of a time zone, such as Europe/Berlin':
    'ist nicht der Name einer Zeitzone wie Europe/Berlin',
  'has passed': 'ist vorbei',
  'is more than {} days ahead': 'liegt mehr als {} Tage in der Zukunft',

  // The lists and the route of a campaign.
  'The list {} is archived.': 'Die Liste {} ist archiviert.',
  'Choose other lists for the campaign, or a duplicate of it.':
    'Wählen Sie andere Listen für das Rundschreiben oder für eine Kopie davon.',
  'cannot be given beside list_ids': 'kann nicht neben list_ids stehen',
  'There is no list {}.': 'Es gibt keine Liste {}.',
  'Campaigns are marketing, and the people on the list {} agreed to {} mail only.':
    'Rundschreiben sind Werbung, und die Personen auf der Liste {} haben nur in Mail des Kanals {} eingewilligt.',
  'Choose lists of the channels newsletter and other; appointments and reminders are sent with POST /api/practices/{id}/send.':
    'Wählen Sie Listen der Kanäle newsletter und other; Termine und Erinnerungen sendet POST /api/practices/{id}/send.',
  'The people on the list {} agreed to mail of the channel {}, not to messages of kind {}.':
    'Die Personen auf der Liste {} haben in Mail des Kanals {} eingewilligt, nicht in Nachrichten der Art {}.',
  'Use message_kind {} for it, and lists of one channel only.':
    'Nehmen Sie dafür message_kind {} und Listen eines einzigen Kanals.',
  'A campaign cannot have messages of kind {}.': 'Ein Rundschreiben kann keine Nachrichten der Art {} haben.',
  'Campaigns are of the kinds newsletter and custom.': 'Rundschreiben haben die Art newsletter oder custom.',
  'The route {} is not for marketing.': 'Der Versandweg {} ist nicht für Werbung.',
  'Use broadcast or another marketing route.':
    'Nehmen Sie broadcast oder einen anderen Versandweg für Werbung.',

  // Why a campaign would reach no one.
  'The campaign would reach no one: there is no one on its lists.':
    'Das Rundschreiben würde niemanden erreichen: Auf seinen Listen steht niemand.',
  'The campaign would reach no one: its filter fits none of the {} people on its lists.':
    'Das Rundschreiben würde niemanden erreichen: Sein Filter passt auf keine der Personen auf seinen Listen ({}).',
  'The campaign would reach no one: of {} people on its lists, {}.':
    'Das Rundschreiben würde niemanden erreichen. Personen auf seinen Listen: {}, davon {}.',
  'not confirmed yet': 'noch nicht bestätigt',
  'Send it once people have followed the link in their confirmation mail.':
    'Senden Sie es, sobald Personen dem Link in ihrer Bestätigungsmail gefolgt sind.',
  unsubscribed: 'abgemeldet',
  undeliverable: 'unzustellbar',
  'reported mail as spam': 'haben Mail als Spam gemeldet',
  suppressed: 'gesperrt',
  'GET /api/practices/{id}/suppression says why their addresses are suppressed.':
    'GET /api/practices/{id}/suppression sagt, warum ihre Adressen gesperrt sind.',
  'without a value for placeholders': 'ohne Wert für Platzhalter',
  'Give the values for all in `values` of the campaign, or each person their own.':
    'Geben Sie die Werte für alle in `values` des Rundschreibens an oder jeder Person eigene.',
  'with a value that cannot be where its placeholder is':
    'mit einem Wert, der an der Stelle seines Platzhalters nicht stehen kann',
  'Correct the value, or use its placeholder elsewhere: a link begins with https, http, mailto, tel or sms.':
    'Berichtigen Sie den Wert oder setzen Sie den Platzhalter an eine andere Stelle: Ein Link beginnt mit https, http, mailto, tel oder sms.',
  'with letters beyond ASCII before the @, which the upstream does not take (SMTPUTF8)':
    'mit Zeichen vor dem @, die nicht zu ASCII gehören und die der Mailserver des Betreibers nicht annimmt (SMTPUTF8)',
  'held back by the safe mode': 'vom Testbetrieb zurückgehalten',
  'The operator ends the safe mode when the practice goes live.':
    'Der Betreiber beendet den Testbetrieb, wenn die Praxis in Betrieb geht.',

  // Counts, tests and exports of campaigns.
  'Audiences are counted {} times a minute at most.':
    'Empfänger werden höchstens {}-mal in der Minute gezählt.',
  'The recipients of a campaign need a permission of their own.':
    'Für die Empfänger eines Rundschreibens braucht es eine eigene Berechtigung.',
  'Recipients are exported {} times a minute at most.':
    'Empfänger werden höchstens {}-mal in der Minute exportiert.',
  'Campaigns are tested {} times a minute at most.':
    'Rundschreiben werden höchstens {}-mal in der Minute zur Probe gesendet.',
  'Campaigns are rated {} times a minute at most.':
    'Rundschreiben werden höchstens {}-mal in der Minute bewertet.',
  'Tests of a campaign go to members of the practice only.':
    'Proben eines Rundschreibens gehen nur an Mitglieder der Praxis.',
  "Use addresses of active members, the mailbox simulator's, or one on the operator's allowlist.":
    'Nehmen Sie Adressen aktiver Mitglieder, des Simulators oder solche, die der Betreiber freigegeben hat.',

  // Lists.
  'There is no such list.': 'Diese Liste gibt es nicht.',
  'A list': 'Eine Liste',
  lists: 'Listen',
  'There is a list with the name {} already.': 'Es gibt schon eine Liste mit dem Namen {}.',
  'Its subscribers can be read, exported, unsubscribed and removed.':
    'Die Personen auf ihr können gelesen, exportiert, abgemeldet und entfernt werden.',
  'The list has subscribers, who agreed to the channel {}.':
    'Auf der Liste sind Personen, und diese haben in den Kanal {} eingewilligt.',
  'Create another list for another channel.': 'Legen Sie für einen anderen Kanal eine andere Liste an.',
  'The campaign {} is being sent to the list {}, or will be.':
    'Das Rundschreiben {} wird gerade an die Liste {} gesendet oder soll an sie gehen.',
  'Cancel the campaign, or let it end.': 'Brechen Sie das Rundschreiben ab oder warten Sie sein Ende ab.',
  'The list is archived already.': 'Die Liste ist schon archiviert.',
  'control characters are not allowed': 'Steuerzeichen sind nicht erlaubt',

  // Subscribers.
  'There is no such subscriber.': 'Diese Person gibt es nicht.',
  'The person has left the list {}, and only they can come back.':
    'Die Person hat die Liste {} verlassen, und nur sie selbst kann zurückkommen.',
  "They can subscribe by the list's form.": 'Sie kann sich über das Formular der Liste anmelden.',
  'No mail goes to {}: the address is suppressed.': 'An {} geht keine Mail: Die Adresse ist gesperrt.',
  'GET /api/practices/{id}/suppression?address= says why.':
    'GET /api/practices/{id}/suppression?address= sagt, warum.',
  'The person was asked {} times and has not confirmed.':
    'Die Person wurde {}-mal gefragt und hat nicht bestätigt.',
  'They can still subscribe by the form of the list {}.':
    'Sie kann sich weiterhin über das Formular der Liste {} anmelden.',
  'The subscriber is active: there is nothing to confirm.':
    'Die Person ist aktiv: Es gibt nichts zu bestätigen.',
  'The confirmation mail to the subscriber still waits to leave.':
    'Die Bestätigungsmail an die Person wartet noch auf den Versand.',
  'GET /api/practices/{id}/queue says what waits and why.':
    'GET /api/practices/{id}/queue sagt, was wartet und warum.',
  'An address gets one confirmation mail a day for a list.':
    'Eine Adresse bekommt für eine Liste eine Bestätigungsmail am Tag.',
  'is in the future': 'liegt in der Zukunft',
  'is required with the status active': 'ist beim Status active erforderlich',
  'is required with the status active, and belongs to no other':
    'ist beim Status active erforderlich und gehört zu keinem anderen',
  'belongs to the status active': 'gehört zum Status active',
  'Subscribers are exported {} times a minute at most.':
    'Personen werden höchstens {}-mal in der Minute exportiert.',
  'The address has letters beyond ASCII before its @, and the mail server of this service takes no such address (SMTPUTF8).':
    'Die Adresse hat vor dem @ Zeichen, die nicht zu ASCII gehören, und der Mailserver dieses Dienstes nimmt solche Adressen nicht an (SMTPUTF8).',
  'expected a name that a placeholder can have: ASCII letters, digits, _ and dots':
    'erwartet wird ein Name, den ein Platzhalter haben kann: ASCII-Buchstaben, Ziffern, _ und Punkte',
  'expected a name other than {}': 'erwartet wird ein anderer Name als {}',
  'NUL characters are not allowed': 'NUL-Zeichen sind nicht erlaubt',

  // Subscribing by the form of a list.
  'The form of this list takes no requests.': 'Das Formular dieser Liste nimmt keine Anmeldungen an.',
  'Too many requests to subscribe {}.': 'Zu viele Anmeldungen {}.',
  'this e-mail address': 'dieser E-Mail-Adresse',
  'addresses of this domain': 'von Adressen dieser Domain',
  'to this list': 'zu dieser Liste',

  // Imports.
  'There is no such import.': 'Diesen Import gibt es nicht.',
  'A practice has at most {} imports at a time.': 'Eine Praxis hat höchstens {} Importe zur gleichen Zeit.',
  'Wait until one has ended, or cancel one.': 'Warten Sie, bis einer beendet ist, oder brechen Sie einen ab.',
  'Files are imported {} times a minute at most.':
    'Dateien werden höchstens {}-mal in der Minute importiert.',
  'Previews of imports are made {} times a minute at most.':
    'Vorschauen auf Importe werden höchstens {}-mal in der Minute erstellt.',
  'The import has ended: it is {}.': 'Der Import ist beendet: Er hat den Status {}.',
  'expected pairs such as 1:address,4:ignore; roles are {}':
    'erwartet werden Paare wie 1:address,4:ignore; möglich sind {}',

  // What is held of a person, and the consent ledger.
  'The data of a person': 'Die Verwaltung der Daten einer Person',
  'What is held of a person': 'Was von einer Person gespeichert ist,',
  '{} is an address of the practice itself.': '{} ist eine Adresse der Praxis selbst.',
  'Only people to whom it writes are erased; who works for it is removed among its members.':
    'Gelöscht werden nur Personen, an die sie schreibt; wer für sie arbeitet, wird bei ihren Mitgliedern entfernt.',
  'People are exported {} times a minute at most for a practice.':
    'Daten von Personen werden für eine Praxis höchstens {}-mal in der Minute exportiert.',
  'expected something to rectify': 'erwartet wird etwas, das zu berichtigen ist',
  'Evidence is made {} times a minute at most for a practice.':
    'Nachweise werden für eine Praxis höchstens {}-mal in der Minute erstellt.',
  'The consent ledger has no entry of this address.':
    'Das Einwilligungsprotokoll hat zu dieser Adresse keinen Eintrag.',
  'expected a SHA-256 in hex': 'erwartet wird ein SHA-256 in Hexadezimalziffern',
  '`body.email`: {}': '`body.email`: {}',
} satisfies Sentences;
