// The words of the mails about the use of a plan, in German and English. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Words } from './domain-texts.ts';
import type { NoticeContent } from './schema.ts';

type UsageNotice = Extract<NoticeContent, { kind: 'plan_usage' }>;

export type UsagePhrases = (content: UsageNotice) => Words;

const locales: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const inWords = (at: number, language: Language, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(locales[language], { ...parts, timeZone: 'UTC' }).format(at);

/** `1. Dezember`: the counting is by UTC, and so is the day named. */
const dayOf = (at: number, language: Language): string =>
  inWords(at, language, { day: 'numeric', month: 'long' });

/** `November 2026` of `2026-11`. */
const monthOf = (month: string, language: Language): string =>
  inWords(Date.parse(`${month}-01T00:00:00Z`), language, { month: 'long', year: 'numeric' });

const counted = (count: number, language: Language): string => count.toLocaleString(locales[language]);

/** Names of plans are names. */
const planName = (plan: string): string => `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;

/** What becomes of requests to be put on a list. */
const WAITING: Readonly<Record<Language, string>> = {
  de: 'Wer sich in der Zeit über ein Formular für eine Liste anmeldet, wird gespeichert und bekommt die Bestätigungsmail danach.',
  en: 'Who subscribes to a list by its form meanwhile is stored, and gets the confirmation mail afterwards.',
};

const de: UsagePhrases = (content) => {
  const { practice, plan, month, share, used, cap, resetsAt, refuses, managedHost, link } = content;
  const [useds, caps] = [counted(used, 'de'), counted(cap, 'de')];
  const limit = managedHost ? 'ohne eigene Domain' : `im Tarif ${planName(plan)}`;
  const day = dayOf(resetsAt, 'de');
  const atCap =
    refuses === 'all'
      ? `Bis zum ${day} (0 Uhr UTC) werden keine weiteren E-Mails angenommen, auch keine Terminbestätigungen. ${WAITING.de}`
      : `Bis zum ${day} (0 Uhr UTC) werden keine Newsletter und keine andere Werbung mehr angenommen. Terminbestätigungen, Erinnerungen und andere Mitteilungen gehen weiter hinaus.`;
  const before =
    refuses === 'all'
      ? `Sind 100 % erreicht, werden bis zum ${day} (0 Uhr UTC) keine weiteren E-Mails angenommen, auch keine Terminbestätigungen.`
      : `Sind 100 % erreicht, werden bis zum ${day} (0 Uhr UTC) keine Newsletter und keine andere Werbung mehr angenommen. Terminbestätigungen, Erinnerungen und andere Mitteilungen gehen weiter hinaus.`;
  const more = managedHost
    ? 'Mit einer eigenen, bestätigten Domain gilt die Grenze des Tarifs. Den aktuellen Stand sehen Sie hier:'
    : 'Ein größerer Tarif hebt die Grenze an. Den aktuellen Stand sehen Sie hier:';
  return {
    subject:
      share === 100
        ? `Das Monatskontingent von „${practice}“ ist ausgeschöpft`
        : `„${practice}“ hat ${share} % des Monatskontingents verbraucht`,
    paragraphs: [
      `„${practice}“ hat im ${monthOf(month, 'de')} bisher ${useds} von ${caps} E-Mails verbraucht, die ${limit} im Monat möglich sind. Damit sind ${share} % erreicht.`,
      share === 100 ? atCap : before,
      more,
      link,
      'Sie haben nicht so viel versendet? Dann prüfen Sie bitte, wer Zugang hat, und ersetzen Sie die API-Schlüssel.',
    ],
  };
};

const en: UsagePhrases = (content) => {
  const { practice, plan, month, share, used, cap, resetsAt, refuses, managedHost, link } = content;
  const [useds, caps] = [counted(used, 'en'), counted(cap, 'en')];
  const limit = managedHost ? 'without a domain of its own' : `on the ${planName(plan)} plan`;
  const day = dayOf(resetsAt, 'en');
  const consequence =
    refuses === 'all'
      ? `no more emails are accepted until ${day} (00:00 UTC), not even appointment confirmations. ${WAITING.en}`
      : `no newsletters or other marketing emails are accepted until ${day} (00:00 UTC). Appointment confirmations, reminders and other messages still go out.`;
  const more = managedHost
    ? 'With a verified domain of its own the limit of the plan applies. See the current state here:'
    : 'A larger plan raises the limit. See the current state here:';
  return {
    subject:
      share === 100
        ? `The monthly allowance of “${practice}” is used up`
        : `“${practice}” has used ${share}% of its monthly allowance`,
    paragraphs: [
      `In ${monthOf(month, 'en')} “${practice}” has so far used ${useds} of the ${caps} emails a month that it may send ${limit}. That is ${share}% of the allowance.`,
      share === 100 ? `From now on ${consequence}` : `At 100% ${consequence}`,
      more,
      link,
      'You did not send that much? Then please check who has access, and replace the API tokens.',
    ],
  };
};

export const usagePhrases: Readonly<Record<Language, UsagePhrases>> = { de, en };
