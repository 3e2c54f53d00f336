// The invitation of a send as calendar programs get it, and what they show of it. The text is written by what writes it for
// copies of messages. Pure.
import { z } from 'zod';
import { localeOf, type MemberLanguage } from '#src/kernel/language.ts';
import { MINUTE, toIso } from '#src/kernel/time.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { momentOf } from '#src/mail/time-zone.ts';
import { invitationOf } from '#src/messages/compose/invitation.ts';
import type { OutgoingMessage } from '#src/messages/compose/message.ts';
import { addressSchema } from '#src/messages/schema.ts';
import type { Invitation } from '#src/messages/settings.ts';

export const calendarSchema = z
  .strictObject({
    calendar: z.string().describe('the iCalendar object, in UTF-8, its lines ended by CRLF'),
    method: z.literal('REQUEST'),
    uid: z.string().describe('the Message-ID without its brackets'),
    summary: z.string(),
    location: z.string().nullable(),
    starts_at: z.iso.datetime(),
    ends_at: z.iso.datetime(),
    duration_minutes: z.number(),
    time_zone: z.string(),
    written_in: z
      .enum(['zone', 'utc'])
      .describe('`zone`: local time with the rules of its zone; `utc`: programs show it in their own zone'),
    shown_as: z.string().describe('the time in words, in its zone'),
    organizer: addressSchema,
    attendee: addressSchema,
  })
  .meta({ id: 'CalendarInvitation' });

/** Throws no AppError: `toInvitation` has looked at the appointment. */
const momentIn = ({ time_zone }: Invitation, text: string): number => momentOf(time_zone, text) ?? Number.NaN;

const spanOf = (from: number, to: number, zone: string, language: MemberLanguage): string =>
  new Intl.DateTimeFormat(localeOf(language), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  }).formatRange(from, to);

const presentMailbox = ({ address, name }: Mailbox) => ({ address, name: name ?? null });

export const presentCalendar = (
  invitation: Invitation,
  message: Pick<OutgoingMessage, 'internetMessageId' | 'date' | 'from'>,
  attendee: Mailbox,
  language: MemberLanguage,
): z.infer<typeof calendarSchema> => {
  const { summary, location, time_zone } = invitation;
  const calendar = invitationOf(invitation, message, attendee);
  const from = momentIn(invitation, invitation.starts_at);
  const to = momentIn(invitation, invitation.ends_at);
  return {
    calendar,
    method: 'REQUEST',
    uid: message.internetMessageId.slice(1, -1),
    summary,
    location,
    starts_at: toIso(from),
    ends_at: toIso(to),
    duration_minutes: (to - from) / MINUTE,
    time_zone,
    written_in: calendar.includes('\r\nDTSTART;TZID=') ? 'zone' : 'utc',
    shown_as: spanOf(from, to, time_zone, language),
    organizer: presentMailbox(message.from),
    attendee: presentMailbox(attendee),
  };
};
