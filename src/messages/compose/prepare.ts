// From stored rows to what goes on the wire for one recipient: message and signatures, in final bytes.
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import type { MessageSettings } from '#src/messages/settings.ts';
import type { MessageRow } from '#src/messages/store.ts';
import type { Copy, StoredMessage } from './copy.ts';
import { contentOfCopy } from './copy-content.ts';
import { signMessage } from './dkim.ts';
import { invitationOf } from './invitation.ts';
import type { OutgoingMessage } from './message.ts';
import { composeMessage } from './mime.ts';
import { withServiceFields } from './service-fields.ts';

const mailboxes = (json: string): Mailbox[] => JSON.parse(json);

/** With the name it was given. */
const mailboxOf = ({ to_json, cc_json, bcc_json }: MessageRow, recipient: Address): Mailbox =>
  [to_json, cc_json, bcc_json].flatMap(mailboxes).find(({ address }) => address === recipient) ?? {
    address: recipient,
  };

const toOutgoing = (stored: StoredMessage, copy: Copy): OutgoingMessage => {
  const { message, body } = stored;
  const settings: MessageSettings = JSON.parse(message.settings_json);
  const headers: OutgoingMessage['headers'] = JSON.parse(body.headers_json);
  const outgoing: OutgoingMessage = {
    internetMessageId: message.internet_message_id,
    date: message.created_at,
    from: JSON.parse(message.from_json),
    to: mailboxes(message.to_json),
    cc: mailboxes(message.cc_json),
    replyTo: mailboxes(message.reply_to_json),
    subject: message.subject,
    ...contentOfCopy(stored, settings, copy),
    headers: settings.footer ? withServiceFields(message, settings.footer, copy, headers) : headers,
  };
  if (body.calendar_json === null) return outgoing;
  const attendee = mailboxOf(message, copy.recipient);
  return { ...outgoing, calendar: invitationOf(JSON.parse(body.calendar_json), outgoing, attendee) };
};

/** As it would leave, without signatures: for those who look at it before. */
export const composeUnsigned = (message: OutgoingMessage): Buffer => {
  const { header, body } = composeMessage(message);
  return Buffer.from(`${header}\r\n${body}`, 'latin1');
};

/**
 * The signed message (RFC 5322), 7-bit, CRLF line ends. The same rows, copy and keys give the same bytes: a retry repeats
 * the message, and receivers that compare copies see one.
 */
export const prepareMessage = async (
  stored: StoredMessage,
  copy: Copy,
  signers: readonly DkimSigner[],
): Promise<Buffer> => {
  const composed = composeMessage(toOutgoing(stored, copy));
  const signatures = await signMessage(composed, signers, stored.message.created_at);
  return Buffer.from(`${signatures}${composed.header}\r\n${composed.body}`, 'latin1');
};
