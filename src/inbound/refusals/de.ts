// What is refused of mail received, forwarding and inbound hooks, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'expected an address outside of this mailbox': 'erwartet wird eine Adresse außerhalb dieses Postfachs',
  'must be a text or a file': 'muss ein Text oder eine Datei sein',
  'must be at most {}, because the installation keeps mail no longer':
    'darf höchstens {} sein, weil die Installation Mail nicht länger aufbewahrt',
  'No mailbox of the practice forwards to that address.':
    'Kein Postfach der Praxis leitet an diese Adresse weiter.',
  'The address has agreed already.': 'Die Adresse hat schon bestätigt.',
  'The address has declined.': 'Die Adresse hat abgelehnt.',
  'The address has been asked {} times.': 'Die Adresse wurde {}-mal gefragt.',
  'The address was asked less than an hour ago.': 'Die Adresse wurde vor weniger als einer Stunde gefragt.',
  'There is no such inbound hook.': 'Diesen eingehenden Hook gibt es nicht.',
  'A practice has at most {} inbound hooks.': 'Eine Praxis hat höchstens {} eingehende Hooks.',
  'A hook sends, which its maker may not.': 'Ein Hook sendet, und sein Ersteller darf das nicht.',
  'A hook cannot have a permission that its maker lacks: ask someone who may send.':
    'Ein Hook kann keine Berechtigung haben, die seinem Ersteller fehlt: Bitten Sie jemanden, der senden darf.',
  'Send the secret of the hook in the header {}, once.':
    'Senden Sie das Geheimnis des Hooks einmal in der Kopfzeile {}.',
  'Too many wrong secrets from this address.': 'Von dieser Adresse kamen zu viele falsche Geheimnisse.',
  'Too many messages by this hook.': 'Über diesen Hook kamen zu viele Nachrichten.',
  'The request has no secret of a hook.': 'Die Anfrage hat kein Geheimnis eines Hooks.',
  'The secret is wrong, or there is no such hook.':
    'Das Geheimnis ist falsch, oder es gibt diesen Hook nicht.',
  'There is no such mail.': 'Diese Mail gibt es nicht.',
  'The mail is in the inbox already.': 'Die Mail ist schon im Posteingang.',
  'The mail has been removed.': 'Die Mail wurde entfernt.',
  'Of large mails {} MiB are read in a minute at most for a practice.':
    'Von großen Mails werden je Praxis höchstens {} MiB in der Minute gelesen.',
  'The content of mail needs a permission of its own.':
    'Für den Inhalt von Mail braucht es eine eigene Berechtigung.',
  'The mail has no such attachment.': 'Diesen Anhang hat die Mail nicht.',

  // Forms.
  'There is no such form.': 'Dieses Formular gibt es nicht.',
  'A practice has at most {} forms.': 'Eine Praxis hat höchstens {} Formulare.',
  'The form takes nothing now.': 'Das Formular nimmt zurzeit nichts an.',
  'The form is not filled in as it has to be.': 'Das Formular ist nicht so ausgefüllt, wie es nötig ist.',
  'Too much was sent by this form from this address.':
    'Von dieser Adresse wurde über dieses Formular zu viel gesendet.',
  'Too much was sent by this form at once.': 'Über dieses Formular wurde zu viel auf einmal gesendet.',
  'Too many mails to this e-mail address today.': 'An diese E-Mail-Adresse gingen heute zu viele Mails.',
  'a small letter, then small letters, digits and _':
    'ein kleiner Buchstabe, dann kleine Buchstaben, Ziffern und _',
  'expected text without control characters': 'erwartet wird Text ohne Steuerzeichen',
  'expected each `key` once': 'erwartet wird jeder `key` einmal',
  'a `key` is one that each form has': 'ein `key` ist einer, den jedes Formular hat',
  'expected the keys file, file2 and file3 for files, and for nothing else':
    'erwartet werden die Schlüssel file, file2 und file3 für Dateien und für nichts anderes',
  'expected `choices` for fields of type choice, and for no others':
    'erwartet wird `choices` bei Feldern der Art choice und bei keinen anderen',
  'expected one e-mail address': 'erwartet wird eine E-Mail-Adresse',
  'expected one name': 'erwartet wird ein Name',
  'needs a required field of type email': 'braucht ein Pflichtfeld der Art email',
  'needs `proof`': 'braucht `proof`',

  // Conversations and saved replies.
  'There is no such conversation.': 'Diese Unterhaltung gibt es nicht.',
  'No active member who may see mail received has this id.':
    'Kein aktives Mitglied, das empfangene Mail sehen darf, hat diese Kennung.',
  'A conversation has at most {} notes.': 'Eine Unterhaltung hat höchstens {} Notizen.',
  'There is no such note.': 'Diese Notiz gibt es nicht.',
  'There is no such saved reply.': 'Diese gespeicherte Antwort gibt es nicht.',
  'A practice has at most {} saved replies.': 'Eine Praxis hat höchstens {} gespeicherte Antworten.',

  // Settings.
  'the part before the @, without a plus-part': 'der Teil vor dem @, ohne Plus-Teil',
  'expected an address, or a domain such as example.org':
    'erwartet wird eine Adresse oder eine Domain wie example.org',
  'expected each `local_part` once': 'erwartet wird jeder `local_part` einmal',
} satisfies Sentences;
