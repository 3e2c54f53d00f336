// From stored rows to what goes on the wire for one recipient: message and signatures, in final bytes.
import { convert } from 'html-to-text';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { AttachmentRow, BodyRow, MessageRow } from '#src/messages/store.ts';
import { signMessage } from './dkim.ts';
import type { OutgoingMessage } from './message.ts';
import { composeMessage } from './mime.ts';

export interface StoredMessage {
  readonly message: MessageRow;
  readonly body: BodyRow;
  readonly attachments: readonly AttachmentRow[];
}

interface StoredSettings {
  readonly plain_text_fallback: boolean;
}

/** Text made from HTML is a courtesy to readers without HTML: what lies beyond this much of it is left out. */
const MAX_CONVERTED_CHARACTERS = 1_000_000;

const toText = (html: string): string =>
  convert(html, { wordwrap: false, limits: { maxInputLength: MAX_CONVERTED_CHARACTERS } });

const mailboxes = (json: string): Mailbox[] => JSON.parse(json);

const toOutgoing = ({ message, body, attachments }: StoredMessage): OutgoingMessage => {
  const settings: StoredSettings = JSON.parse(message.settings_json);
  const text = body.text ?? (settings.plain_text_fallback && body.html !== null ? toText(body.html) : null);
  return {
    internetMessageId: message.internet_message_id,
    date: message.created_at,
    from: JSON.parse(message.from_json),
    to: mailboxes(message.to_json),
    cc: mailboxes(message.cc_json),
    replyTo: mailboxes(message.reply_to_json),
    subject: message.subject,
    text,
    html: body.html,
    headers: JSON.parse(body.headers_json),
    attachments: attachments.map(({ filename, content_type, content_id, content }) => ({
      filename,
      contentType: content_type,
      ...(content_id === null ? {} : { contentId: content_id }),
      content,
    })),
  };
};

/**
 * The signed message (RFC 5322), 7-bit, CRLF line ends. The same rows and keys give the same bytes: a retry repeats
 * the message, and receivers that compare copies see one.
 */
export const prepareMessage = async (
  stored: StoredMessage,
  signers: readonly DkimSigner[],
): Promise<Buffer> => {
  const composed = composeMessage(toOutgoing(stored));
  const signatures = await signMessage(composed, signers, stored.message.created_at);
  return Buffer.from(`${signatures}${composed.header}\r\n${composed.body}`, 'latin1');
};
