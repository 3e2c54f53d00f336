// What the server itself refuses, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The host that this practice has moved to does not answer.':
    'Der Server, auf den diese Praxis umgezogen ist, antwortet nicht.',
  'Too many requests.': 'Zu viele Anfragen.',
  'There is no such practice.': 'Diese Praxis gibt es nicht.',
  'A practice is named by its id, a UUID, not by its slug or name; GET /api/practices lists yours.':
    'Eine Praxis nennt man mit ihrer Kennung, einer UUID, nicht mit Kurzname oder Namen; GET /api/practices nennt Ihre.',
  'The credential lacks the permission {}.': 'Den Zugangsdaten fehlt die Berechtigung {}.',
  'The request does not say which practice it is for.': 'Die Anfrage sagt nicht, für welche Praxis sie ist.',
  'Name it, or a project of it, by project_id; or name it in the header X-Service-Practice.':
    'Nennen Sie die Praxis oder ein Projekt von ihr in project_id oder in der Kopfzeile X-Service-Practice.',
  'is required without a token of a practice': 'ist ohne Token einer Praxis erforderlich',
  'The body is not declared as application/json in UTF-8.':
    'Der Inhalt der Anfrage ist nicht als application/json in UTF-8 ausgewiesen.',
  'The body is not declared as {}.': 'Der Inhalt der Anfrage ist nicht als {} ausgewiesen.',
  'Send Content-Type: {}, without Content-Encoding.': 'Senden Sie Content-Type: {}, ohne Content-Encoding.',
  'Encoded bodies are not taken.': 'Komprimierte Inhalte werden nicht angenommen.',
  'The body is larger than {} bytes.': 'Der Inhalt der Anfrage ist größer als {} Byte.',
  'The body stopped arriving.': 'Der Inhalt der Anfrage kam nicht mehr weiter.',
  'Send the whole body without pauses.': 'Senden Sie den ganzen Inhalt ohne Pausen.',
  'nothing arrived for {} s': '{} s lang kam nichts an',
  'The body came too slowly while others waited for its room.':
    'Der Inhalt kam zu langsam, während andere auf seinen Platz warteten.',
  'Too many large requests are in flight.': 'Zu viele große Anfragen sind unterwegs.',
  '{} is in the head more than once.': '{} steht mehr als einmal im Kopf der Anfrage.',
  'Send it once.': 'Senden Sie es einmal.',
  'two right credentials of different kinds: send one of them':
    'zweierlei Zugangsdaten, die beide gelten: senden Sie eine davon',
  'The request has a bearer and the admin token, and both are right.':
    'Die Anfrage hat ein Bearer-Token und das Admin-Token, und beide gelten.',
  'Send the one that the request is to be made with.':
    'Senden Sie das, mit dem die Anfrage gestellt werden soll.',
  'There is no such file.': 'Diese Datei gibt es nicht.',
  'There is no such page.': 'Diese Seite gibt es nicht.',
  'Send each field once, as a browser sends a form, in UTF-8.':
    'Senden Sie jedes Feld einmal, wie ein Browser ein Formular sendet, in UTF-8.',
  'has more than {} fields': 'hat mehr als {} Felder',
  'is not a whole, well-formed form': 'ist kein vollständiges, richtig geformtes Formular',
  'has a part with more than {} bytes above its content':
    'hat einen Teil mit mehr als {} Byte über seinem Inhalt',
  'is in the form more than once': 'steht mehr als einmal im Formular',
  'contains half of a surrogate pair (\\ud800 to \\udfff), which is no character':
    'enthält die Hälfte eines Surrogatpaars (\\ud800 bis \\udfff), das ist kein Zeichen',
  'is nested deeper than {} levels': 'ist tiefer als {} Ebenen verschachtelt',
  'has a field whose name {}': 'hat ein Feld, dessen Name so nicht geht: {}',
  'The body is not well-formed UTF-8.': 'Der Inhalt der Anfrage ist kein gültiges UTF-8.',
  'has more than {} values': 'hat mehr als {} Werte',
  'The body {}.': 'Der Inhalt der Anfrage {}.',
  'The body is not JSON.': 'Der Inhalt der Anfrage ist kein JSON.',
  // The parser's words are English, so that they are left out.
  'The body is not JSON: {}.': () => 'Der Inhalt der Anfrage ist kein JSON.',
  'There is nothing at this path.': 'Unter diesem Pfad gibt es nichts.',
  'The service is shutting down.': 'Der Dienst wird gerade beendet.',
  'Too many large answers wait to be read.': 'Zu viele große Antworten warten darauf, gelesen zu werden.',
  'It takes {}.': 'Er nimmt {} an.',
  'It takes {}. {}': 'Er nimmt {} an. {}',
  'Perhaps {} is meant.': 'Vielleicht ist {} gemeint.',
  'The request names no version of HTTP, or one that is not spoken here.':
    'Die Anfrage nennt keine Version von HTTP oder eine, die hier nicht verstanden wird.',
  'The request has more than one Host field.': 'Die Anfrage hat mehr als ein Host-Feld.',
  'The target of the request is neither a path nor an address of the host in the Host field.':
    'Das Ziel der Anfrage ist weder ein Pfad noch eine Adresse des Hosts im Host-Feld.',
  'The target of the request has no path that can be read.': 'Das Ziel der Anfrage hat keinen lesbaren Pfad.',
  'Send a complete head of at most 16 KiB, then the body without pauses.':
    'Senden Sie einen vollständigen Kopf von höchstens 16 KiB, dann den Inhalt ohne Pausen.',
  'The request did not come in time.': 'Die Anfrage kam nicht rechtzeitig.',
  'The request is not well-formed HTTP/1.1, or its head is too long.':
    'Die Anfrage ist kein gültiges HTTP/1.1, oder ihr Kopf ist zu lang.',
} satisfies Sentences;
