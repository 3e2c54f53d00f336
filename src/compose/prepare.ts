// From stored rows to what goes on the wire for one recipient: message and signatures, in final bytes.
import { convert } from 'html-to-text';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import type { MessageSettings } from '#src/messages/settings.ts';
import type { AttachmentRow, BodyRow, MessageRow } from '#src/messages/store.ts';
import { signMessage } from './dkim.ts';
import type { OutgoingMessage } from './message.ts';
import { composeMessage } from './mime.ts';

export interface StoredMessage {
  readonly message: MessageRow;
  readonly body: BodyRow;
  readonly attachments: readonly AttachmentRow[];
}

/** Text made from HTML is a courtesy to readers without HTML: what lies beyond this much of it is left out. */
const MAX_CONVERTED_CHARACTERS = 200_000;
/** The converter needs time with the square of the depth, and stack with it. Real mail nests some 60 deep. */
const MAX_HTML_DEPTH = 500;
/** Elements that end without an end tag. */
const UNNESTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|option|thead|tbody|tfoot)$/i;

/** Guesses by tags alone: end tags of nothing, in comments or in attributes make it guess too low. */
const seemsTooDeep = (html: string): boolean => {
  let depth = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    if (UNNESTED.test(name)) continue;
    depth = Math.max(0, depth + (slash === '' ? 1 : -1));
    if (depth > MAX_HTML_DEPTH) return true;
  }
  return false;
};

/** Made once for all copies of a message that are under way together. */
const converted = new WeakMap<BodyRow, string>();

const toText = (given: string): string => {
  const html = given.slice(0, MAX_CONVERTED_CHARACTERS).toWellFormed();
  if (seemsTooDeep(html))
    return html
      .replace(/<[^<>]*>/g, ' ')
      .replace(/ {2,}/g, ' ')
      .trim();
  // What was guessed too low is cut off at that depth instead.
  return convert(html, { wordwrap: false, limits: { maxDepth: MAX_HTML_DEPTH } });
};

const fallbackText = (body: BodyRow, html: string): string => {
  const text = converted.get(body) ?? toText(html);
  converted.set(body, text);
  return text;
};

const mailboxes = (json: string): Mailbox[] => JSON.parse(json);

const toOutgoing = ({ message, body, attachments }: StoredMessage): OutgoingMessage => {
  const settings: MessageSettings = JSON.parse(message.settings_json);
  const text =
    body.text ?? (settings.plain_text_fallback && body.html !== null ? fallbackText(body, body.html) : null);
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

/** What belongs to one recipient's copy alone. */
export interface Copy {
  readonly recipient: Address;
  /** Null where the copy has no way out of its own. */
  readonly unsubscribeUrl: string | null;
}

/** As it would leave, without signatures: for those who look at it before. */
export const composeUnsigned = (message: OutgoingMessage): Buffer => {
  const { header, body } = composeMessage(message);
  return Buffer.from(`${header}\r\n${body}`, 'latin1');
};

/**
 * The signed message (RFC 5322), 7-bit, CRLF line ends. The same rows and keys give the same bytes: a retry repeats
 * the message, and receivers that compare copies see one.
 */
export const prepareMessage = async (
  stored: StoredMessage,
  _copy: Copy,
  signers: readonly DkimSigner[],
): Promise<Buffer> => {
  const composed = composeMessage(toOutgoing(stored));
  const signatures = await signMessage(composed, signers, stored.message.created_at);
  return Buffer.from(`${signatures}${composed.header}\r\n${composed.body}`, 'latin1');
};
