// The languages of the service: the one list of them.

/** Its columns have their names, its times are as the API has them. */
const PLAIN_CSV = { separator: ',', decimal: '.', isPlain: true } as const;

/**
 * In every one of these is what strangers see: public pages, mails to recipients, footers. Where the dashboard and the mails to
 * members do not have a language, `members` names the one that they show instead. Times are those of `zone`, and the two signs
 * follow a day and a time. `csv`: how spreadsheet programs of its countries read a file.
 */
const all = {
  de: {
    locale: 'de-DE',
    zone: 'Europe/Berlin',
    afterDay: '.',
    afterTime: ' Uhr',
    members: 'de',
    csv: { separator: ';', decimal: ',', isPlain: false },
  },
  // Nothing is known of where readers of English live.
  en: { locale: 'en-GB', zone: 'UTC', afterDay: '', afterTime: '', members: 'en', csv: PLAIN_CSV },
  fr: { locale: 'fr-FR', zone: 'Europe/Paris', afterDay: '', afterTime: '', members: 'en', csv: PLAIN_CSV },
} as const;

export type Language = keyof typeof all;
export type MemberLanguage = (typeof all)[Language]['members'];
/** The first one is for people who name none. */
export const languages = Object.keys(all) as [Language, ...Language[]];
export const defaultLanguage = languages[0];
/** What answers of the API, and mails to the operator, are in where no language is asked for. */
export const answerDefault: MemberLanguage = 'en';

/** What a member is shown whose language this is. */
export const memberLanguageOf = (language: Language): MemberLanguage => all[language].members;
export const memberLanguages: readonly MemberLanguage[] = [...new Set(languages.map(memberLanguageOf))];

/** The name that `Intl` has for it. */
export const localeOf = (language: Language): string => all[language].locale;
export const clockOf = (language: Language) => all[language];

/** What a number is followed by, by the plural rules of the language. */
export interface Forms {
  readonly one: string;
  readonly other: string;
}

export const formOf = (count: number, { one, other }: Forms, language: Language): string =>
  new Intl.PluralRules(localeOf(language)).select(count) === 'one' ? one : other;

/** `1.000 abgewiesene E-Mails`, `1 spam complaint`. */
export const countedIn = (count: number, forms: Forms, language: Language): string =>
  `${count.toLocaleString(localeOf(language))} ${formOf(count, forms, language)}`;
