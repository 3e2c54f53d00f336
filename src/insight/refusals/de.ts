// What is refused of exports, reports and previews, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'Exports are made {} times a minute at most.': 'Exporte gibt es höchstens {}-mal in der Minute.',
  'The practice is not ready: {}.': 'Die Praxis ist noch nicht so weit: {}.',
  'Too many reports for this practice.': 'Zu viele Berichte für diese Praxis.',
  '{} previews are made in a minute at most for a practice.':
    'Je Praxis gibt es höchstens {} Vorschauen in der Minute.',
  'The message has no such attachment, or it has been removed.':
    'Diesen Anhang hat die Nachricht nicht, oder er wurde entfernt.',

  // Deliverability.
  'These records have not been checked yet. Check them with POST check-dns.':
    'Diese Einträge wurden noch nicht geprüft. Prüfen Sie sie mit POST check-dns.',
  'For receiving, one MX at in.{} is enough: 10 {}. Never put an MX on the domain itself: it would take away its own mail.':
    'Zum Empfangen genügt ein MX unter in.{}: 10 {}. Setzen Sie nie einen MX auf die Domain selbst: Er nähme ihr die eigene Mail weg.',
  'A managed host has no BIMI record. To have one, attach your own domain.':
    'Ein bereitgestellter Host hat keinen BIMI-Eintrag. Um einen zu haben, binden Sie eine eigene Domain an.',
  'The SPF record of the service does not name the servers that mail leaves by ({}): the operator must name them under dns.zones.':
    'Der SPF-Eintrag des Dienstes nennt die Server nicht, über die Mail hinausgeht ({}): Der Betreiber muss sie unter dns.zones nennen.',
} satisfies Sentences;
