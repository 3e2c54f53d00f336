// Mails as servers and people send them to a return path, by verdict: what the rules make of them that no single product
// shows. All have the null sender.
import { describe, expect, test } from 'vitest';
import { readReport } from '#src/feedback/read-report.ts';
import { consequenceOf } from '#src/feedback/rules.ts';
import { NULL_SENDER } from '#test/support/reports.ts';

const A = 'erika@b.example';

const mail = (head: string, body: string): Buffer =>
  Buffer.from(`${head}\n\n${body}`.replace(/\r?\n/g, '\r\n'));

/** RFC 3464; `fields` of the recipients. */
const report = (fields: string, words = ''): Buffer =>
  mail(
    'From: MAILER-DAEMON@mx.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"',
    `--b\nContent-Type: text/plain\n\n${words}\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n${fields}\n\n--b\nContent-Type: message/rfc822\n\nFrom: p@praxis.example\nTo: ${A}\nSubject: Termin\n\nGuten Tag\n--b--\n`,
  );

const failed = (status: string, diagnostic = ''): string =>
  `Final-Recipient: rfc822; ${A}\nAction: failed\nStatus: ${status}${diagnostic === '' ? '' : `\nDiagnostic-Code: ${diagnostic}`}`;

const letter = (from: string, subject: string, body: string, fields = ''): Buffer =>
  mail(`From: ${from}\nSubject: ${subject}${fields}`, body);

