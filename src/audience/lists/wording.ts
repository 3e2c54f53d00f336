// The wording of a list whose creator gives none: who sends what by which means, and that consent can be withdrawn (Art. 7 GDPR,
// § 7 UWG). Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Channel } from '#src/messages/kinds.ts';

const what: Readonly<Record<Language, Readonly<Record<Channel, string>>>> = {
  de: {
    termin: 'Nachrichten zu meinen Terminen',
    recall: 'Erinnerungen an fällige Termine',
    newsletter: 'den Newsletter',
    transactional: 'Nachrichten zu meinen Anliegen',
    other: 'Informationen und Angebote',
  },
  en: {
    termin: 'messages about my appointments',
    recall: 'reminders of appointments that are due',
    newsletter: 'the newsletter',
    transactional: 'messages about my requests',
    other: 'information and offers',
  },
};

interface Facts {
  readonly practice: string;
  readonly list: string;
  readonly channel: Channel;
  readonly language: Language;
}

/** What someone agrees to by the box of its own: § 25 TDDDG, Art. 6 (1) (a) GDPR. */
export const trackingWording = ({ practice, language }: Pick<Facts, 'practice' | 'language'>): string => {
  switch (language) {
    case 'de':
      return `${practice} darf auswerten, ob ich die E-Mails öffne und welche Links darin ich anklicke, um ihre Inhalte zu verbessern. Das ist freiwillig. Ich kann es jederzeit mit Wirkung für die Zukunft widerrufen, auf der Seite „Ihre Listen“, zu der jede Mail führt.`;
    case 'en':
      return `${practice} may record whether I open the e-mails and which of their links I follow, to improve what is in them. This is voluntary. I can withdraw it at any time with effect for the future, on the page “Your lists” to which each mail leads.`;
    default:
      return language satisfies never;
  }
};

export const defaultWording = ({ practice, list, channel, language }: Facts): string => {
  const sent = what[language][channel];
  switch (language) {
    case 'de':
      return `Ich möchte von ${practice} ${sent} („${list}“) per E-Mail bekommen. Diese Einwilligung kann ich jederzeit mit Wirkung für die Zukunft widerrufen, zum Beispiel mit dem Abmeldelink in jeder Mail.`;
    case 'en':
      return `I would like to receive ${sent} (“${list}”) from ${practice} by e-mail. I can withdraw this consent at any time with effect for the future, for example by the unsubscribe link in each mail.`;
    default:
      return language satisfies never;
  }
};
