// A sample appointment as a practice would confirm it: what is not given of it, and its words. Pure.
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { DEFAULT_ZONE, toInvitation } from '#src/intake/invitation.ts';
import { wordsIn } from '#src/intake/words.ts';
import { localeOf, type MemberLanguage } from '#src/kernel/language.ts';
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

const ownPlace = ({ legal_street, legal_city }: PracticeRow): string | undefined =>
  legal_street !== null && legal_city !== null ? `${legal_street}, ${legal_city}` : undefined;

/** Throws `invalid_request` as a send with such a calendar. */
export const appointmentDraft = (
  to: Mailbox,
  asked: {
    readonly starts_at?: string | undefined;
    readonly summary?: string | undefined;
    readonly location?: string | undefined;
    readonly time_zone?: string | undefined;
  },
  practice: PracticeRow,
  language: MemberLanguage,
  now: number,
): Draft => {
  const { name } = practice;
  const zone = zoneNamed(asked.time_zone ?? DEFAULT_ZONE) ?? DEFAULT_ZONE;
  const calendar = toInvitation(
    {
      summary: asked.summary ?? wordsIn(language).appointment.summary(name),
      starts_at: asked.starts_at ?? nextWorkingMorning(now, zone),
      location: asked.location ?? ownPlace(practice),
      time_zone: asked.time_zone,
    },
    'body',
  );
  const { starts_at, time_zone: timeZone, location } = calendar;
  const at = momentOf(timeZone, starts_at) ?? Number.NaN;
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(localeOf(language), { timeZone, ...options }).format(at);
  const day = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const time = format({ hour: '2-digit', minute: '2-digit' });
  const { subject, paragraphs } = wordsIn(language).appointment.mail({ day, time, location, name });
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
