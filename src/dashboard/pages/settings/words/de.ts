export const words = {
  intro: 'Wie Sie heißen, von welcher Adresse Sie senden, und ob gesendet wird.',
  nameTitle: 'Name',
  name: 'Name der Praxis',
  nameHint: 'Empfänger sehen ihn als Absender, in der Fußzeile und auf den öffentlichen Seiten.',
  defaultFrom: 'Übliche Absenderadresse',
  managedHost: 'Bereitgestellter Host',
  changeDomain: 'Domain ändern',
  legalMissing: 'noch nicht ausgefüllt',
  answers: 'Antworten',
  answersText:
    'Wer auf eine Ihrer Mails antwortet, schreibt an diese Adresse, wenn die Mail selbst, ihr Versandweg und ihr Projekt keine andere nennen.',
  replyAddressHint:
    'Leer: in Ihren Posteingang, solange der Empfang eingeschaltet ist; sonst an den Absender.',
  addReplyTo: 'Antwortadresse in jede Mail schreiben',
  addReplyToHint: 'Ausgeschaltet gehen Antworten an den Absender, wenn die Mail nichts anderes nennt.',
  pauseText: 'Solange er angehalten ist, geht keine Nachricht hinaus, und neue werden abgelehnt.',
  reasonHint: 'Wer senden will, liest ihn in der Ablehnung.',
  paused: 'Der Versand ist angehalten',
};
