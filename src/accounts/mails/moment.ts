// A moment in the words of a mail. Pure.
import { clockOf, type Language, localeOf } from '#src/kernel/language.ts';

/** Dear to make: one of each. */
const formats = new Map<Language, Intl.DateTimeFormat>();

const formatOf = (language: Language): Intl.DateTimeFormat => {
  const known = formats.get(language);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat(localeOf(language), {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: clockOf(language).zone,
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
  const { afterDay, afterTime } = clockOf(language);
  const day = `${part('day')}${afterDay} ${part('month')} ${part('year')}`;
  return `${day}, ${part('hour')}:${part('minute')}${afterTime} ${part('timeZoneName')}`;
};

/** `28. November 2026, 15:30–15:42 Uhr MEZ`; of one minute as a moment, of several days as two of them. */
export const spanInWords = (from: number, to: number, language: Language): string => {
  const [first, last] = [momentInWords(from, language), momentInWords(to, language)];
  if (first === last) return first;
  const dayOf = (moment: string): string | undefined => moment.split(',')[0];
  return dayOf(first) === dayOf(last) ? formatOf(language).formatRange(from, to) : `${first} – ${last}`;
};
