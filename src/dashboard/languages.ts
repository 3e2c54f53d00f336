// The languages of the dashboard. A new one is its line here, and a file beside each German catalogue; see words.ts.
export const languages = {
  de: { name: 'Deutsch', locale: 'de' },
  // English dates without a country are American ones.
  en: { name: 'English', locale: 'en-GB' },
} as const;

export type Language = keyof typeof languages;
export const languageTags = Object.keys(languages) as readonly Language[];

/** The catalogues of the other languages by the German one; the build fills it, see bin/build.ts. */
export const translations = new WeakMap<object, Readonly<Partial<Record<Language, object>>>>();

export const inLanguage = (german: object, tag: Language): object =>
  translations.get(german)?.[tag] ?? german;
