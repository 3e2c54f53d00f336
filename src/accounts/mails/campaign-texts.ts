// The words of the mails about a campaign that has ended, has stopped by itself or does not go on, in German and English. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Words } from './domain-texts.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent } from './schema.ts';

type CampaignNotice = Extract<NoticeContent, { kind: 'campaign' }>;
type Counts = CampaignNotice['counts'];

export type CampaignPhrases = (content: CampaignNotice) => Words;

const locales: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const counted = (count: number, language: Language): string => count.toLocaleString(locales[language]);

type Reasons = Readonly<Record<string, string>>;

const germanReasons: Reasons = {
  pending: 'nicht bestätigt',
  unsubscribed: 'abgemeldet',
  bounced: 'Adresse unzustellbar',
  complained: 'als Spam gemeldet',
  no_consent: 'keine nachweisbare Einwilligung',
  suppressed: 'gesperrte Adresse',
  missing_value: 'ein Wert für die Vorlage fehlt',
  unusable_value: 'ein Wert passt nicht in die Vorlage',
};
const englishReasons: Reasons = {
  pending: 'not confirmed',
  unsubscribed: 'unsubscribed',
  bounced: 'undeliverable address',
  complained: 'reported as spam',
  no_consent: 'no evidence of consent',
  suppressed: 'suppressed address',
  missing_value: 'a value of the template is missing',
  unusable_value: 'a value does not fit into the template',
};

const lines = (
  rows: readonly (readonly [label: string, count: number])[],
  { leftOut }: Counts,
  [reasons, left]: readonly [Reasons, string],
  language: Language,
): string =>
  [...rows, ...leftOut.map(({ reason, count }) => [`${left}, ${reasons[reason] ?? reason}`, count] as const)]
    .map(([label, count]) => `${label}: ${counted(count, language)}`)
    .join('\n');

const germanCounts = (counts: Counts): string =>
  lines(
    [
      ['Versendet', counts.handedOver],
      ['Davon bisher zugestellt', counts.delivered],
      ['Davon unzustellbar', counts.hardBounced],
      ['Davon als Spam gemeldet', counts.complained],
    ],
    counts,
    [germanReasons, 'Ausgelassen'],
    'de',
  );

const englishCounts = (counts: Counts): string =>
  lines(
    [
      ['Sent', counts.handedOver],
      ['Of these delivered so far', counts.delivered],
      ['Of these undeliverable', counts.hardBounced],
      ['Of these reported as spam', counts.complained],
    ],
    counts,
    [englishReasons, 'Left out'],
    'en',
  );

