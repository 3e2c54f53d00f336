// The words of the mail about a webhook or chat alert that has been disabled, in German and English. What went wrong comes
// from outside: it is put behind a label, on one line, and is no link. Pure.
import type { Language } from '#src/kernel/language.ts';
import { quoted, type Words } from './domain-texts.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent } from './schema.ts';

type FollowerNotice = Extract<NoticeContent, { kind: 'follower_disabled' }>;

export type FollowerPhrases = (content: FollowerNotice) => Words;

/** Characters: enough for what went wrong, too few for a letter. */
const MAX_ERROR = 300;

const lastError = (label: string, error: string | null): readonly string[] =>
  error === null ? [] : [`${label} ${quoted(error).slice(0, MAX_ERROR)}`];

const de: FollowerPhrases = ({ practice, follower, name, at, reason, since, error, link }) => {
  const [when, from] = [momentInWords(at, 'de'), momentInWords(since, 'de')];
  const words =
    follower === 'webhook'
      ? {
          what: `Der Webhook „${name}“ von „${practice}“`,
          gone: 'Seine Adresse hat geantwortet, dass es sie nicht mehr gibt.',
          failing: `Seit dem ${from}, hat seine Adresse kein Ereignis mehr angenommen.`,
          next: 'Weitere Ereignisse werden nicht zugestellt. Sie stehen als fehlgeschlagen bei seinen Zustellungen. Das ist jetzt zu tun: Lassen Sie die Adresse prüfen, schalten Sie den Webhook wieder ein und stellen Sie die fehlgeschlagenen Ereignisse erneut zu. Das geht hier:',
          unexpected: 'Sie haben diesen Webhook nicht angelegt?',
        }
      : {
          what: `Die Chat-Benachrichtigung „${name}“ von „${practice}“`,
          gone: 'Die Adresse im Chat hat geantwortet, dass es sie nicht mehr gibt.',
          failing: `Seit dem ${from}, hat die Adresse im Chat keine Nachricht mehr angenommen.`,
          next: 'Bis sie wieder eingeschaltet ist, meldet sie nichts mehr im Chat. Das ist jetzt zu tun: Legen Sie im Chat eine neue Adresse an, tragen Sie sie ein und schalten Sie die Benachrichtigung wieder ein. Den aktuellen Stand sehen Sie hier:',
          unexpected: 'Sie haben diese Benachrichtigung nicht angelegt?',
        };
  return {
    subject: `${words.what} ist abgeschaltet`,
    paragraphs: [
      `${words.what.replace(/^D/, 'd')} wurde am ${when}, abgeschaltet. ${words[reason]}`,
      ...lastError('Der letzte Fehler:', error),
      words.next,
      link,
      'Ihre E-Mails werden weiter versendet wie bisher.',
      `${words.unexpected} Dann war es vermutlich jemand anderes mit Zugang. Fragen Sie bitte die übrigen Mitglieder.`,
    ],
  };
};

const en: FollowerPhrases = ({ practice, follower, name, at, reason, since, error, link }) => {
  const [when, from] = [momentInWords(at, 'en'), momentInWords(since, 'en')];
  const words =
    follower === 'webhook'
      ? {
          what: `The webhook “${name}” of “${practice}”`,
          gone: 'Its address answered that it no longer exists.',
          failing: `Its address has not accepted any event since ${from}.`,
          next: 'Further events are not delivered. They are kept as failed among its deliveries. What to do now: have the address checked, enable the webhook again, and replay the failed events. You can do that here:',
          unexpected: 'You did not create this webhook?',
        }
      : {
          what: `The chat alert “${name}” of “${practice}”`,
          gone: 'Its address in the chat answered that it no longer exists.',
          failing: `Its address in the chat has not accepted any message since ${from}.`,
          next: 'Until it is enabled again, it posts nothing in the chat. What to do now: create a new address in the chat, enter it, and enable the alert again. See the current state here:',
          unexpected: 'You did not create this alert?',
        };
  return {
    subject: `${words.what} has been disabled`,
    paragraphs: [
      `${words.what} was disabled on ${when}. ${words[reason]}`,
      ...lastError('The last error:', error),
      words.next,
      link,
      'Your emails are sent as before.',
      `${words.unexpected} Then someone else with access probably did. Please ask the other members.`,
    ],
  };
};

export const followerPhrases: Readonly<Record<Language, FollowerPhrases>> = { de, en };
