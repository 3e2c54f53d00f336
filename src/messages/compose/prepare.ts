// Makes the bytes for one recipient from the stored rows: the composed message and its signatures.
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import type { MessageRow } from '#src/messages/store.ts';
import { finishBody, layOut, withHead } from './body.ts';
import { contentOfCopy } from './copy-content.ts';
import { signHeader } from './dkim.ts';
import { invitationOf } from './invitation.ts';
import type { Copy, OutgoingMessage, StoredMessage } from './message.ts';
import { composeMessage, composeUnsigned } from './mime.ts';
import { parsedMessage } from './parsed-message.ts';
import { withServiceFields } from './service-fields.ts';
import type { SignThreads } from './sign-thread.ts';

/** A signature field by RSA-2048 takes some 900 octets. Where there is more, the message is copied. */
const SIGNATURE_ROOM = 1_200;
/** From so many octets on, base64 and the hash take longer than to give them to another thread. */
const LARGE_FROM_BYTES = 65_536;

/** The recipient with the display name that the sender gave. */
const mailboxOf = (message: MessageRow, recipient: Address): Mailbox => {
  const { to, cc } = parsedMessage(message);
  const bcc: Mailbox[] = JSON.parse(message.bcc_json);
  return [...to, ...cc, ...bcc].find(({ address }) => address === recipient) ?? { address: recipient };
};

const toOutgoing = (stored: StoredMessage, copy: Copy): OutgoingMessage => {
  const { message, body } = stored;
  const { from, to, cc, replyTo, settings } = parsedMessage(message);
  const headers: OutgoingMessage['headers'] = JSON.parse(body.headers_json);
  const outgoing: OutgoingMessage = {
    internetMessageId: message.internet_message_id,
    date: message.created_at,
    from,
    to,
    cc,
    replyTo,
    subject: message.subject,
    ...contentOfCopy(stored, settings, copy),
    headers: settings.footer ? withServiceFields(message, settings.footer, copy, headers) : headers,
  };
  if (body.calendar_json === null) return outgoing;
  const attendee = mailboxOf(message, copy.recipient);
  return { ...outgoing, calendar: invitationOf(JSON.parse(body.calendar_json), outgoing, attendee) };
};

/** One recipient's copy without its signatures, as it can be shown. */
export const composeCopy = (stored: StoredMessage, copy: Copy): Buffer =>
  composeUnsigned(toOutgoing(stored, copy));

/** The signed message (RFC 5322), 7-bit with CRLF line ends. The same rows, copy and keys give the same bytes, so that
 * receivers recognize a retry as the same message. */
export const prepareMessage = async (
  stored: StoredMessage,
  copy: Copy,
  signers: readonly DkimSigner[],
  threads: Pick<SignThreads, 'sign' | 'finishBody'>,
): Promise<Buffer> => {
  const composed = composeMessage(toOutgoing(stored, copy));
  const { header } = composed;
  const laidOut = layOut(composed, header.length + signers.length * SIGNATURE_ROOM);
  const isLarge = laidOut.octets.length >= LARGE_FROM_BYTES;
  const { octets, hash } = isLarge
    ? await threads.finishBody(laidOut)
    : { octets: laidOut.octets, hash: finishBody(laidOut) };
  const signatures = await signHeader(header, hash, signers, stored.message.created_at, threads.sign);
  return withHead(`${signatures}${header}\r\n`, { ...laidOut, octets });
};
