// What is refused of practices, projects and routes, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The registry has practice {} under number {}, and its file has number {}.':
    'Das Verzeichnis führt die Praxis {} unter der Nummer {}, ihre Datei hat die Nummer {}.',
  'The backup is older than the return of the practice to this host, or of another host. Restore it into another directory, export the practice from there, erase the one that is here, and import the file.':
    'Die Sicherung ist älter als die Rückkehr der Praxis zu diesem Host, oder sie stammt von einem anderen Host. Spielen Sie sie in ein anderes Verzeichnis ein, exportieren Sie die Praxis von dort, löschen Sie die Praxis hier, und importieren Sie die Datei.',
  'Number {} belongs to practice {} ({}).': 'Die Nummer {} gehört der Praxis {} ({}).',
  'Return paths and links name a practice by its number. Restore the backup into another directory, export the practice from there, and import the file: it gets a new number.':
    'Rückwege und Links nennen eine Praxis mit ihrer Nummer. Spielen Sie die Sicherung in ein anderes Verzeichnis ein, exportieren Sie die Praxis von dort, und importieren Sie die Datei: Sie bekommt eine neue Nummer.',
  'The short name {} belongs to practice {}.': 'Der Kurzname {} gehört der Praxis {}.',
  'It is part of the managed host. Erase that practice first; export it before, if it is still needed.':
    'Er ist ein Teil des bereitgestellten Hosts. Löschen Sie jene Praxis zuerst; exportieren Sie sie vorher, wenn sie noch gebraucht wird.',
  "Practice {} sends the service's own mail already.":
    'Die Praxis {} sendet schon die eigene Mail des Dienstes.',
  'An installation has one such practice.': 'Eine Installation hat eine solche Praxis.',
  'The file of practice {} is that of practice {}.': 'Die Datei der Praxis {} ist die der Praxis {}.',
  'Give its directory the name of that practice.': 'Geben Sie ihrem Ordner den Namen jener Praxis.',
  'Project {} belongs to practice {}.': 'Das Projekt {} gehört der Praxis {}.',
  'Two practices cannot have one project.': 'Zwei Praxen können nicht ein Projekt haben.',
  'There is no such erasure.': 'Diese Löschung gibt es nicht.',
  'There is no such person on a list.': 'Diese Person steht auf keiner Liste.',
  'There is no such project.': 'Dieses Projekt gibt es nicht.',
  'There is no such route.': 'Diesen Versandweg gibt es nicht.',
  'There is no such suppression.': 'Diese Sperre gibt es nicht.',
  'Ask a member who has access to all projects.': 'Fragen Sie ein Mitglied mit Zugang zu allen Projekten.',
  'No slug can be made from the name.': 'Aus dem Namen lässt sich kein Kurzname bilden.',
  'expected a slug, because the name yields none': 'erwartet wird ein Kurzname, weil der Name keinen ergibt',
  'The slug {} is taken.': 'Der Kurzname {} ist vergeben.',
  'The default route serves all projects and cannot belong to one.':
    'Der voreingestellte Versandweg dient allen Projekten und kann nicht einem gehören.',
  'Set project_id to null first, or choose another route.':
    'Setzen Sie zuerst project_id auf null oder wählen Sie einen anderen Versandweg.',
  'The default project cannot be archived.': 'Das Standardprojekt kann nicht archiviert werden.',
  'A token that expires or is limited to addresses cannot do this.':
    'Ein Token, das abläuft oder auf Adressen beschränkt ist, kann das nicht.',
  'What it makes would have neither limit: use a token without limits, or sign in.':
    'Was es anlegt, hätte keine dieser Grenzen: Nehmen Sie ein Token ohne Grenzen oder melden Sie sich an.',

  // Reports of abuse, payment and the waiting list.
  'Too many requests for this e-mail address.': 'Zu viele Anfragen für diese E-Mail-Adresse.',
  'Too much reported mail from this network today: send the report without the mail.':
    'Aus diesem Netz kam heute zu viel gemeldete Mail: Senden Sie die Meldung ohne die Mail.',
  'Too many reports wait to be looked at.': 'Zu viele Meldungen warten auf ihre Prüfung.',
  '{} reports from this address wait to be looked at.':
    'Von dieser Adresse warten {} Meldungen auf ihre Prüfung.',
  'Wait until the operator has looked at some of them.':
    'Warten Sie, bis der Betreiber einige davon geprüft hat.',
  'There is no room for the reported mail at the moment.': 'Für die gemeldete Mail ist gerade kein Platz.',
  'Send the report without it, and say in the description what it says.':
    'Senden Sie die Meldung ohne sie und schreiben Sie in die Beschreibung, was in ihr steht.',
  'There is no such ticket.': 'Dieses Ticket gibt es nicht.',
  'No mail came with this report, or it was removed since.':
    'Zu dieser Meldung kam keine Mail, oder sie wurde inzwischen entfernt.',
  'A ticket that is `{}` cannot become `{}`.': 'Ein Ticket, das `{}` ist, kann nicht `{}` werden.',
  'A closed ticket stays closed.': 'Ein geschlossenes Ticket bleibt geschlossen.',
  'The next stage is `{}`.': 'Der nächste Schritt ist `{}`.',
  'The plan {} is not sold by checkout.': 'Den Tarif {} gibt es nicht über die Kasse.',
  'POST /api/public/waitlist enters an address for termin, praxis and gruppe; the operator assigns them.':
    'POST /api/public/waitlist trägt eine Adresse für termin, praxis und gruppe ein; der Betreiber vergibt sie.',
  'Payments are not set up in this service.': 'Zahlungen sind in diesem Dienst nicht eingerichtet.',
  'The operator has configured no payment provider. Ask the operator for a larger plan.':
    'Der Betreiber hat keinen Zahlungsdienst eingerichtet. Bitten Sie ihn um einen größeren Tarif.',
  'The operator has given this practice the plan {}.':
    'Der Betreiber hat dieser Praxis den Tarif {} gegeben.',
  'Ask the operator for another plan.': 'Bitten Sie den Betreiber um einen anderen Tarif.',
  'The practice has a subscription.': 'Die Praxis hat ein Abonnement.',
  'POST /api/practices/{id}/billing/portal leads to the page where it is changed, paid or cancelled.':
    'POST /api/practices/{id}/billing/portal führt zu der Seite, auf der man es ändert, bezahlt oder kündigt.',
  'The practice has no subscription at the payment provider.':
    'Die Praxis hat beim Zahlungsdienst kein Abonnement.',
  'POST /api/practices/{id}/billing/checkout begins one.':
    'POST /api/practices/{id}/billing/checkout beginnt eines.',
  'The payment provider refuses the request.': 'Der Zahlungsdienst lehnt die Anfrage ab.',
  'That is for the operator: the log names the reason; key and price are in `billing.stripe` of the configuration.':
    'Das ist Sache des Betreibers: Das Protokoll nennt den Grund; Schlüssel und Preis stehen in `billing.stripe` der Konfiguration.',
  'The payment provider cannot be reached, or failed.':
    'Der Zahlungsdienst ist nicht erreichbar oder hatte einen Fehler.',
  'expected a signature of these bytes by the webhook secret, from the last 5 minutes':
    'erwartet wird eine Signatur dieser Bytes mit dem Geheimnis des Webhooks, nicht älter als 5 Minuten',
  'The waiting list is full.': 'Die Warteliste ist voll.',
  'This service has no waiting list.': 'Dieser Dienst hat keine Warteliste.',
  'Ask the operator for a place.': 'Bitten Sie den Betreiber um einen Platz.',
  'There is no such entry.': 'Diesen Eintrag gibt es nicht.',

  // Members, practices and projects.
  'expected true: an owner has all projects': 'erwartet wird true: Ein Inhaber hat alle Projekte',
  'only where all_projects is false': 'nur, wenn all_projects false ist',
  'required where all_projects is false': 'erforderlich, wenn all_projects false ist',
  'Leave the field out, or ask the operator.': 'Lassen Sie das Feld weg oder fragen Sie den Betreiber.',
  'The owner cannot be written to.': 'Dem Inhaber lässt sich nicht schreiben.',
  'expected one e-mail address, such as name@example.org':
    'erwartet wird eine E-Mail-Adresse, etwa name@example.org',
  'Only the operator chooses the plan of a new practice.':
    'Nur der Betreiber wählt den Tarif einer neuen Praxis.',
  'Only the operator makes practices for others.': 'Nur der Betreiber legt Praxen für andere an.',
  'You are a member of {} practices already.': 'Sie sind schon Mitglied von {} Praxen.',
  'Leave one that you no longer need, or ask the operator.':
    'Verlassen Sie eine, die Sie nicht mehr brauchen, oder fragen Sie den Betreiber.',
  '{} concerns all projects, and this access is limited to some.':
    '{} betrifft alle Projekte, und dieser Zugang ist auf einige beschränkt.',
  'A practice has at most {} {}.': 'Eine Praxis hat höchstens {} {}.',
  'Change one that is there already.': 'Ändern Sie, was schon da ist.',
  'A shared route': 'Ein gemeinsamer Versandweg',
  'A new project': 'Ein neues Projekt',
  projects: 'Projekte',
  routes: 'Versandwege',
  'The default route': 'Der Standardweg',
  'no mail arrives there: expected an address whose mailbox is open (see the settings for mail received), or one outside of this service':
    'dort kommt keine Mail an: erwartet wird eine Adresse mit offenem Postfach (siehe die Einstellungen für empfangene Mail) oder eine außerhalb dieses Dienstes',
  'The service sends its own mail as this practice.': 'Als diese Praxis sendet der Dienst seine eigene Mail.',
  'It has no members, and keeps its plan and its safe mode.':
    'Sie hat keine Mitglieder und behält ihren Tarif und ihren Testbetrieb.',

  // Fields that schemas check.
  'must have at least one field': 'muss mindestens ein Feld haben',
  'expected the UUID of a role, or one of {}': 'erwartet wird die UUID einer Rolle oder eines von {}',
  'expected each project once': 'erwartet wird jedes Projekt einmal',
  'expected a PNG, JPEG, WebP or GIF of at most 64 KiB':
    'erwartet wird ein PNG, JPEG, WebP oder GIF von höchstens 64 KiB',
  'expected a colour as in #0b57d0': 'erwartet wird eine Farbe wie #0b57d0',
  'expected lower-case letters, digits and inner hyphens, at most 63':
    'erwartet werden höchstens 63 Kleinbuchstaben, Ziffern und innere Bindestriche',
  'expected one e-mail address, such as praxis@example.org':
    'erwartet wird eine E-Mail-Adresse wie praxis@example.org',
  'expected a telephone number, such as +49 40 123456': 'erwartet wird eine Telefonnummer wie +49 40 123456',
  'expected a VAT ID with its country, such as DE123456789':
    'erwartet wird eine USt-IdNr. mit ihrem Land wie DE123456789',
  'The practice is arriving from another host.': 'Die Praxis kommt gerade von einem anderen Server.',
  'A practice with that id works on this host.':
    'Auf diesem Server arbeitet schon eine Praxis mit dieser Kennung.',
  'The file is that of another practice.': 'Die Datei ist die einer anderen Praxis.',
  'The file has other tables, indexes or triggers than this program makes.':
    'Die Datei hat andere Tabellen, Indizes oder Trigger als die, die dieses Programm anlegt.',
  'The file did not arrive whole.': 'Die Datei ist nicht vollständig angekommen.',
  'Run the command again: it sends what is missing.':
    'Starten Sie den Befehl noch einmal: Er sendet, was fehlt.',
  'No practice with that id has arrived.': 'Es ist keine Praxis mit dieser Kennung angekommen.',
  'The practice is being moved to another host.': 'Die Praxis zieht gerade auf einen anderen Server um.',
  'Mail of the practice is still on its way to a relay that does not answer.':
    'E-Mails der Praxis sind noch auf dem Weg zu einem Relay, das nicht antwortet.',
  'Nothing has changed. Try again, or pause the practice and wait for its attempts to end.':
    'Es hat sich nichts geändert. Versuchen Sie es noch einmal, oder halten Sie die Praxis an und warten Sie das Ende ihrer Versuche ab.',
  'The practice works here again: moving it took too long.':
    'Die Praxis arbeitet wieder hier: Der Umzug hat zu lange gedauert.',
  'Run the command again; most of the data is there already.':
    'Starten Sie den Befehl noch einmal; die meisten Daten sind schon dort.',
  'A change of the master key has not ended.': 'Ein Wechsel des Hauptschlüssels ist noch nicht zu Ende.',
  'Wait until `sendwerk secrets rotate` says that it has.':
    'Warten Sie, bis `sendwerk secrets rotate` sagt, dass er es ist.',
  'The practice waits here for its former host to give it up.':
    'Die Praxis wartet hier darauf, dass ihr bisheriger Server sie abgibt.',
  'Run `sendwerk tenant move` on that host: it goes on, or removes it from here with --cancel.':
    'Starten Sie `sendwerk tenant move` auf jenem Server: Der Befehl macht weiter, oder er entfernt sie mit --cancel von hier.',
  'The practice has been given up to another host.': 'Die Praxis ist an einen anderen Server abgegeben.',
  'The practice is being given up to another host.':
    'Die Praxis wird gerade an einen anderen Server abgegeben.',
  'Run the command again: it lets the other host begin.':
    'Starten Sie den Befehl noch einmal: Er lässt den anderen Server beginnen.',
  'The practice was released before it was frozen.':
    'Die Praxis wurde freigegeben, bevor sie angehalten war.',
  'The practice is being moved or erased.': 'Die Praxis wird gerade verschoben oder gelöscht.',
  'Nothing has changed.': 'Es hat sich nichts geändert.',
  'No practice with that id has moved away from here.':
    'Keine Praxis mit dieser Kennung ist von hier weggezogen.',
  'A block of the file is not what it must be.': 'Ein Block der Datei ist nicht, was er sein muss.',
  'block {} has another length than the file needs': 'Block {} ist nicht so lang, wie die Datei es verlangt',
} satisfies Sentences;
