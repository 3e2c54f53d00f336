// What people read is in catalogues: `words/<language>.ts` in the folder of a page, typed by the German one. Pages import that, and
// show it by `translated`; the build puts the other languages of languages.ts beside it.
import { signal } from '@preact/signals';
import { kept } from '#dashboard/kept.ts';
import { inLanguage, type Language, languages, languageTags } from '#dashboard/languages.ts';
import { words as common } from './words/de.ts';

const wanted = (): Language => {
  const tags = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return tags.flatMap((tag) => languageTags.find((one) => one === tag) ?? [])[0] ?? 'de';
};

export const language = signal<Language>(kept.get('language', languageTags) ?? wanted());

export const chooseLanguage = (chosen: Language): void => {
  kept.set('language', chosen);
  language.value = chosen;
};

const found = new WeakMap<object, Partial<Record<Language, object>>>();

/**
 * The catalogue in the present language, with the words of several pages, where it has none of its own. What calls it while
 * rendering renders again when the language changes.
 */
export const translated = <T extends object>(german: T): T & Omit<typeof common, keyof T> => {
  const tag = language.value;
  const known = found.get(german) ?? {};
  found.set(german, known);
  known[tag] ??= { ...inLanguage(common, tag), ...inLanguage(german, tag) };
  // All languages have the type of the German one.
  return known[tag] as T & Omit<typeof common, keyof T>;
};

const format = <T>(make: (locale: string) => T): (() => T) => {
  const made = new Map<Language, T>();
  return () => {
    const present = made.get(language.value) ?? make(languages[language.value].locale);
    made.set(language.value, present);
    return present;
  };
};

const numbers = format((tag) => new Intl.NumberFormat(tag));
/** The last digit of 12.34 % says nothing, that of 0.09 % all. */
const SHARE = {
  style: 'percent',
  maximumFractionDigits: 2,
  maximumSignificantDigits: 3,
  roundingPriority: 'lessPrecision',
} as const;
const shares = format((tag) => new Intl.NumberFormat(tag, SHARE));
const days = format((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium' }));
const daysOfYear = format(
  (tag) => new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
);
const moments = format((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' }));
const momentsOfSeconds = format(
  (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' }),
);
const SHORT = {
  weekday: 'short',
  day: '2-digit',
  month: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
} as const;
const shortMoments = format((tag) => new Intl.DateTimeFormat(tag, SHORT));
const shortMomentsOfYears = format((tag) => new Intl.DateTimeFormat(tag, { ...SHORT, year: '2-digit' }));
const exact = format((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'long' }));
const agos = format((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }));

export const number = (value: number): string => numbers().format(value);
/** Shows a share of 1. What is not all is never rounded to all. */
export const percent = (share: number): string => shares().format(share < 1 ? Math.min(share, 0.999) : share);
export const day = (iso: string): string => days().format(new Date(iso));
/** Shows a UTC day: `3. Nov.` */
export const dayOfYear = (utc: Date): string => daysOfYear().format(utc);
export const moment = (iso: string): string => moments().format(new Date(iso));
/** The moment with its seconds, where times are compared with those of a log. */
export const secondOf = (iso: string): string => momentsOfSeconds().format(new Date(iso));
/** `Fr., 20.11., 10:24`; with the year where it is another one. */
export const shortMoment = (iso: string): string => {
  const date = new Date(iso);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return (isThisYear ? shortMoments : shortMomentsOfYears)().format(date);
};
const times = format((tag) => new Intl.DateTimeFormat(tag, { timeStyle: 'short' }));
/** `14:03`; with the day where it is another one than today. */
export const draftMoment = (at: number): string =>
  (new Date(at).toDateString() === new Date().toDateString() ? times() : moments()).format(new Date(at));
export const exactMoment = (iso: string): string => exact().format(new Date(iso));

/** Without accents and capitals, to compare what was typed with what is there. */
export const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

const plurals = format((tag) => new Intl.PluralRules(tag));

/** `1 Person`, `3 Personen`: of the forms that the language has, the one for the number, which replaces `#`. */
export const plural = (
  count: number,
  forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }>,
): string => (forms[plurals().select(count)] ?? forms.other).replace('#', number(count));

/** The time as `<input type=datetime-local>` has it, in the time zone of the browser. */
export const localTime = (time: string | number): string => {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `vor 3 Minuten`; below a minute `jetzt`. */
export const ago = (iso: string, now = Date.now()): string => {
  const elapsed = Date.parse(iso) - now;
  const span = SPANS.find(([, ms]) => Math.abs(elapsed) >= ms);
  return span ? agos().format(Math.trunc(elapsed / span[1]), span[0]) : agos().format(0, 'second');
};

/** `2 Tg., 3 Std.`: of seconds, its two largest units. */
export const duration = (seconds: number): string => {
  let rest = seconds * 1_000;
  const counts = SPANS.map(([unit, ms]) => {
    const count = Math.floor(rest / ms);
    rest %= ms;
    return { unit, count };
  });
  const largest = counts.findIndex(({ count }) => count > 0);
  return counts
    .slice(largest, largest === -1 ? undefined : largest + 2)
    .map(({ unit, count }) => new Intl.NumberFormat(language.value, { style: 'unit', unit }).format(count))
    .join(', ');
};

const SMALLEST = [1e3, 'kilobyte'] as const;
const SIZES = [[1e9, 'gigabyte'], [1e6, 'megabyte'], SMALLEST] as const;

/** `2,4 MB`. */
export const bytes = (count: number): string => {
  if (count < 1e3)
    return new Intl.NumberFormat(language.value, { style: 'unit', unit: 'byte', unitDisplay: 'long' }).format(
      count,
    );
  const [size, unit] = SIZES.find(([least]) => count >= least) ?? SMALLEST;
  const value = count / size;
  return new Intl.NumberFormat(language.value, { style: 'unit', unit, maximumFractionDigits: 1 }).format(
    value,
  );
};
