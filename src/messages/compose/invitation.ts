// The calendar object of one copy. It invites only that recipient, so that no one learns the others, and it depends only on
// the message, so that every attempt sends the same. Pure.
import { writeMeetingRequest } from '#src/mail/ical.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { Invitation } from '#src/messages/settings.ts';
import type { OutgoingMessage } from './message.ts';

export const invitationOf = (
  invitation: Invitation,
  { internetMessageId, date, from }: Pick<OutgoingMessage, 'internetMessageId' | 'date' | 'from'>,
  attendee: Mailbox,
): string =>
  writeMeetingRequest({
    uid: invitation.uid ?? internetMessageId.slice(1, -1),
    stampedAt: date,
    summary: invitation.summary,
    location: invitation.location,
    description: invitation.description,
    startsAt: invitation.starts_at,
    endsAt: invitation.ends_at,
    timeZone: invitation.time_zone,
    organizer: from,
    attendee,
  });
