// A moment in the words of a mail. Pure.
import type { Language } from '#src/kernel/language.ts';

/** Readers of German share one zone; nothing is known of the others'. */
const zones: Readonly<Record<Language, { locale: string; zone: string }>> = {
  de: { locale: 'de-DE', zone: 'Europe/Berlin' },
  en: { locale: 'en-GB', zone: 'UTC' },
};

/** `28. November 2026, 15:30 Uhr MEZ`, `28 November 2026, 14:30 UTC`. */
export const momentInWords = (at: number, language: Language): string => {
  const { locale, zone } = zones[language];
  const parts = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((found) => found.type === type)?.value ?? '';
  const day = language === 'de' ? `${part('day')}.` : part('day');
  const time = `${part('hour')}:${part('minute')}${language === 'de' ? ' Uhr' : ''}`;
  return `${day} ${part('month')} ${part('year')}, ${time} ${part('timeZoneName')}`;
};
