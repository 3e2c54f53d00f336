// The words of the mails about forwarding, in German and English: one asks an address whether it wants a practice's mail, the other
// notifies owners that a forwarding has ended. A server's reply is put behind a label, on one line, and is no link. Pure.
import type { Language } from '#src/kernel/language.ts';
import { quoted, type Words } from './domain-texts.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent } from './schema.ts';

type Of<K extends NoticeContent['kind']> = Extract<NoticeContent, { kind: K }>;

export interface ForwardPhrases {
  readonly confirmation: (content: Of<'forward_confirmation'>, service: string) => Words;
  readonly ended: (content: Of<'forward_ended'>) => Words;
}

/** Characters: enough for what went wrong, too few for a letter. */
const MAX_REASON = 300;
const reasonOf = (reason: string): string => quoted(reason).slice(0, MAX_REASON);

const de: ForwardPhrases = {
  confirmation: ({ practice, link, expiresAt }, service) => ({
    subject: `Sollen E-Mails an „${practice}“ zu Ihnen weitergeleitet werden?`,
    paragraphs: [
      `„${practice}“ empfängt E-Mails über ${service} und möchte sie an diese Adresse weiterleiten. Das geschieht nur, wenn Sie zustimmen:`,
      link,
      `Zustimmen können Sie bis ${momentInWords(expiresAt, 'de')}. Auf derselben Seite können Sie ablehnen und die Weiterleitung später beenden.`,
      'Sie haben das nicht erwartet? Dann müssen Sie nichts tun. Ohne Ihre Zustimmung wird nichts weitergeleitet.',
    ],
  }),
  ended: ({ practice, target, at, reason, link }) => ({
    subject: `Weiterleitung an ${target} ist beendet`,
    paragraphs: [
      `E-Mails an „${practice}“ werden seit dem ${momentInWords(at, 'de')}, nicht mehr an ${target} weitergeleitet. ${
        reason === null
          ? 'Die Adresse hat die Weiterleitung abgelehnt oder beendet.'
          : 'Die Adresse nimmt keine E-Mails an.'
      }`,
      ...(reason === null ? [] : [`Die Antwort ihres Servers: ${reasonOf(reason)}`]),
      'Neue E-Mails finden Sie weiter im Postfach. Das ist jetzt zu tun: Tragen Sie eine andere Adresse ein, oder schalten Sie die Weiterleitung aus. Den aktuellen Stand sehen Sie hier:',
      link,
      'Sie haben diese Weiterleitung nicht eingerichtet? Dann war es vermutlich jemand anderes mit Zugang. Fragen Sie bitte die übrigen Mitglieder.',
    ],
  }),
};

const en: ForwardPhrases = {
  confirmation: ({ practice, link, expiresAt }, service) => ({
    subject: `Shall emails to “${practice}” be forwarded to you?`,
    paragraphs: [
      `“${practice}” receives emails through ${service} and would like to forward them to this address. That happens only if you agree:`,
      link,
      `You can agree until ${momentInWords(expiresAt, 'en')}. On the same page you can decline, and end the forwarding later.`,
      'You did not expect this? Then you need not do anything. Nothing is forwarded unless you agree.',
    ],
  }),
  ended: ({ practice, target, at, reason, link }) => ({
    subject: `Forwarding to ${target} has ended`,
    paragraphs: [
      `Emails to “${practice}” have not been forwarded to ${target} since ${momentInWords(at, 'en')}. ${
        reason === null ? 'The address declined or ended the forwarding.' : 'The address takes no emails.'
      }`,
      ...(reason === null ? [] : [`The reply of its server: ${reasonOf(reason)}`]),
      'You still find new emails in the mailbox. What to do now: enter another address, or switch the forwarding off. See the current state here:',
      link,
      'You did not set up this forwarding? Then someone else with access probably did. Please ask the other members.',
    ],
  }),
};

export const forwardPhrases: Readonly<Record<Language, ForwardPhrases>> = { de, en };
