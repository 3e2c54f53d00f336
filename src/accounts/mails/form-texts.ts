// The words of the mail about a public form whose confirmation mails come back, in German and English. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Words } from './domain-texts.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent } from './schema.ts';

type FormAlert = Extract<NoticeContent, { kind: 'form_alert' }>;

export type FormPhrases = (content: FormAlert) => Words;

const de: FormPhrases = ({ practice, list, health, at, counts, link }) => {
  const { mails, hardBounced, complaints } = counts;
  const isClosed = health === 'closed';
  return {
    subject: `Das Formular der Liste „${list}“ ist ${isClosed ? 'für eine Weile geschlossen' : 'gebremst'}`,
    paragraphs: [
      `Von ${mails} Bestätigungs-E-Mails, um die gestern und heute über das öffentliche Formular der Liste „${list}“ von „${practice}“ gebeten wurde, kamen ${hardBounced} zurück, weil es die Adresse nicht gibt, und ${complaints} wurden als Spam gemeldet. Vermutlich trägt jemand fremde oder erfundene Adressen ein.`,
      isClosed
        ? `Deshalb nimmt das Formular seit dem ${momentInWords(at, 'de')}, niemanden mehr an. Es öffnet sich von selbst, spätestens nach zwei Tagen.`
        : `Deshalb nimmt das Formular seit dem ${momentInWords(at, 'de')}, nur noch wenige Anmeldungen in der Stunde an. Das endet von selbst. Kommen noch mehr E-Mails zurück, schließt es für eine Weile.`,
      'Ihr übriger Versand ist davon nicht betroffen: Was Fremde auslösen, zählt nicht für Ihre Praxis. Sie müssen nichts tun. Die Liste sehen Sie hier:',
      link,
      'Sie haben das nicht erwartet? Dann sehen Sie bitte nach, auf welchen Seiten das Formular zu finden ist.',
    ],
  };
};

const en: FormPhrases = ({ practice, list, health, at, counts, link }) => {
  const { mails, hardBounced, complaints } = counts;
  const isClosed = health === 'closed';
  return {
    subject: `The form of the list “${list}” is ${isClosed ? 'closed for a while' : 'slowed down'}`,
    paragraphs: [
      `Of ${mails} confirmation emails that were asked for yesterday and today by the public form of the list “${list}” of “${practice}”, ${hardBounced} came back because the address does not exist, and ${complaints} were reported as spam. Probably someone enters addresses that are invented or belong to others.`,
      isClosed
        ? `Therefore the form has taken no one since ${momentInWords(at, 'en')}. It opens again by itself, after two days at the latest.`
        : `Therefore the form has taken only a few subscriptions an hour since ${momentInWords(at, 'en')}. That ends by itself. If more emails come back, the form closes for a while.`,
      'Your other emails are not affected: what strangers cause does not count for you. There is nothing you need to do. See the list here:',
      link,
      'You did not expect this? Then please check on which pages the form can be found.',
    ],
  };
};

export const formPhrases: Readonly<Record<Language, FormPhrases>> = { de, en };
