// What is refused by the kernel and by the table of error codes, in German, by the English texts.
import { type CodeDeclaration, errorTable } from '#src/kernel/error-table.ts';
import type { Sentences } from '#src/kernel/say.ts';

/** The table has them beside the English ones. */
const wordsOfCodes = Object.values<CodeDeclaration>(errorTable).flatMap(({ brief, cause, hint, de }) => [
  [cause.key, de.cause],
  [hint.key, de.hint],
  ...(brief && de.brief !== undefined ? [[brief.key, de.brief]] : []),
]);

export const words = {
  ...(Object.fromEntries(wordsOfCodes) as Readonly<Record<string, string>>),

  // What an access asks for.
  'This is for people who are signed in.': 'Das ist für Personen, die angemeldet sind.',
  'Sign in with POST /api/auth/request-otp and use the session.':
    'Melden Sie sich mit POST /api/auth/request-otp an und nutzen Sie die Sitzung.',
  'This credential may not create practices.': 'Mit diesen Zugangsdaten lassen sich keine Praxen anlegen.',
  'Practices are created by who is signed in and Owner or Admin of one, and by the operator.':
    'Praxen legt an, wer angemeldet und in einer Praxis Inhaber oder Verwaltung ist, und der Betreiber.',
  'This is for operators of the service.': 'Das ist für Betreiber des Dienstes.',
  'Sign in by code or password with an address that the configuration names under `operators`, or send the admin token in X-Admin-Token.':
    'Melden Sie sich mit einer Adresse an, die die Konfiguration unter `operators` nennt, oder senden Sie das Admin-Token in X-Admin-Token.',

  // Credentials.
  'The request has no credential.': 'Die Anfrage hat keine Zugangsdaten.',
  'Authorization has no password after `{}`, or one that is malformed.':
    'In Authorization steht nach `{}` kein Passwort oder eines in falscher Form.',
  'Authorization has no token after `{}`, or one that is malformed.':
    'In Authorization steht nach `{}` kein Token oder eines in falscher Form.',
  'Authorization has no scheme: `Bearer ` goes before the token.':
    'In Authorization fehlt das Schema: Vor das Token gehört `Bearer `.',
  'Authorization uses the scheme {}, and expected is {}.':
    'Authorization nutzt das Schema {}, erwartet wird {}.',
  'The credential is none of this service.': 'Die Zugangsdaten sind keine dieses Dienstes.',
  'API tokens begin with svc_team_ or svc_proj_, sessions with svc_sess_; the admin token goes into X-Admin-Token.':
    'API-Token beginnen mit svc_team_ oder svc_proj_, Sitzungen mit svc_sess_; das Admin-Token gehört in X-Admin-Token.',
  'The token is unknown.': 'Das Token ist unbekannt.',
  'Check that all of it was sent, to the right installation. A token that is limited to addresses is unknown from any other.':
    'Prüfen Sie, ob es ganz und an die richtige Installation gesendet wurde. Ein Token, das auf Adressen beschränkt ist, ist von anderen aus unbekannt.',
  'The token was revoked.': 'Das Token wurde widerrufen.',
  'Use another one; who manages tokens can make it.':
    'Nehmen Sie ein anderes; wer Token verwaltet, kann es anlegen.',
  'The token expired at {}.': 'Das Token ist am {} abgelaufen.',
  'The session is unknown or has ended.': 'Die Sitzung ist unbekannt oder beendet.',
  'Sign in again: POST /api/auth/request-otp.': 'Melden Sie sich neu an: POST /api/auth/request-otp.',
  'This takes a session that a code or password began within the last 15 minutes.':
    'Dafür braucht es eine Sitzung, die in den letzten 15 Minuten mit Code oder Passwort begann.',
  'The admin token is wrong.': 'Das Admin-Token ist falsch.',
  'Send the one that the configuration names under `admin`.':
    'Senden Sie das, das die Konfiguration unter `admin` nennt.',

  // Files.
  'The data were replaced; they are being opened again.':
    'Die Daten wurden ersetzt und werden gerade neu geöffnet.',
  'The data cannot be stored at the moment.': 'Die Daten können gerade nicht gespeichert werden.',
  'The disk failed; this practice takes no writes until its data have been opened again.':
    'Der Datenträger hat versagt; die Praxis kann nichts speichern, bis ihre Daten neu geöffnet sind.',
  'The data were replaced while saving: whether it was stored is unknown.':
    'Die Daten wurden beim Speichern ersetzt: Ob gespeichert wurde, ist unbekannt.',
  'The disk failed while saving: whether it was stored is unknown.':
    'Der Datenträger hat beim Speichern versagt: Ob gespeichert wurde, ist unbekannt.',
  'Send the same request again with the same Idempotency-Key: then it is stored once.':
    'Senden Sie dieselbe Anfrage mit demselben Idempotency-Key noch einmal: Dann ist sie einmal gespeichert.',
  'The data are being closed.': 'Die Daten werden gerade geschlossen.',
  'This practice has moved to {}.': 'Diese Praxis ist nach {} umgezogen.',
  'Sign in there. API tokens and links go on working, here for some weeks and there for good.':
    'Melden Sie sich dort an. API-Token und Links funktionieren weiter, hier noch einige Wochen und dort auf Dauer.',
  "The practice's data cannot be opened at the moment.":
    'Die Daten der Praxis können gerade nicht geöffnet werden.',

  // What of a request is not there.
  'This path does not take this method.': 'Dieser Pfad nimmt diese Methode nicht an.',
  'The request failed by a defect of the service.': 'Die Anfrage scheiterte an einem Fehler des Dienstes.',
  'The cursor is not one that this service gave.': 'Der Cursor ist keiner, den dieser Dienst gab.',
  'expected the next_cursor of the page before': 'erwartet wird next_cursor der Seite davor',

  // What does not fit a schema.
  'The request does not fit.': 'Die Anfrage passt nicht.',
  '{} (and {} more)': '{} (und {} weitere)',
  'an array': 'eine Liste',
  'a whole number': 'eine ganze Zahl',
  'true or false': 'true oder false',
  null: 'null',
  'a number': 'eine Zahl',
  'an object': 'ein Objekt',
  'a string': 'ein Text',
  absent: 'weggelassen',
  base64: 'base64',
  base64url: 'base64url',
  'an IPv4 network': 'ein IPv4-Netz',
  'an IPv6 network': 'ein IPv6-Netz',
  'a date (2026-01-31)': 'ein Datum (2026-01-31)',
  'a date and time (2026-01-31T12:00:00Z)': 'Datum und Uhrzeit (2026-01-31T12:00:00Z)',
  'an e-mail address': 'eine E-Mail-Adresse',
  'an IPv4 address': 'eine IPv4-Adresse',
  'an IPv6 address': 'eine IPv6-Adresse',
  'a URL': 'eine URL',
  'a UUID': 'eine UUID',
  'something else': 'etwas anderes',
  'at least': 'mindestens',
  'at most': 'höchstens',
  exactly: 'genau',
  'more than': 'mehr als',
  'less than': 'weniger als',
  'must have {} 1 character': 'muss {} 1 Zeichen haben',
  'must have {} {} characters': 'muss {} {} Zeichen haben',
  'must have {} 1 item': 'muss {} 1 Eintrag haben',
  'must have {} {} items': 'muss {} {} Einträge haben',
  'must have {} 1 field': 'muss {} 1 Feld haben',
  'must have {} {} fields': 'muss {} {} Felder haben',
  'must be {} {}': 'muss {} {} sein',
  'must be a whole number': 'muss eine ganze Zahl sein',
  'must be {}': 'muss {} sein',
  'must be {}, not {}': 'muss {} sein, nicht {}',
  'must not be empty': 'darf nicht leer sein',
  'is required': 'ist erforderlich',
  'fits none of its forms': 'passt zu keiner der möglichen Formen',
  'unknown field `{}`': 'unbekanntes Feld `{}`',
  'unknown field `{}`; did you mean `{}`?': 'unbekanntes Feld `{}`; meinten Sie `{}`?',
  'must be the id, a UUID, not a slug or name':
    'muss die Kennung sein, eine UUID, kein Kurzname und kein Name',
  'in the form that /reference describes': 'in der Form, die /reference beschreibt',
  'must be a multiple of {}': 'muss ein Vielfaches von {} sein',
  'NUL is not allowed': 'NUL ist nicht erlaubt',
  'expected no control or invisible characters':
    'erwartet werden keine Steuerzeichen und keine unsichtbaren Zeichen',
  'expected an https address with a full domain name':
    'erwartet wird eine https-Adresse mit vollständigem Domainnamen',

  // Exports, and requests to servers that members name.
  'This export needs a permission of its own.': 'Für diesen Export braucht es eine eigene Berechtigung.',
  'Ask an owner for `{}`.': 'Bitten Sie einen Inhaber um `{}`.',
  '{} of a practice are tested {} times a minute at most.':
    '{} einer Praxis werden höchstens {}-mal in der Minute geprüft.',
  'Other tests of the practice wait for their receivers.':
    'Andere Prüfungen der Praxis warten noch auf ihre Empfänger.',
  'points to an internal network': 'zeigt in ein internes Netz',
  'Use a host that the internet can reach. The operator can allow internal networks in `security.outbound_allow`.':
    'Nehmen Sie einen Host, der aus dem Internet zu erreichen ist. Der Betreiber kann interne Netze in `security.outbound_allow` erlauben.',
  'uses a port that is not allowed': 'nutzt einen Port, der nicht erlaubt ist',
  'Use port 443 or 8443. The operator can allow others on internal networks in `security.outbound_allow`.':
    'Nehmen Sie Port 443 oder 8443. Der Betreiber kann in internen Netzen andere in `security.outbound_allow` erlauben.',
  'Give a whole URL such as https://hooks.example.com/path.':
    'Geben Sie eine vollständige URL an, zum Beispiel https://hooks.example.com/path.',
  'Use a shorter URL.': 'Nehmen Sie eine kürzere URL.',
  'is not a URL': 'ist keine URL',
  'is not an https URL': 'ist keine https-URL',
  'contains a user name or password': 'enthält einen Benutzernamen oder ein Passwort',
  'Leave out the part before the @: deliveries are signed, and a secret part of the path does the same.':
    'Lassen Sie den Teil vor dem @ weg: Zustellungen sind signiert, und ein geheimer Teil des Pfads leistet dasselbe.',
  'contains a fragment': 'enthält ein Fragment',
  'Leave out the part after the #: it is never sent.':
    'Lassen Sie den Teil nach dem # weg: Er wird nie gesendet.',
  'has a host name that cannot exist': 'hat einen Hostnamen, den es nicht geben kann',
  'Correct the host name.': 'Berichtigen Sie den Hostnamen.',
  '`body.url`: {}': '`body.url`: {}',

  // Fields that schemas check.
  'expected an action such as `member.update`, or a noun such as `member`':
    'erwartet wird eine Aktion wie `member.update` oder ein Gegenstand wie `member`',
} satisfies Sentences;