const de: CampaignPhrases = ({ practice, name, what, reason, at, counts, origin }) => {
  const since = `seit dem ${momentInWords(at, 'de')}`;
  const said: Readonly<Record<CampaignNotice['what'], readonly [subject: string, ...paragraphs: string[]]>> =
    {
      finished: [
        `Kampagne „${name}“ ist versendet`,
        `die Kampagne „${name}“ von „${practice}“ ist am ${momentInWords(at, 'de')}, fertig geworden.`,
      ],
      stopped: [
        `Kampagne „${name}“ hat sich selbst angehalten`,
        `die Kampagne „${name}“ von „${practice}“ ist ${since}, angehalten: ${
          reason === 'complaints'
            ? 'Zu viele Empfänger haben sie als Spam gemeldet.'
            : 'Zu viele Adressen gibt es nicht.'
        } Damit der übrige Versand weitergehen kann, wartet sie, bis jemand sie fortsetzt oder abbricht.`,
        reason === 'complaints'
          ? 'Das ist jetzt zu tun: Prüfen Sie, ob alle auf der Liste Ihre E-Mails bestellt haben, und setzen Sie die Kampagne erst dann fort.'
          : 'Das ist jetzt zu tun: Prüfen Sie, woher die Adressen stammen, entfernen Sie ungültige, und setzen Sie die Kampagne erst dann fort.',
      ],
      stalled: [
        `Kampagne „${name}“ geht nicht weiter`,
        `von der Kampagne „${name}“ von „${practice}“ ist ${since}, keine E-Mail mehr hinausgegangen. Ein Grund dafür ist nicht bekannt; vielleicht nimmt der Mailserver des Betreibers zurzeit nichts an. Sie geht von selbst weiter, sobald das möglich ist.`,
        'Das ist jetzt zu tun: Bleibt es dabei, wenden Sie sich bitte an den Betreiber.',
      ],
      restored: [
        `Kampagne „${name}“ wartet auf Ihre Entscheidung`,
        `die Daten von „${practice}“ wurden vermutlich aus einer Sicherung wiederhergestellt, oder der Dienst war länger aus. Die Kampagne „${name}“ war dabei nicht zu Ende. Damit niemand dieselbe E-Mail zweimal bekommt, ist sie ${since}, angehalten.`,
        'Das ist jetzt zu tun: Prüfen Sie, wie weit sie gekommen war, und setzen Sie sie fort oder brechen Sie sie ab.',
      ],
      failed: [
        `Kampagne „${name}“ ist fehlgeschlagen`,
        `die Kampagne „${name}“ von „${practice}“ konnte nicht versendet werden. Der Grund: ${reason ?? ''}`,
        'Das ist jetzt zu tun: Duplizieren Sie sie, beheben Sie den Grund, und senden Sie sie erneut.',
      ],
    };
  const [subject, ...paragraphs] = said[what];
  return {
    subject,
    paragraphs: [...paragraphs, germanCounts(counts), 'Den aktuellen Stand sehen Sie hier:', origin],
  };
};

const en: CampaignPhrases = ({ practice, name, what, reason, at, counts, origin }) => {
  const since = `since ${momentInWords(at, 'en')}`;
  const said: Readonly<Record<CampaignNotice['what'], readonly [subject: string, ...paragraphs: string[]]>> =
    {
      finished: [
        `Campaign “${name}” has been sent`,
        `The campaign “${name}” of “${practice}” was completed on ${momentInWords(at, 'en')}.`,
      ],
      stopped: [
        `Campaign “${name}” has paused itself`,
        `The campaign “${name}” of “${practice}” has been paused ${since}: ${
          reason === 'complaints'
            ? 'too many recipients reported it as spam.'
            : 'too many addresses do not exist.'
        } It waits until someone resumes or cancels it, so that all other mail can go on.`,
        reason === 'complaints'
          ? 'What to do now: check that everyone on the list has asked for your emails, and resume the campaign only then.'
          : 'What to do now: check where the addresses came from, remove invalid ones, and resume the campaign only then.',
      ],
      stalled: [
        `Campaign “${name}” does not go on`,
        `No email of the campaign “${name}” of “${practice}” has left ${since}. The reason is not known; perhaps the operator’s mail server takes nothing at the moment. It goes on by itself as soon as it can.`,
        'What to do now: if this does not change, please contact the operator.',
      ],
      restored: [
        `Campaign “${name}” waits for your decision`,
        `The data of “${practice}” were probably restored from a backup, or the service was off for some time, while the campaign “${name}” was not completed. It has been paused ${since}, so that no one gets the same email twice.`,
        'What to do now: check how far it had come, and resume or cancel it.',
      ],
      failed: [
        `Campaign “${name}” has failed`,
        `The campaign “${name}” of “${practice}” could not be sent. The reason: ${reason ?? ''}`,
        'What to do now: duplicate it, remove the reason, and send it again.',
      ],
    };
  const [subject, ...paragraphs] = said[what];
  return {
    subject,
    paragraphs: [...paragraphs, englishCounts(counts), 'See the current state here:', origin],
  };
};

export const campaignPhrases: Readonly<Record<Language, CampaignPhrases>> = { de, en };