const cases: readonly (readonly [verdict: string, name: string, source: Buffer])[] = [
  ...[
    '556 rue de la Gare, Strasbourg',
    'Tel: 556 oder 557',
    'Durchwahl: 421 bis 18 Uhr',
    'Zimmer: 432 im Haus B',
    'reply: 452 Hauptstraße',
    '552 Hauptstraße',
  ].map(
    (line) =>
      ['none', line, letter('Praxis <p@c.example>', 'Danke', `Danke für Ihre Mail.\n${line}\n`)] as const,
  ),
  [
    'soft',
    'number of a house in a notice without a reason',
    letter(
      'Mail <m@c.example>',
      'x',
      `Ihre Mail an ${A} konnte nicht zugestellt werden.\n556 rue de la Gare\n`,
    ),
  ],
  [
    'soft',
    'ironport greylist',
    letter(
      'Mail Delivery System <MAILER-DAEMON@ip.example>',
      'Delivery Status Notification (Failure)',
      `The following message to <${A}> was undeliverable.\nThe reason for the problem:\n5.1.0 - Unknown address error 550-'5.2.2 <${A}>... mailbox full'\n`,
    ),
  ],
  [
    'hard',
    'ironport',
    letter(
      'Mail Delivery System <MAILER-DAEMON@ip.example>',
      'Delivery Status Notification (Failure)',
      `The following message to <${A}> was undeliverable.\nThe reason for the problem:\n5.1.2 - Bad destination host 'DNS Hard Error looking up b.example (MX):  NXDomain'\n`,
    ),
  ],
  [
    'soft',
    'ironport expiry',
    letter(
      'Mail Delivery System <MAILER-DAEMON@ip.example>',
      'Delivery Status Notification (Failure)',
      `The following message to <${A}> was undeliverable.\nThe reason for the problem:\n5.4.7 - Delivery expired (message too old) 'timeout'\n`,
    ),
  ],
  ['hard', 'one letter', letter('mailer-daemon', 'a', `Your message to ${A} was rejected: user unknown`)],
  [
    'hard',
    'post_master',
    letter('post_master@x.example', 'failure delivery', `Message for ${A} failed\nno such user`),
  ],
  ['hard', 'bare quoted', letter('postmaster', 'hello', `550 5.1.1 <${A}>: user unknown`)],
  [
    'soft',
    'bare full',
    letter('Postmaster', 'hello', `<${A}>: mailbox is full, message could not be delivered`),
  ],
  [
    'hard',
    'html',
    letter(
      'System',
      'Message delivery has failed',
      `<html><body><p>Delivery to the following recipients failed:</p><p>${A}</p><p>550 5.1.1 User unknown</p></body></html>`,
      '\nContent-Type: text/html',
    ),
  ],
  [
    'hard',
    'base64',
    letter(
      'System',
      'Message delivery has failed',
      Buffer.from(`Delivery to ${A} failed.\nUser unknown`).toString('base64'),
      '\nMIME-Version: 1.0\nContent-Type: text/plain\nContent-Transfer-Encoding: base64',
    ),
  ],
  [
    'hard',
    'DSN no mime',
    letter(
      'MAILER-DAEMON',
      'Undelivered mail',
      `This is a MIME-encapsulated message\n\n--b\nContent-Type: text/plain\n\nfailed\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n${failed('5.1.1', 'smtp; 550 5.1.1 User unknown')}\n\n--b\nContent-Type: message/rfc822\n\nFrom: x\n`,
    ),
  ],
  ['soft', 'status full no diag', report(failed('5.0.0'), `<${A}>: over quota`)],
  [
    'none',
    'deliverable',
    report(`Final-Recipient: rfc822; ${A}\nAction: deliverable\nStatus: 2.1.5`, `550 5.1.1 user unknown`),
  ],
  [
    'none',
    'expanded',
    report(`Final-Recipient: rfc822; ${A}\nAction: expanded\nStatus: 2.0.0`, `550 5.1.1 user unknown`),
  ],
  [
    'delayed',
    'delayed',
    report(
      `Final-Recipient: rfc822; ${A}\nAction: delayed\nStatus: 4.4.1\nDiagnostic-Code: smtp; 550 5.1.1 unknown`,
      `x`,
    ),
  ],
  [
    'hard',
    'forwarded',
    report(
      `Original-Recipient: rfc822;${A}\nFinal-Recipient: rfc822; other@c.example\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 unknown user`,
    ),
  ],
  [
    'soft',
    'exim smtp 5.0.0 sender',
    report(
      failed(
        '5.0.0',
        'smtp; 550-Verification failed for <b+1@bounce.example>\n 550-No Such User Here\n 550 Sender verify failed',
      ),
    ),
  ],
  [
    'hard',
    'exim callout',
    report(failed('5.0.0', 'smtp; 550-Callback verification failed\n 550 No such user here')),
  ],
  [
    'hard',
    'exim unrouteable',
    report(
      failed('5.0.0'),
      `A message that you sent could not be delivered.\n\n  ${A}\n    Unrouteable address\n`,
    ),
  ],
  ['soft', 'sendmail 4.4.7', report(failed('4.4.7', 'smtp; 451 4.1.1 user unknown'), '')],
  [
    'soft',
    'sendmail hostlookup',
    report(
      failed('5.1.2'),
      `   ----- Transcript of session follows -----\n550 5.1.2 <${A}>... Host unknown (Name server: b.example.: host name lookup failure)\n\n<${A}>`,
    ),
  ],
  [
    'hard',
    'sendmail host',
    report(
      failed('5.1.2'),
      `   ----- The following addresses had permanent fatal errors -----\n<${A}>\n\n   ----- Transcript of session follows -----\n550 5.1.2 <${A}>... Host unknown (Name server: b.example.: host not found)\n`,
    ),
  ],
  [
    'hard',
    'gmail nx',
    report(
      failed(
        '5.1.2',
        `smtp; DNS Error: DNS type 'mx' lookup of b.example responded with code NXDOMAIN Domain name not found: b.example`,
      ),
    ),
  ],
  [
    'soft',
    'gmail servfail',
    report(
      failed('5.1.2', `smtp; DNS Error: DNS type 'mx' lookup of b.example responded with code SERVFAIL`),
    ),
  ],
  [
    'soft',
    'gmail',
    report(
      failed(
        '4.4.1',
        'smtp; The recipient server did not accept our requests to connect. Learn more at https://support.google.com/mail/answer/7720 [b.example 1.2.3.4: timed out]',
      ),
    ),
  ],
  [
    'hard',
    'X-Notes',
    report(failed('5.1.1', 'X-Notes; User erika (erika@b.example) not listed in Domino Directory')),
  ],
  [
    'hard',
    'exch2003',
    report(
      failed('5.1.1'),
      `Your message did not reach some or all of the intended recipients.\n\n      Subject: x\n\nThe following recipient(s) could not be reached:\n\n      ${A} on 1.1.2006 12:00\n            The e-mail account does not exist at the organization this message was sent to.  Check the e-mail address, or contact the recipient directly to find out the correct address.\n            <mx.b.example #5.1.1>`,
    ),
  ],
  [
    'soft',
    'exch2003 perm',
    report(
      failed('5.7.1'),
      `      ${A} on 1.1.2006 12:00\n            You do not have permission to send to this recipient.  For assistance, contact your system administrator.\n            <mx.b.example #5.7.1 smtp;550 5.7.1 Unable to relay for ${A}>`,
    ),
  ],
  [
    'soft',
    'o365 expire',
    report(failed('5.4.300', 'smtp;550 5.4.300 Message expired -> 451 4.7.500 Server busy')),
  ],
  [
    'soft',
    'o365 ',
    report(
      failed(
        '5.7.367',
        'smtp;550 5.7.367 Remote server returned not permitted to relay -> 554 5.7.1 <x>: Relay access denied',
      ),
    ),
  ],
  [
    'soft',
    'o365 rejected',
    report(failed('5.0.350', 'smtp;550 5.0.350 Remote server returned an error -> 550 Denied by policy')),
  ],
  [
    'hard',
    'qmail',
    letter(
      'MAILER-DAEMON@q.example',
      'failure notice',
      `Hi. This is the qmail-send program at q.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<anna@b.example>:\n192.0.2.1 failed after I sent the message.\nRemote host said: 552 mailbox full\n\n<${A}>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n--- Below this line is a copy of the message.\n\nReturn-Path: <x>\n`,
    ),
  ],
  [
    'soft',
    'qmail ours soft',
    letter(
      'MAILER-DAEMON@q.example',
      'failure notice',
      `Hi. This is the qmail-send program at q.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<anna@b.example>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n<${A}>:\n192.0.2.1 failed after I sent the message.\nRemote host said: 552 mailbox full\n\n--- Below this line is a copy of the message.\n\nReturn-Path: <x>\n`,
    ),
  ],
  [
    'none',
    'vacation unmarked',
    letter(
      A,
      'Re: Termin',
      `Vielen Dank. Ich bin nicht mehr im Unternehmen, mein Postfach existiert nicht mehr lange. Erika`,
    ),
  ],
  [
    'none',
    'left company',
    letter(A, 'Re: Termin', `The email address ${A} is no longer in use. Please write to info@b.example`),
  ],
  [
    'none',
    'quarantine',
    letter('quarantine@b.example', 'Your message is being held', `Your message to ${A} is held for review.`),
  ],
  [
    'none',
    'receipt',
    letter('postmaster@b.example', 'Delivered: Termin', `Your message was delivered to ${A}.`),
  ],
  [
    'auto_reply',
    'auto',
    letter(
      A,
      'Automatic reply: Termin',
      'I am away. My account may be disabled.',
      '\nAuto-Submitted: auto-replied',
    ),
  ],
  [
    'hard',
    'auto marked bounce',
    letter(
      'someone@b.example',
      'Undelivered',
      'Your message could not be delivered: 550 5.1.1 User unknown',
      '\nAuto-Submitted: auto-replied',
    ),
  ],
  [
    'hard',
    'courier',
    report(
      failed('5.0.0', 'smtp; 550 User unknown.'),
      `UNDELIVERABLE MAIL\n\nYour message to the following recipients cannot be delivered:\n\n<${A}>:\n    b.example [192.0.2.1]:\n<<< 550 User unknown.\n`,
    ),
  ],
  [
    'soft',
    'postfix rcpt tmp',
    report(failed('5.1.1', 'X-Postfix; delivery temporarily suspended: unknown user')),
  ],
  ['hard', 'postfix unk', report(failed('5.1.1', 'X-Postfix; unknown user: "erika"'))],
  [
    'soft',
    'postfix end of data',
    report(
      failed('5.0.0', 'smtp; 550 Requested action not taken: mailbox unavailable'),
      `<${A}>: host mx said: 550 Requested action not taken: mailbox unavailable (in reply to end of DATA command)`,
    ),
  ],
  ['soft', 'mixed', report(failed('5.1.1', 'smtp; 550 5.1.1 Blocked: user unknown'))],
  ['soft', 'no diag, generic', report(failed('5.0.0'), `your message could not be delivered to ${A}`)],
  ['hard', 'unix', report(failed('5.3.0', 'X-Unix; 67'), `<${A}>\n    (reason: 550 5.1.1 User unknown)`)],
  ['soft', 'quota unix', report(failed('5.3.0', 'X-Unix; 75'), `<${A}>\n    (reason: quota exceeded)`)],
  [
    'hard',
    'de exchange',
    letter(
      'Microsoft Exchange <postmaster@b.example>',
      'Unzustellbar: Termin',
      `Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Verteilerlisten:\n\n${A}\nDie eingegebene E-Mail-Adresse konnte nicht gefunden werden. Überprüfen Sie die E-Mail-Adresse des Empfängers, und versuchen Sie, die Nachricht erneut zu senden.\n`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'hard',
    'fr',
    letter(
      'Postmaster <postmaster@b.example>',
      'Message non remis',
      `Votre message à ${A} n'a pas pu être remis : utilisateur inconnu.`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'hard',
    'es',
    letter(
      'Servicio de correo <correo@b.example>',
      'Mensaje no entregado',
      `No se ha podido entregar su mensaje a ${A}: el buzón no existe.`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'soft',
    'pl',
    letter(
      'System <system@b.example>',
      'Zwrot wiadomości',
      `Wiadomość do ${A} nie została dostarczona. Skrzynka jest przepełniona.`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'delayed',
    'warning',
    letter(
      'MAILER-DAEMON@b.example',
      'Warning: could not send message for past 4 hours',
      `<${A}>: Deferred: 450 4.1.1 unknown`,
    ),
  ],
  [
    'soft',
    'mail loop',
    letter(
      'MAILER-DAEMON@b.example',
      'Returned mail: too many hops',
      `554 too many hops 26 (25 max): from <x> via y, to <${A}>`,
    ),
  ],
  [
    'soft',
    'auto-marked full',
    letter(
      'Mail System <system@b.example>',
      'Delivery problem',
      `Your message could not be delivered to ${A}: mailbox full`,
      '\nAuto-Submitted: auto-generated',
    ),
  ],
  [
    'auto_reply',
    'vacation with our subject',
    letter(
      A,
      'Rechnung konnte nicht zugestellt werden',
      'Ich bin im Urlaub.',
      '\nAuto-Submitted: auto-replied',
    ),
  ],
  [
    'hard',
    'kddi',
    letter(
      'no-reply@kddi.example',
      'Mail Delivery Problem',
      `Your mail sent on: Thu, 29 Apr 2010 11:04:47 +0900\n     Could not be delivered to: <${A}>\n     As their user unknown.`,
    ),
  ],
  [
    'soft',
    'kddi full',
    letter(
      'no-reply@kddi.example',
      'Mail Delivery Problem',
      `Your mail sent on: Thu, 29 Apr 2010 11:04:47 +0900\n     Could not be delivered to: <${A}>\n     As their mailbox is full.`,
    ),
  ],
  [
    'hard',
    'v5',
    letter(
      'MAILER-DAEMON (Mail Delivery Subsystem)',
      'Returned mail: User unknown',
      `The original message was received at x\n\n   ----- Transcript of session follows -----\nWhile talking to smtp.example.com:\n>>> RCPT To:<${A}>\n<<< 550 <${A}>, User Unknown\n550 <${A}>... User unknown\n421 example.org (smtp)... Deferred: Connection timed out during user open with example.org\n\n   ----- Unsent message follows -----\nReceived: x\n`,
    ),
  ],
  [
    'soft',
    'biglobe',
    letter(
      'postmaster@biglobe.example',
      'Returned mail: see transcript for details',
      `   ----- The following addresses had delivery problems -----\n${A}\n\n   ----- Non-delivered information -----\nThe number of messages in recipient's mailbox exceeded the local limit.\n`,
    ),
  ],
  [
    'hard',
    'imail',
    letter(
      'Postmaster <postmaster@b.example>',
      'Undeliverable Mail',
      `Unknown user: ${A}\n\nOriginal message follows.\n\nReceived: x`,
    ),
  ],
  [
    'soft',
    'imail attempts',
    letter(
      'Postmaster <postmaster@b.example>',
      'Undeliverable Mail',
      `Delivery failed 20 attempts: ${A}\n\nOriginal message follows.\n`,
    ),
  ],
  [
    'hard',
    'interscan',
    letter(
      'InterScan <interscan@b.example>',
      'Mail could not be delivered',
      `Sent >>> RCPT TO:<${A}>\nReceived <<< 550 5.1.1 <${A}>... user unknown\nCould not deliver mail to this user.\n<${A}>\n***** End of message`,
    ),
  ],
  ['soft', 'sendgrid', report(failed('5.1.1', '550 5.1.1 <x>: spam detected'))],
  [
    'hard',
    'sendgrid2',
    report(failed('5.1.1', '550 5.1.1 The email account that you tried to reach does not exist.')),
  ],
  ['hard', 'x400', report(failed('5.0.0', 'x400; unrecognised-ORName'))],
  ['hard', 'two diag', report(failed('5.0.0', 'smtp; 550 5.1.1 <a> is not a valid mailbox'))],
  [
    'soft',
    'list: none ours',
    report(
      `Final-Recipient: rfc822; a@c.example\nAction: failed\nStatus: 5.1.1\n\nFinal-Recipient: rfc822; b@c.example\nAction: failed\nStatus: 5.2.2`,
    ),
  ],
  [
    'hard',
    'de',
    letter(
      'Systembetreuer <system@b.example>',
      'Ihre E-Mail konnte nicht zugestellt werden',
      `Die Mail an ${A} konnte nicht zugestellt werden. Grund: Empfänger unbekannt`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'soft',
    'grey',
    letter(
      'MAILER-DAEMON@b.example',
      'failure notice',
      `<${A}>:\nConnected to 1.2.3.4 but greeting failed.\nRemote host said: 421 try later\nI'm not going to try again; this message has been in the queue too long.`,
    ),
  ],
  [
    'hard',
    'pair',
    letter(
      'MAILER-DAEMON@b.example',
      'Undeliverable',
      `<${A}>: host mx.b.example[1.2.3.4] said:\n    550-5.1.1 The email account that you tried to reach does not\n    exist. Please try 550-5.1.1 double-checking the recipient's email address\n    for typos or 550-5.1.1 unnecessary spaces. 550 5.1.1 x (in reply to RCPT TO command)`,
    ),
  ],
  [
    'hard',
    'wrapped code',
    letter(
      'MAILER-DAEMON@b.example',
      'Undeliverable',
      `<${A}>: host mx.b.example[1.2.3.4] said: 550\n    5.1.1 <${A}>: Recipient address rejected: User unknown in virtual\n    mailbox table (in reply to RCPT TO command)`,
    ),
  ],
  [
    'soft',
    'wrapped full',
    letter(
      'MAILER-DAEMON@b.example',
      'Undeliverable',
      `<${A}>: host mx.b.example[1.2.3.4] said: 550 5.1.1\n    Recipient rejected: mailbox\n    full (in reply to RCPT TO command)`,
    ),
  ],
  [
    'hard',
    'html ndr fr',
    letter(
      'postmaster@b.example',
      'Non remis : Termin',
      `<html><head><style>p{color:red}</style></head><body><p>La remise du message à ces destinataires ou groupes a échoué :</p><p><a href="mailto:${A}">${A}</a></p><p>L'adresse de messagerie que vous avez entrée est introuvable. Vérifiez l'adresse de messagerie du destinataire et essayez de renvoyer le message.</p></body></html>`,
      '\nContent-Type: text/html; charset=utf-8',
    ),
  ],
  [
    'hard',
    'it o365',
    letter(
      'postmaster@b.example',
      'Non recapitabile: Termin',
      `Il recapito non è riuscito per i seguenti destinatari:\n\n${A}\nL'indirizzo di posta elettronica immesso non è stato trovato. Controllare l'indirizzo e provare a inviare di nuovo il messaggio.`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'hard',
    'es o365',
    letter(
      'postmaster@b.example',
      'No se puede entregar: Termin',
      `No se pudo entregar el mensaje a los siguientes destinatarios o grupos:\n\n${A}\nNo se encontró la dirección de correo electrónico que especificó. Compruebe la dirección del destinatario e intente enviar el mensaje de nuevo.`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'hard',
    'nl o365',
    letter(
      'postmaster@b.example',
      'Onbestelbaar: Termin',
      `Bezorging is mislukt voor deze geadresseerden of groepen:\n\n${A}\nHet opgegeven e-mailadres kan niet worden gevonden. Controleer het e-mailadres van de geadresseerde en probeer het bericht opnieuw te verzenden.`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'hard',
    'pl o365',
    letter(
      'postmaster@b.example',
      'Niedostarczone: Termin',
      `Dostarczenie wiadomości do następujących adresatów lub grup nie powiodło się:\n\n${A}\nNie można odnaleźć wprowadzonego adresu e-mail. Sprawdź adres e-mail adresata i spróbuj ponownie wysłać wiadomość.`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  [
    'soft',
    'de o365 full',
    letter(
      'postmaster@b.example',
      'Unzustellbar: Termin',
      `Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Gruppen:\n\n${A}\nDas Postfach des Empfängers ist voll und kann zurzeit keine Nachrichten annehmen.`,
      '\nContent-Type: text/plain; charset=utf-8',
    ),
  ],
  ['none', 'newsletter', letter('news@shop.example', 'Ihr Konto', `Ihr Konto ist gesperrt. Unknown user.`)],
  [
    'soft',
    'what Sendmail derives from a reply is not the reply',
    report(
      failed('5.1.1', 'SMTP; 550 Rejected'),
      `<${A}>\n    (reason: 550 Rejected)\n\n... while talking to mx.b.example.:\n>>> RCPT To:<${A}>\n<<< 550 Rejected\n550 5.1.1 <${A}>... User unknown\n`,
    ),
  ],
  [
    'soft',
    'nor in its letter',
    letter(
      'MAILER-DAEMON@mx.example',
      'Returned mail: User unknown',
      `   ----- Transcript of session follows -----\n... while talking to mx.b.example.:\n>>> RCPT To:<${A}>\n<<< 550 Rejected\n550 5.1.1 <${A}>... User unknown\n`,
    ),
  ],
  [
    'soft',
    'a comment that only repeats a guessed status',
    report(failed('5.1.1 (bad destination mailbox address)', 'smtp; 550 Rejected')),
  ],
  [
    'soft',
    'the name of a class of errors',
    letter(
      'MAILER-DAEMON@mx.example',
      'Delivery Status Notification (Failure)',
      `The following message to <${A}> was undeliverable.\n5.1.0 - Unknown address error 550-'Rejected'\n`,
    ),
  ],
  [
    'soft',
    'the reply to another command',
    letter(
      'MAILER-DAEMON@mx.example',
      'failure notice',
      `<${A}>: Remote host said:\n552 5.2.0 Rejected\n550 5.1.1 User unknown\n`,
    ),
  ],
  [
    'none',
    'fields that name a recipient and no outcome',
    report(`Final-Recipient: rfc822; ${A}`, `Your message to ${A} was undeliverable: 550 5.1.1 User unknown`),
  ],
  [
    'none',
    'a receipt of a mail program',
    mail(
      `From: MUA <${A}>\nSubject: Rejected: Termin\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=disposition-notification; boundary="b"`,
      `--b\nContent-Type: text/plain\n\nYour message to ${A} was rejected: no such user\n--b\nContent-Type: message/disposition-notification\n\nFinal-Recipient: rfc822; ${A}\nDisposition: automatic-action/MDN-sent-automatically; deleted\n--b--\n`,
    ),
  ],
  [
    'hard',
    'a mail that begins with a refusal is no automatic reply',
    letter(A, 'Automatic reply: Termin', `550 5.1.1 <${A}>: user unknown`, '\nAuto-Submitted: auto-replied'),
  ],
  [
    'auto_reply',
    'a person who is away mentions a refusal',
    letter(
      A,
      'Out of office: Termin',
      'If your mail was undeliverable (550 5.1.1), please call.',
      '\nAuto-Submitted: auto-replied',
    ),
  ],
  [
    'none',
    'a confirmation in the form of a notice',
    letter(
      'MAILER-DAEMON@mx.example (Mail Delivery System)',
      'Successful Mail Delivery Report',
      `This is the mail system at host mx.example.\n\nYour message was successfully delivered.\n\n<${A}>: delivery via mx.b.example: 250 2.0.0 Ok`,
    ),
  ],
  [
    'none',
    'spam about something else that was not delivered',
    letter(
      'Post <info@paket.example>',
      'Ihr Paket konnte nicht zugestellt werden',
      'Ihr Paket konnte nicht zugestellt werden, weil die Adresse unbekannt ist.',
    ),
  ],
  [
    'none',
    'an answer to a subject of failure',
    letter(A, 'Re: Undelivered mail', `Please write to ${A} again.`),
  ],
];

const signals: Readonly<Record<string, string>> = {
  hard_bounced: 'hard',
  soft_bounced: 'soft',
  auto_replied: 'auto_reply',
};

const verdictOf = async (source: Buffer, mailFrom: string): Promise<string> => {
  const found = consequenceOf(await readReport(source, { mailFrom }), { address: A, events: [] });
  return found === null ? 'none' : (signals[found.signal] ?? found.signal);
};

test.each(cases)('%s: %s', async (verdict, _, source) => {
  expect(await verdictOf(source, NULL_SENDER.mailFrom)).toBe(verdict);
});

describe('the same words from an address that people can have are no bounce', () => {
  const words = cases.filter(
    ([, , source]) => !/^From: .*(?:mailer-daemon|postmaster|post_master)/i.test(source.toString()),
  );
  test.each(words)('%s: %s', async (_verdict, _name, source) => {
    expect(await verdictOf(source, 'erika@b.example')).toMatch(/^(?:none|auto_reply)$/);
  });
});
