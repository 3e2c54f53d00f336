// A draft as scanners of whole messages get it: composed as it would leave, without what each copy has of its own. Its
// links are the sender's, also where clicks will be tracked: what scanners and lists know is where a link leads, and all
// that could be said of those through the service is whose they are. Pure.

import { addressDomain } from '#src/mail/address.ts';
import { invitationOf } from '#src/messages/compose/invitation.ts';
import type { OutgoingMessage } from '#src/messages/compose/message.ts';
import type { Draft } from './draft.ts';
import { type Facts, recipientsOf } from './gate.ts';

export const previewOf = (draft: Draft, { from, now }: Pick<Facts, 'from' | 'now'>): OutgoingMessage => {
  const message: OutgoingMessage = {
    internetMessageId: `<preview@${addressDomain(from.address)}>`,
    date: now,
    from,
    to: (draft.shown ?? draft).to,
    cc: (draft.shown ?? draft).cc,
    replyTo: draft.replyTo,
    subject: draft.subject,
    text: draft.text,
    html: draft.html,
    headers: draft.headers,
    attachments: draft.attachments.map(({ filename, contentType, contentId, content }) => ({
      filename,
      contentType,
      ...(contentId === null ? {} : { contentId }),
      content,
    })),
  };
  const [attendee] = recipientsOf(draft);
  return draft.calendar && attendee
    ? { ...message, calendar: invitationOf(draft.calendar, message, attendee) }
    : message;
};
