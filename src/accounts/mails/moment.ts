// A moment in the words of a mail. Pure.
import type { Language } from '#src/kernel/language.ts';

/** Readers of German share one zone; nothing is known of the others'. */
const zones: Readonly<Record<Language, { locale: string; zone: string }>> = {
  de: { locale: 'de-DE', zone: 'Europe/Berlin' },
  en: { locale: 'en-GB', zone: 'UTC' },
};

/** Dear to make: one of each. */
const formats = new Map<Language, Intl.DateTimeFormat>();

const formatOf = (language: Language): Intl.DateTimeFormat => {
  const known = formats.get(language);
  if (known !== undefined) return known;
  const { locale, zone } = zones[language];
  const format = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  });
  formats.set(language, format);
  return format;
};

/** `28. November 2026, 15:30 Uhr MEZ`, `28 November 2026, 14:30 UTC`. */
export const momentInWords = (at: number, language: Language): string => {
  const parts = formatOf(language).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((found) => found.type === type)?.value ?? '';
  const day = language === 'de' ? `${part('day')}.` : part('day');
  const time = `${part('hour')}:${part('minute')}${language === 'de' ? ' Uhr' : ''}`;
  return `${day} ${part('month')} ${part('year')}, ${time} ${part('timeZoneName')}`;
};

/** `28. November 2026, 15:30–15:42 Uhr MEZ`; of one minute as a moment, of several days as two of them. */
export const spanInWords = (from: number, to: number, language: Language): string => {
  const [first, last] = [momentInWords(from, language), momentInWords(to, language)];
  if (first === last) return first;
  const dayOf = (moment: string): string | undefined => moment.split(',')[0];
  return dayOf(first) === dayOf(last) ? formatOf(language).formatRange(from, to) : `${first} – ${last}`;
};
