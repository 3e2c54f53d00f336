// What is refused of messages and templates, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  // What the gates look at.
  'Kind and route': 'Art und Versandweg',
  'Domain of the sender': 'Domain des Absenders',
  'Sending is not paused': 'Versand läuft',
  'Number of recipients': 'Zahl der Empfänger',
  'Letters of the addresses': 'Schreibweise der Adressen',
  'Header fields': 'Kopfzeilen',
  Attachments: 'Anhänge',
  'Time of sending': 'Sendezeit',
  'Legal notice': 'Impressum',
  'Signature of the domain (DKIM)': 'Signatur der Domain (DKIM)',
  'Warm-up: day': 'Aufwärmphase: Tag',
  Consent: 'Einwilligung',
  'Safe mode': 'Testbetrieb',
  'Suppression list': 'Sperrliste',
  'Limit of the plan': 'Kontingent des Tarifs',
  'Warm-up: volume': 'Aufwärmphase: Menge',
  'Usual range of the token': 'Üblicher Rahmen des Tokens',
  'This token sends far more than it usually does, so it is slowed, and too much waits already.':
    'Dieses Token sendet weit mehr als üblich; es ist deshalb verlangsamt, und es wartet schon zu viel.',
  Advertising: 'Werbung',
  Content: 'Inhalt',
  'Tracking of opens and clicks': 'Messung von Öffnungen und Klicks',
  'Unsubscribe link': 'Abmeldelink',

  // Addresses.
  '{} has a comment that is not closed': '{} hat einen Kommentar, der nicht geschlossen ist',
  '{} has a quoted name that is not closed':
    '{} hat einen Namen, dessen Anführungszeichen nicht geschlossen sind',
  '{} is not a domain name': '{} ist kein Domainname',
  '{} is not a full domain name': '{} ist kein vollständiger Domainname',
  '{} is an IP address, not a domain name': '{} ist eine IP-Adresse und kein Domainname',
  '{} is longer than {} octets': '{} ist länger als {} Oktette',
  '{} has no @': '{} hat kein @',
  '{} has more than one @': '{} hat mehr als ein @',
  '{} has nothing before the @': '{} hat nichts vor dem @',
  '{} has no domain after the @': '{} hat keine Domain nach dem @',
  '{} has characters or dots before the @ that an address cannot have there':
    '{} hat vor dem @ Zeichen oder Punkte, die eine Adresse dort nicht haben kann',
  '{} has more than {} octets before the @': '{} hat mehr als {} Oktette vor dem @',
  '{} is a group or a route; list its addresses': '{} ist eine Gruppe oder Route; nennen Sie deren Adressen',
  '{} has an IP literal as its domain': '{} hat eine IP-Adresse als Domain',
  '{} has a {} in an unquoted name': '{} hat ein {} in einem Namen ohne Anführungszeichen',
  '{} is empty where an address should be': '{} ist leer, wo eine Adresse stehen sollte',
  '{} has a quoted part before the @': '{} hat vor dem @ einen Teil in Anführungszeichen',
  '{} is not an address; put the address in <>, and a name with commas in quotes':
    '{} ist keine Adresse; setzen Sie die Adresse in <> und einen Namen mit Kommas in Anführungszeichen',
  '{} has no address in <>': '{} hat keine Adresse in <>',
  '{} has something else than one address in <>': '{} hat in <> etwas anderes als eine Adresse',
  '{} has something after the address': '{} hat etwas hinter der Adresse',
  '{} has an @ in an unquoted name': '{} hat ein @ in einem Namen ohne Anführungszeichen',
  '{} is longer than {} characters': '{} ist länger als {} Zeichen',
  '{} has a control character or a line break': '{} hat ein Steuerzeichen oder einen Zeilenumbruch',
  '{} is not valid Unicode': '{} ist kein gültiges Unicode',
  '{} is more than one address': '{} ist mehr als eine Adresse',

  'Message {}: {}': 'Nachricht {}: {}',
  'The content scores {} of 100; mail is blocked from 70 on.':
    'Der Inhalt hat {} von 100 Punkten; ab 70 wird Mail gesperrt.',
  'The spam scanner rejects the content.': 'Der Spamfilter lehnt den Inhalt ab.',
  'The virus scanner found something in an attachment.':
    'Der Virenscanner hat in einem Anhang etwas gefunden.',
  'The content links to a host on a block list.': 'Der Inhalt verweist auf einen Host auf einer Sperrliste.',
  'belongs to a stored template, and none is named':
    'gehört zu einer gespeicherten Vorlage, und keine ist genannt',
  'must have at most {} characters in all': 'darf insgesamt höchstens {} Zeichen haben',
  'has another value than {}, whose alias it is': 'hat einen anderen Wert als {}, für das es steht',
  'is the id of an earlier attachment too': 'ist auch die Kennung eines früheren Anhangs',
  'must be base64 with its padding, without line breaks':
    'muss Base64 mit Füllzeichen und ohne Zeilenumbrüche sein',
  'one of text, html and template is required': 'eines von text, html und template ist erforderlich',
  'one of text and html is required': 'eines von text und html ist erforderlich',
  'one of html and text is required': 'eines von html und text ist erforderlich',
  'The request does not say which project it is for.': 'Die Anfrage sagt nicht, für welches Projekt sie ist.',
  'is required from members of several projects': 'ist für Mitglieder mehrerer Projekte erforderlich',
  'Marketing needs a footer, which cannot be added to a signed message.':
    'Werbung braucht eine Fußzeile, und einer signierten Nachricht lässt sich keine anfügen.',
  'Turn off the signature in the mail program: the service signs each message itself.':
    'Schalten Sie die Signatur im Mailprogramm aus: Der Dienst signiert jede Nachricht selbst.',
  'The message has no recipient.': 'Die Nachricht hat keinen Empfänger.',
  'Name at least one recipient in to, cc or bcc.':
    'Nennen Sie mindestens einen Empfänger in to, cc oder bcc.',
  'The message has {} recipients.': 'Die Nachricht hat {} Empfänger.',
  'An address has letters beyond ASCII before its @.':
    'Eine Adresse hat vor dem @ Zeichen, die nicht zu ASCII gehören.',
  'From and Reply-To need an address with ASCII before the @, because many servers take no mail with another.':
    'From und Reply-To brauchen vor dem @ ASCII, weil viele Server andere Mail nicht annehmen.',
  "Such addresses need SMTPUTF8 (RFC 6531), which the operator's upstream does not offer; use an address with ASCII before the @.":
    'Solche Adressen brauchen SMTPUTF8 (RFC 6531), das der Mailserver des Betreibers nicht bietet; nehmen Sie eine Adresse mit ASCII vor dem @.',
  'Not every recipient has given consent to this list.':
    'Nicht jeder Empfänger hat in diese Liste eingewilligt.',
  'Safe mode keeps mail from strangers.': 'Der Testbetrieb hält Mail von Fremden fern.',
  'A message of kind {} may not go over the route {}.':
    'Eine Nachricht der Art {} darf nicht über den Versandweg {} gehen.',
  'Use a {} route for it.': 'Nehmen Sie dafür einen Versandweg der Art {}.',
  'The DKIM records of {} have not been verified.': 'Die DKIM-Einträge von {} sind noch nicht geprüft.',
  'This practice may not send from {}.': 'Diese Praxis darf nicht von {} senden.',
  'Use an address on {}, or leave the From address out.':
    'Nehmen Sie eine Adresse auf {} oder lassen Sie den Absender weg.',
  'The practice is paused and does not send.': 'Die Praxis ist angehalten und sendet nicht.',
  'Marketing mail must name its sender.': 'Werbung muss ihren Absender nennen.',
  'Complete the legal block: PATCH /api/practices/{id}/compliance.':
    'Ergänzen Sie das Impressum: PATCH /api/practices/{id}/compliance.',
  'The last check found the DKIM records of {} wrong or missing.':
    'Bei der letzten Prüfung waren die DKIM-Einträge von {} falsch oder fehlten.',
  '{} of {} mails of this month are used.': '{} von {} Mails dieses Monats sind verbraucht.',
  'The mails of this month are used up.': 'Die Mails dieses Monats sind verbraucht.',
  'Send from a domain of your own: mail from the managed host has a smaller cap.':
    'Senden Sie von einer eigenen Domain: Für Mail vom bereitgestellten Host gilt eine kleinere Grenze.',
  'must be at most {} days ahead': 'darf höchstens {} Tage in der Zukunft liegen',
  'is in the past: {}; leave it out to send at once':
    'liegt in der Vergangenheit: {}; lassen Sie es weg, um sofort zu senden',
  '`scheduled_at` {}.': '`scheduled_at` {}.',
  'Marketing mail begins on day {} of the warm-up.': 'Werbung beginnt am Tag {} der Aufwärmphase.',
  'Until then send it with a From address on {}, which needs no warm-up.':
    'Senden Sie sie bis dahin mit einem Absender auf {}: Der braucht keine Aufwärmphase.',
  'The warm-up takes {} marketing mails on that day.': 'Die Aufwärmphase lässt an dem Tag {} Werbemails zu.',
  'The Idempotency-Key is in the head more than once.':
    'Der Idempotency-Key steht mehr als einmal im Kopf der Anfrage.',
  'expected once': 'wird einmal erwartet',
  'The Idempotency-Key is not usable.': 'Der Idempotency-Key ist nicht brauchbar.',
  'expected 1 to 256 characters': 'erwartet werden 1 bis 256 Zeichen',
  'The first request with this idempotency key is still running.':
    'Die erste Anfrage mit diesem Idempotenzschlüssel läuft noch.',
  'This idempotency key was used for another request.':
    'Dieser Idempotenzschlüssel wurde für eine andere Anfrage verwendet.',
  'is required here or in the query': 'ist hier oder in der Query erforderlich',
  'The message does not wait for its time.': 'Die Nachricht wartet nicht auf ihre Zeit.',
  'Only a message that is `pending` and has not been tried can be cancelled or given another time.':
    'Nur eine Nachricht, die `pending` ist und noch nicht versucht wurde, kann zurückgezogen oder verschoben werden.',
  'at most {} entries': 'höchstens {} Einträge',
  'at most {} headers': 'höchstens {} Kopfzeilen',
  'There is a template with the name {} already.': 'Es gibt schon eine Vorlage mit dem Namen {}.',
  'A practice has at most {} templates.': 'Eine Praxis hat höchstens {} Vorlagen.',
  'is required by the template': 'wird von der Vorlage gebraucht',
  'makes the message longer than {} characters': 'macht die Nachricht länger als {} Zeichen',
  'leaves the subject empty': 'lässt den Betreff leer',
  'makes the subject longer than {} characters': 'macht den Betreff länger als {} Zeichen',
  'There is no template {}.': 'Es gibt keine Vorlage {}.',
  'GET /api/practices/{id}/templates lists them.': 'GET /api/practices/{id}/templates nennt sie.',
  'There is no such template.': 'Diese Vorlage gibt es nicht.',
  'There is no such version.': 'Diese Fassung gibt es nicht.',
  'email: {}': 'email: {}',
  'have longer values than one request can take': 'haben längere Werte, als eine Anfrage fassen kann',
  'The project is archived and does not send.': 'Das Projekt ist archiviert und sendet nicht.',
  'There is no route {} in this project.': 'In diesem Projekt gibt es keinen Versandweg {}.',
  'The message cannot be read: {}.': 'Die Nachricht ist nicht zu lesen: {}.',
  'Send a message of fewer parts, in the usual encodings.':
    'Senden Sie eine Nachricht mit weniger Teilen und in den üblichen Kodierungen.',
  'is a time that clocks in {} skip': 'ist eine Zeit, die die Uhren in {} überspringen',
  'Clocks are put forward there; name a time before or after that, or one with an offset.':
    'Dort werden die Uhren vorgestellt; nennen Sie eine Zeit davor oder danach oder eine mit Zeitabstand zu UTC.',
  'is not the name of a time zone': 'ist kein Name einer Zeitzone',
  'Use an IANA name, such as Europe/Berlin.': 'Nehmen Sie einen Namen der IANA, etwa Europe/Berlin.',
  'must be after starts_at': 'muss nach starts_at liegen',
  'Turn off encryption, and set S/MIME to send signatures in clear text.':
    'Schalten Sie die Verschlüsselung aus und stellen Sie S/MIME so ein, dass es Signaturen im Klartext sendet.',
  'Encrypted mail cannot be taken over; turn encryption off, or send it another way.':
    'Verschlüsselte Mail lässt sich nicht übernehmen; schalten Sie die Verschlüsselung aus oder senden Sie sie auf anderem Weg.',
  'In Outlook, set the format of the message to HTML or plain text.':
    'Stellen Sie in Outlook das Format der Nachricht auf HTML oder Nur-Text.',
  'Delivery reports and read receipts are not sent through this service.':
    'Zustellberichte und Lesebestätigungen sendet man nicht über diesen Dienst.',
  'Send the message in one piece.': 'Senden Sie die Nachricht in einem Stück.',
  'A message with a part of type {} is not taken.':
    'Eine Nachricht mit einem Teil vom Typ {} wird nicht angenommen.',
  'The text of the message is too long.': 'Der Text der Nachricht ist zu lang.',
  'Send long content as an attachment.': 'Senden Sie lange Inhalte als Anhang.',
  'is too long': 'ist zu lang',
  'The message has a multipart without parts.': 'Die Nachricht hat ein Multipart ohne Teile.',
  'Name the boundary that is between the parts, or send the text as text/plain.':
    'Nennen Sie die Boundary, die zwischen den Teilen steht, oder senden Sie den Text als text/plain.',
  'has a multipart without parts': 'hat ein Multipart ohne Teile',
  'The field {} {}.': 'Die Kopfzeile {} {}.',
  'Correct that field of the message.': 'Berichtigen Sie diese Kopfzeile der Nachricht.',
  'is there more than once': 'ist mehr als einmal da',
  'is there beside {}': 'steht neben {}',
  'is missing': 'fehlt',
  'has more than one address': 'hat mehr als eine Adresse',
  'is not usable: {}': 'ist nicht brauchbar: {}',
  'There is no field {}.': 'Es gibt keine Kopfzeile {}.',
  'Perhaps {} was meant.': 'Vielleicht war {} gemeint.',
  'leads to more than {} tags': 'führt zu mehr als {} Schlagwörtern',
  'has more than {} characters': 'hat mehr als {} Zeichen',
  'The service is starting.': 'Der Dienst startet gerade.',
  'The message cannot be sent again: {}.': 'Die Nachricht lässt sich nicht noch einmal senden: {}.',
  'it is a mail of the service itself': 'Sie ist eine Mail des Dienstes selbst',
  'it still waits for its time': 'Sie wartet noch auf ihre Zeit',
  'it is part of a campaign, which asks for the consent of each recipient':
    'Sie gehört zu einem Rundschreiben, und das fragt nach der Einwilligung jedes Empfängers',
  'its link confirms a subscription': 'Ihr Link bestätigt eine Anmeldung',
  'it is older than its content is kept': 'Sie ist älter, als ihr Inhalt aufbewahrt wird',
  'marketing goes only to who agreed to it': 'Werbung geht nur an Empfänger, die eingewilligt haben',
  'Ask for a new one where the first one came from.': 'Fordern Sie dort eine neue an, woher die erste kam.',
  'Give it another time, or cancel it and send a new one.':
    'Geben Sie ihr eine andere Zeit oder ziehen Sie sie zurück und senden Sie eine neue.',
  'Send another campaign, or a test of this one.':
    'Senden Sie ein anderes Rundschreiben oder einen Test von diesem.',
  'Ask for another confirmation mail: POST /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}/confirmation.':
    'Fordern Sie eine neue Bestätigungsmail an: POST /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}/confirmation.',
  'Send a new message.': 'Senden Sie eine neue Nachricht.',
  'Leave `to` out, or name recipients that it had.':
    'Lassen Sie `to` weg oder nennen Sie Empfänger, die sie hatte.',
  'To send content to others needs the permission to see it.':
    'Um Inhalte an andere zu senden, braucht es die Berechtigung, sie zu sehen.',
  'Messages are sent again {} times a minute at most for a practice, large ones less often.':
    'Je Praxis werden Nachrichten höchstens {}-mal in der Minute noch einmal gesendet, große seltener.',
  'to: {}': 'to: {}',
  'is required for a sample message': 'ist für eine Beispielnachricht erforderlich',
  'The signed message cannot leave as it was signed: {}.':
    'Die signierte Nachricht kann nicht so hinausgehen, wie sie signiert wurde: {}.',
  'it is not one part and its signature': 'Sie besteht nicht aus einem Teil und seiner Signatur',
  'servers on the way may change it': 'Server unterwegs könnten sie ändern',
  'mail programs would differ in how they read it': 'Mailprogramme würden sie verschieden lesen',
  'Sign by OpenPGP/MIME or by S/MIME in clear text, or turn off the signature.':
    'Signieren Sie mit OpenPGP/MIME oder mit S/MIME im Klartext, oder schalten Sie die Signatur aus.',
  'Sign in 7-bit lines of at most 998 characters, as OpenPGP/MIME and S/MIME ask for.':
    'Signieren Sie in 7-Bit-Zeilen von höchstens 998 Zeichen, wie es OpenPGP/MIME und S/MIME verlangen.',
  'Give each part its Content-* fields once, each file one name, and send text files as attachments.':
    'Geben Sie jedem Teil seine Content-*-Felder einmal und jeder Datei einen Namen, und senden Sie Textdateien als Anhänge.',
  'The attachment {} is rejected: {}.': 'Der Anhang {} wird abgelehnt: {}.',
  'The content looks like advertising: {}': 'Der Inhalt sieht nach Werbung aus: {}',
  'is given twice': 'ist zweimal angegeben',
  'is not a header name': 'ist kein Name einer Kopfzeile',
  'has a value with a line break or control character': 'hat einen Wert mit Zeilenumbruch oder Steuerzeichen',
  'is reserved for the service': 'ist dem Dienst vorbehalten',
  'is one by which relays take orders': 'ist eines, über das Relays Anweisungen annehmen',
  'may not be set by senders': 'dürfen Absender nicht setzen',
  'this type of file is not allowed': 'diese Art von Datei ist nicht erlaubt',
  'it is empty': 'er ist leer',
  'the file name holds control, direction or path characters':
    'der Dateiname enthält Steuer-, Richtungs- oder Pfadzeichen',
  'the file name begins or ends with a blank': 'der Dateiname beginnt oder endet mit einem Leerzeichen',
  'the file name is that of a device on Windows': 'der Dateiname ist unter Windows der eines Geräts',
  'The header {} {}.': 'Die Kopfzeile {} {}.',
  'Delete one that is not used any more.': 'Löschen Sie, was nicht mehr gebraucht wird.',
  "is required by the template, and the practice's legal block does not have it: complete that, or give the value":
    'wird von der Vorlage gebraucht und fehlt im Impressum der Praxis: Ergänzen Sie es dort oder geben Sie den Wert an',
  'has, with the other parts, more than {} placeholders':
    'hat zusammen mit den anderen Teilen mehr als {} Platzhalter',
  'has a placeholder of more than {} characters': 'hat einen Platzhalter von mehr als {} Zeichen',
  'begins a link: expected an address with https, http, mailto, tel or sms':
    'beginnt einen Link: erwartet wird eine Adresse mit https, http, mailto, tel oder sms',
  'The template {} has no version {}.': 'Die Vorlage {} hat keine Fassung {}.',
  'GET /api/practices/{id}/templates/{templateID}/versions lists those that are kept.':
    'GET /api/practices/{id}/templates/{templateID}/versions nennt die, die aufbewahrt werden.',
  'belongs to a template, and none is named': 'gehört zu einer Vorlage, und keine ist genannt',
  'cannot be given beside template': 'ist neben template nicht möglich',
  'A template': 'Eine Vorlage',

  // Images.
  'The image {}.': 'Das Bild {}.',
  'is a HEIC or AVIF file, which few mail programs show':
    'ist eine HEIC- oder AVIF-Datei, die nur wenige Mailprogramme zeigen',
  'is a PDF': 'ist ein PDF',
  'is an SVG drawing, which mail programs do not show':
    'ist eine SVG-Zeichnung, die Mailprogramme nicht zeigen',
  'is no JPEG, PNG, WebP or GIF file': 'ist keine JPEG-, PNG-, WebP- oder GIF-Datei',
  'has too many pixels or frames': 'hat zu viele Pixel oder Einzelbilder',
  'cannot be read: the file is damaged or not whole':
    'kann nicht gelesen werden: Die Datei ist beschädigt oder unvollständig',
  'has more than {} MB': 'hat mehr als {} MB',
  'has {} MB when it is made for mail, at most {} are taken':
    'hat für E-Mails aufbereitet {} MB, höchstens {} sind möglich',
  'Save it as JPEG or PNG, and upload that.': 'Speichern Sie es als JPEG oder PNG und laden Sie das hoch.',
  'Attach the PDF to the message, or save its page as PNG.':
    'Hängen Sie das PDF an die Nachricht an, oder speichern Sie die Seite als PNG.',
  'Make it smaller: 1,200 pixels are enough for the width of a mail, and 200 frames for an animation.':
    'Verkleinern Sie es: Für eine E-Mail genügen 1.200 Pixel Breite, für eine Animation 200 Einzelbilder.',
  'Open it in a program for images, save it again, and upload that.':
    'Öffnen Sie es in einem Bildprogramm, speichern Sie es neu und laden Sie das hoch.',
  'Make it smaller, and upload it again.': 'Verkleinern Sie es und laden Sie es noch einmal hoch.',
  'Shorten the animation, or make the image smaller.':
    'Kürzen Sie die Animation, oder verkleinern Sie das Bild.',
  'There is no such image.': 'Dieses Bild gibt es nicht.',
  'A practice keeps at most {} images and {} MiB of them.':
    'Eine Praxis hat höchstens {} Bilder und davon {} MiB.',
  'Delete images that nothing uses any more.': 'Löschen Sie Bilder, die nicht mehr gebraucht werden.',
  'The practice has too many images that wait to be made.':
    'Zu viele Bilder der Praxis warten darauf, aufbereitet zu werden.',
  'A template shows the image.': 'Eine Vorlage zeigt das Bild.',
  'A campaign shows the image.': 'Eine Kampagne zeigt das Bild.',
  'The letterhead shows the image.': 'Der Briefkopf zeigt das Bild.',
  'Mails that were sent carry the image.': 'Gesendete E-Mails enthalten das Bild.',
  'It can be deleted once their attachments are removed, as the retention of the practice says.':
    'Es lässt sich löschen, sobald deren Anhänge gelöscht sind, wie es die Aufbewahrung der Praxis sagt.',
  'Delete what shows it first: a template shows the images of all its versions, a campaign keeps what it sent.':
    'Löschen Sie zuerst, was es zeigt: Eine Vorlage zeigt die Bilder aller ihrer Fassungen, eine Kampagne behält, was sie gesendet hat.',
  'at most {} values': 'höchstens {} Werte',
  'Too many addresses were looked at.': 'Es wurden zu viele Adressen geprüft.',

  // The check beside a preview.
  "The links of a practice's mails are asked for {} times a minute at most.":
    'Die Links der E-Mails einer Praxis werden höchstens {}-mal je Minute geprüft.',
  'one of document, text and html is required': 'document, text oder html ist erforderlich',
  'cannot be given beside text and html, which are made of it':
    'ist neben text und html nicht möglich, die daraus entstehen',

  // The checks of content.
  'The content cannot be checked: a scanner does not answer.':
    'Der Inhalt kann nicht geprüft werden: Ein Prüfprogramm antwortet nicht.',
  'Too many messages wait for a scanner.': 'Zu viele Nachrichten warten auf ein Prüfprogramm.',

  // Fields of a send, and of templates.
  'expected one line: a line break or NUL is not allowed':
    'erwartet wird eine Zeile: Zeilenumbrüche und NUL sind nicht erlaubt',
  'expected type/subtype without parameters': 'erwartet wird Typ/Untertyp ohne Parameter',
  'expected an id without spaces': 'erwartet wird eine Kennung ohne Leerzeichen',
  'expected a year from 1970 to 2199': 'erwartet wird ein Jahr von 1970 bis 2199',
  'expected one e-mail address in ASCII, such as praxis@example.org':
    'erwartet wird eine E-Mail-Adresse in ASCII wie praxis@example.org',
  'expected one line without control or invisible characters':
    'erwartet wird eine Zeile ohne Steuerzeichen und unsichtbare Zeichen',
  'expected a name, not an id': 'erwartet wird ein Name, keine Kennung',
  'expected letters, digits, dots, hyphens and underscores, a letter or digit first':
    'erwartet werden Buchstaben, Ziffern, Punkte, Binde- und Unterstriche, zuerst ein Buchstabe oder eine Ziffer',
  'more than {} attachments': 'mehr als {} Anhänge',
  'all together are larger than {} bytes': 'alle zusammen sind größer als {} Bytes',
  'the double extension .{}.{} is suspicious': 'die doppelte Endung .{}.{} ist verdächtig',
  'the type {} does not match the file name': 'der Typ {} passt nicht zum Dateinamen',
  'it is larger than {} bytes': 'er ist größer als {} Bytes',
  'the file name is longer than {} bytes': 'der Dateiname ist länger als {} Bytes',
  'has a value of more than {} bytes': 'hat einen Wert von mehr als {} Bytes',
  'it has too many parts, or too long a header': 'sie hat zu viele Teile oder einen zu langen Kopf',
  'a part has the unknown transfer encoding {}': 'ein Teil hat die unbekannte Kodierung {}',
  'it has no header': 'sie hat keinen Kopf',
  '{} is no placeholder: those are {{name}}, with ASCII letters, digits, _ and dots':
    '{} ist kein Platzhalter: das sind {{name}}, mit ASCII-Buchstaben, Ziffern, _ und Punkten',
  "{} is at a place where its value could become code: put it into text, or into an attribute's value in quotes; a link must begin with https:// or be the placeholder alone":
    '{} steht, wo der Wert zu Code werden könnte: setzen Sie ihn in Text oder in den Wert eines Attributs in Anführungszeichen; ein Link muss mit https:// beginnen oder nur der Platzhalter sein',

  // Documents and the letterhead.
  'is nested too deeply': 'ist zu tief verschachtelt',
  'has more than 2,000 parts': 'hat mehr als 2.000 Teile',
  'has more than 200,000 characters': 'hat mehr als 200.000 Zeichen',
  'control characters and broken characters are not allowed':
    'Steuerzeichen und zerbrochene Zeichen sind nicht erlaubt',
  'expected a name with ASCII letters, digits, _ and dots':
    'erwartet wird ein Name aus ASCII-Buchstaben, Ziffern, _ und Punkten',
  'expected the id of an image': 'erwartet wird die Kennung eines Bildes',
  'expected a colour such as #0b57d0': 'erwartet wird eine Farbe wie #0b57d0',
  'expected one line': 'erwartet wird eine Zeile',
  'has more than 12 lines': 'hat mehr als 12 Zeilen',
  'expected a link that begins with https://, http://, mailto: or tel:, or a placeholder':
    'erwartet wird ein Link, der mit https://, http://, mailto: oder tel: beginnt, oder ein Platzhalter',
  'a button needs a text': 'eine Schaltfläche braucht einen Text',
  'image_not_found: there is no such image': 'image_not_found: Dieses Bild gibt es nicht.',
  'cannot be rendered: {}': 'lässt sich nicht umsetzen: {}',
  'makes HTML of more than {} characters': 'ergibt HTML mit mehr als {} Zeichen',
  'cannot be given beside {}, of which it is made':
    'kann nicht neben {} angegeben werden, denn es wird daraus gemacht',
  'is made of the {}: change that, or send `{}: null` beside this field to keep source from now on':
    'wird aus {} gemacht: ändern Sie das, oder senden Sie `{}: null` neben diesem Feld, um von nun an den Quelltext zu behalten',
} satisfies Sentences;
