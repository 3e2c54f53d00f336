// What is refused of suppressions, pauses and reports of upstreams, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The practice is paused already.': 'Die Praxis ist schon angehalten.',
  'GET /api/practices/{id} shows who paused it and why.':
    'GET /api/practices/{id} zeigt, wer sie angehalten hat und warum.',
  'The practice is not paused.': 'Die Praxis ist nicht angehalten.',
  'There is nothing to resume.': 'Es gibt nichts fortzusetzen.',
  'A practice is resumed by one of its owners.': 'Den Versand einer Praxis setzt einer ihrer Inhaber fort.',
  'Ask an owner, who is signed in, to resume it.':
    'Bitten Sie einen Inhaber, der angemeldet ist, ihn fortzusetzen.',
  'The operator has paused the practice, and alone resumes it.':
    'Der Betreiber hat die Praxis angehalten, und nur er setzt ihren Versand fort.',
  'Write to the operator.': 'Schreiben Sie dem Betreiber.',
  'Only a person says that what a token sends is right.':
    'Nur ein Mensch sagt, dass richtig ist, was ein Token sendet.',
  'Sign in, as someone who manages tokens.': 'Melden Sie sich an, als jemand, der Token verwaltet.',
  'The operator has slowed the token, and alone lifts that.':
    'Der Betreiber hat das Token verlangsamt, und nur er hebt das auf.',
  'does not belong to the scope {}': 'gehört nicht zum Geltungsbereich {}',
  'A suppression for the whole practice': 'Eine Sperre für die ganze Praxis',
  'is required for the scope project': 'ist beim Geltungsbereich project erforderlich',
  'is required for the scope route': 'ist beim Geltungsbereich route erforderlich',
  'A suppression on a shared route': 'Eine Sperre auf einem gemeinsamen Versandweg',
  'A suppression of several projects': 'Eine Sperre mehrerer Projekte',
  'Suppressions are exported {} times a minute at most.':
    'Sperren werden höchstens {}-mal in der Minute exportiert.',
  'Unsubscribing by this path was retired.': 'Über diesen Pfad kann man sich nicht mehr abmelden.',
  'Use the link of the mail: POST {}?t=...': 'Nutzen Sie den Link der Mail: POST {}?t=...',
  "Send the secret of this upstream's `events` as `Authorization: Bearer <secret>`, or as the password of HTTP Basic.":
    'Senden Sie das Geheimnis aus `events` dieses Upstreams als `Authorization: Bearer <secret>` oder als Passwort von HTTP Basic.',
  'The secret is wrong, or there is no such upstream with events.':
    'Das Geheimnis ist falsch, oder es gibt keinen solchen Upstream mit Ereignissen.',
  'expected one JSON document': 'erwartet wird ein JSON-Dokument',
  '`body.SubscribeURL`: expected an address of Amazon SNS.':
    '`body.SubscribeURL`: erwartet wird eine Adresse von Amazon SNS.',
  'Only https://sns.<region>.amazonaws.com is followed. Confirm the subscription by hand where it is another.':
    'Nur https://sns.<region>.amazonaws.com wird aufgerufen. Bestätigen Sie das Abonnement von Hand, wenn es eine andere Adresse ist.',
  'expected an address of Amazon SNS': 'erwartet wird eine Adresse von Amazon SNS',
  'The subscription could not be confirmed at Amazon SNS.':
    'Das Abonnement ließ sich bei Amazon SNS nicht bestätigen.',

  // Fields that schemas check.
  'expected one line without control characters': 'erwartet wird eine Zeile ohne Steuerzeichen',
  'expected return_path or message_id: without them the mail cannot be found':
    'erwartet wird return_path oder message_id: ohne sie ist die Mail nicht zu finden',
  'expected an enhanced status code such as 5.1.1': 'erwartet wird ein erweiterter Statuscode wie 5.1.1',
} satisfies Sentences;
