// A sample appointment as a practice would confirm it: what is not given of it, and its words. Pure.
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { DEFAULT_ZONE, toInvitation } from '#src/intake/invitation.ts';
import type { Language } from '#src/kernel/language.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { momentOf, offsetAt, zoneNamed } from '#src/mail/time-zone.ts';
import { builtInRoute } from '#src/messages/kinds.ts';
import { type Draft, draftWith } from '../draft.ts';
import { asHtml } from '../sample-drafts.ts';

const CLOCK = 'T09:30:00';
const WEEKEND: ReadonlySet<number> = new Set([0, 6]);

/** Half past nine on the next working day by the zone's calendar, as local time; holidays are not known. */
export const nextWorkingMorning = (now: number, zone: string): string => {
  let day = now + offsetAt(zone, now) + DAY;
  while (WEEKEND.has(new Date(day).getUTCDay())) day += DAY;
  return new Date(day).toISOString().slice(0, 10) + CLOCK;
};

const locales: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

interface Facts {
  readonly day: string;
  readonly time: string;
  readonly location: string | null;
  /** Of the practice. */
  readonly name: string;
}

interface Words {
  readonly summary: (name: string) => string;
  readonly mail: (facts: Facts) => { readonly subject: string; readonly paragraphs: readonly string[] };
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    summary: (name) => `Termin: ${name}`,
    mail: ({ day, time, location, name }) => ({
      subject: `Ihr Termin am ${day}`,
      paragraphs: [
        'Guten Tag,',
        'wir haben für Sie folgenden Termin eingetragen:',
        `Datum: ${day}\nUhrzeit: ${time} Uhr${location === null ? '' : `\nOrt: ${location}`}`,
        'Dies ist ein Beispiel: Es zeigt, wie Terminmails und die Kalendereinladung darin ankommen.',
        `Freundliche Grüße\n${name}`,
      ],
    }),
  },
  en: {
    summary: (name) => `Appointment: ${name}`,
    mail: ({ day, time, location, name }) => ({
      subject: `Your appointment on ${day}`,
      paragraphs: [
        'Hello,',
        'we have made the following appointment for you:',
        `Date: ${day}\nTime: ${time}${location === null ? '' : `\nPlace: ${location}`}`,
        'This is a sample: it shows how mail about appointments arrives, and the calendar invitation in it.',
        `Kind regards\n${name}`,
      ],
    }),
  },
};

/** What is asked for, beside the address. */
export interface AskedAppointment {
  readonly starts_at?: string | undefined;
  readonly summary?: string | undefined;
  readonly location?: string | undefined;
  readonly time_zone?: string | undefined;
}

const ownPlace = ({ legal_street, legal_city }: PracticeRow): string | undefined =>
  legal_street !== null && legal_city !== null ? `${legal_street}, ${legal_city}` : undefined;

/** Throws `invalid_request` as a send with such a calendar. */
export const appointmentDraft = (
  to: Mailbox,
  asked: AskedAppointment,
  practice: PracticeRow,
  language: Language,
  now: number,
): Draft => {
  const { name } = practice;
  const zone = zoneNamed(asked.time_zone ?? DEFAULT_ZONE) ?? DEFAULT_ZONE;
  const calendar = toInvitation(
    {
      summary: asked.summary ?? words[language].summary(name),
      starts_at: asked.starts_at ?? nextWorkingMorning(now, zone),
      location: asked.location ?? ownPlace(practice),
      time_zone: asked.time_zone,
    },
    'body',
  );
  const { starts_at, time_zone: timeZone, location } = calendar;
  const at = momentOf(timeZone, starts_at) ?? Number.NaN;
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(locales[language], { timeZone, ...options }).format(at);
  const day = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const time = format({ hour: '2-digit', minute: '2-digit' });
  const { subject, paragraphs } = words[language].mail({ day, time, location, name });
  const text = paragraphs.join('\n\n');
  return draftWith({
    to: [to],
    subject,
    text,
    html: asHtml(text, language),
    route: builtInRoute.transactional,
    kind: 'termin',
    tags: ['test-termin'],
    calendar,
  });
};
