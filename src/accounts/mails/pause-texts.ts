// The words of the mails about a practice's pause and its resumption, in German and English. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Words } from './domain-texts.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent } from './schema.ts';

type Of<K extends NoticeContent['kind']> = Extract<NoticeContent, { kind: K }>;
type Paused = Of<'practice_paused'>;
type Resumed = Of<'practice_resumed'>;
type Seen = Extract<Paused['cause'], { by: 'guardrail' }>;
type Person = Pick<Resumed, 'by' | 'name'>;

export interface PausePhrases {
  readonly paused: (content: Paused, service: string) => Words;
  readonly resumed: (content: Resumed, service: string) => Words;
}

const locales: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const counted = (count: number, language: Language): string => count.toLocaleString(locales[language]);

/** `5 %`, `0,1 %`; `5.08%` */
const percent = (share: number, language: Language): string =>
  share.toLocaleString(locales[language], { style: 'percent', maximumFractionDigits: 2 }).replace(/\s/, ' ');

/** Days are counted by UTC. */
const dayOf = (at: number, language: Language): string =>
  new Intl.DateTimeFormat(locales[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(at);

const figures = ({ count, whole, limit }: Seen, language: Language) => ({
  share: percent(Math.min(1, count / whole), language),
  counts: [counted(count, language), counted(whole, language)] as const,
  limit: percent(limit, language),
});

const germanSeen = (seen: Seen): readonly string[] => {
  const { share, counts, limit } = figures(seen, 'de');
  const [count, whole] = counts;
  const what =
    seen.measure === 'hard_bounces'
      ? 'der E-Mails an Adressen, die es nicht gibt'
      : 'der E-Mails, die Empfänger als Spam gemeldet haben';
  const advice =
    seen.measure === 'hard_bounces'
      ? 'Das ist jetzt zu tun: Entfernen Sie ungültige Adressen aus Ihrer Liste und klären Sie, woher sie stammen. Schreiben Sie nur an Adressen, die Ihnen die Empfänger selbst gegeben und bestätigt haben.'
      : 'Das ist jetzt zu tun: Entfernen Sie alle aus Ihrer Liste, die Ihre E-Mails nicht ausdrücklich bestellt haben, und machen Sie das Abbestellen leicht.';
  return [
    `Auf der Route „${seen.route}“ liegt der Anteil ${what}, bei ${share} (${count} von ${whole}, gezählt seit dem ${dayOf(seen.from, 'de')}). Ab ${limit} wird der Versand angehalten, damit der Ruf Ihrer Domain keinen Schaden nimmt.`,
    advice,
  ];
};

const englishSeen = (seen: Seen): readonly string[] => {
  const { share, counts, limit } = figures(seen, 'en');
  const [count, whole] = counts;
  const what =
    seen.measure === 'hard_bounces'
      ? 'emails to addresses that do not exist'
      : 'emails that recipients reported as spam';
  const advice =
    seen.measure === 'hard_bounces'
      ? 'What to do now: remove invalid addresses from your list, and find out where they came from. Write only to addresses that the recipients themselves have given you and confirmed.'
      : 'What to do now: remove everyone from your list who has not explicitly asked for your emails, and make it easy to unsubscribe.';
  return [
    `On the route “${seen.route}” the share of ${what} is ${share} (${count} of ${whole}, counted since ${dayOf(seen.from, 'en')}). At ${limit} sending is paused, to protect the reputation of your domain.`,
    advice,
  ];
};

const germanPerson = ({ by, name }: Person, service: string): string => {
  if (by === 'operator') return `der Betreiber von ${service}`;
  return by === 'member' ? name : `jemand mit dem API-Schlüssel „${name}“`;
};

const englishPerson = ({ by, name }: Person, service: string): string => {
  if (by === 'operator') return `The operator of ${service}`;
  return by === 'member' ? name : `Someone with the API token “${name}”`;
};

const de: PausePhrases = {
  paused: ({ practice, at, cause, link }, service) => {
    const when = momentInWords(at, 'de');
    const resumption =
      cause.by === 'operator'
        ? 'Nur der Betreiber kann den Versand wieder freigeben. Bitte wenden Sie sich an ihn. Den aktuellen Stand sehen Sie hier:'
        : cause.by === 'guardrail'
          ? 'Ist die Liste bereinigt, setzt ein Owner den Versand hier fort:'
          : 'Ein Owner kann den Versand jederzeit fortsetzen. Den aktuellen Stand sehen Sie hier:';
    return {
      subject: `Der Versand von „${practice}“ ist angehalten`,
      paragraphs: [
        ...(cause.by === 'guardrail'
          ? [`seit dem ${when}, ist der Versand von „${practice}“ angehalten.`, ...germanSeen(cause)]
          : [
              `${germanPerson(cause, service)} hat den Versand von „${practice}“ am ${when}, angehalten. Begründung:`,
              cause.reason,
            ]),
        'Es geht nichts verloren: E-Mails, die schon angenommen sind, warten und gehen hinaus, sobald der Versand fortgesetzt wird. Neue werden bis dahin nicht angenommen. Wer sich in der Zeit über ein Formular für eine Liste anmeldet, wird gespeichert und bekommt die Bestätigungsmail danach.',
        resumption,
        link,
        cause.by === 'guardrail'
          ? 'Sie haben diese E-Mails nicht versendet? Dann prüfen Sie bitte, wer Zugang hat, und ersetzen Sie die API-Schlüssel.'
          : 'Sie haben das nicht erwartet? Dann wenden Sie sich bitte an die übrigen Owner oder an den Betreiber.',
      ],
    };
  },
  resumed: ({ practice, at, link, ...person }, service) => ({
    subject: `Der Versand von „${practice}“ geht weiter`,
    paragraphs: [
      `${germanPerson(person, service)} hat den Versand von „${practice}“ am ${momentInWords(at, 'de')}, fortgesetzt.`,
      'E-Mails, die gewartet haben, gehen jetzt hinaus, und neue werden wieder angenommen. Den aktuellen Stand sehen Sie hier:',
      link,
      'Sie haben das nicht erwartet? Dann wenden Sie sich bitte an die übrigen Owner oder an den Betreiber.',
    ],
  }),
};

const en: PausePhrases = {
  paused: ({ practice, at, cause, link }, service) => {
    const when = momentInWords(at, 'en');
    const resumption =
      cause.by === 'operator'
        ? 'Only the operator can resume sending. Please contact them. See the current state here:'
        : cause.by === 'guardrail'
          ? 'Once the list is clean, an owner resumes sending here:'
          : 'An owner can resume sending at any time. See the current state here:';
    return {
      subject: `Sending for “${practice}” is paused`,
      paragraphs: [
        ...(cause.by === 'guardrail'
          ? [`Sending for “${practice}” has been paused since ${when}.`, ...englishSeen(cause)]
          : [
              `${englishPerson(cause, service)} paused sending for “${practice}” on ${when}. The reason given:`,
              cause.reason,
            ]),
        'Nothing is lost: emails that have already been accepted wait, and go out as soon as sending is resumed. New ones are not accepted until then. Who subscribes to a list by its form meanwhile is stored, and gets the confirmation mail afterwards.',
        resumption,
        link,
        cause.by === 'guardrail'
          ? 'You did not send these emails? Then please check who has access, and replace the API tokens.'
          : 'You did not expect this? Then please contact the other owners or the operator.',
      ],
    };
  },
  resumed: ({ practice, at, link, ...person }, service) => ({
    subject: `Sending for “${practice}” has been resumed`,
    paragraphs: [
      `${englishPerson(person, service)} resumed sending for “${practice}” on ${momentInWords(at, 'en')}.`,
      'Emails that were waiting go out now, and new ones are accepted again. See the current state here:',
      link,
      'You did not expect this? Then please contact the other owners or the operator.',
    ],
  }),
};

export const pausePhrases: Readonly<Record<Language, PausePhrases>> = { de, en };
