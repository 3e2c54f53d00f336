// Writes a message (RFC 5322, RFC 2045, RFC 2046) as 7-bit ASCII with CRLF, so that no server on the way has to change it:
//   mixed( related( alternative( text, html, calendar ), inline… ), attachments…, calendar )
// Levels with one part are left out. An invitation occurs twice: as the part that some clients offer to accept, and as the
// file that others look for. What a mail program submitted keeps the tree in which it came instead. The same input gives the
// same bytes, on every attempt. Intake has validated the input. Pure.
import { hash } from 'node:crypto';
import {
  encodeMailboxes,
  encodeParameter,
  encodeUnstructured,
  isHeaderName,
} from '#src/mail/header-field.ts';
import type { SubmittedPart } from '#src/messages/submitted-part.ts';
import { encodeFiles, layOut, withHead } from './body.ts';
import type { Attachment, ComposedMessage, OutgoingMessage, Piece } from './message.ts';
import { encodeText, inBase64 } from './transfer-encoding.ts';

/** `type/subtype` (RFC 6838 §4.2). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** What relaxed canonicalization changes within a text of lines that end in CRLF. */
const RELAXABLE = /\t| {2}| \r\n/;

interface Part {
  /** `type/subtype`. */
  readonly type: string;
  /** Content-* fields, each with its CRLF. */
  readonly header: string;
  /** Never empty. */
  readonly body: readonly Piece[];
  /** See `ComposedMessage`. */
  readonly isRelaxed: boolean;
}

const encodedText = (type: string, value: string, text: string, fields = ''): Part => {
  const { encoding, body, isRelaxed } = encodeText(text);
  return {
    type,
    header: `Content-Type: ${value}\r\nContent-Transfer-Encoding: ${encoding}\r\n${fields}`,
    body: [body],
    isRelaxed,
  };
};

const textPart = (type: 'text/plain' | 'text/html', text: string): Part =>
  encodedText(type, `${type}; charset=utf-8`, text);

/** Messages and multiparts may not be base64 (RFC 2045 §6.4), which all attachments are. */
const attachmentType = (declared: string): string =>
  MEDIA_TYPE.test(declared) && !/^(?:message|multipart)\//.test(declared)
    ? declared
    : 'application/octet-stream';

/** The octets at the beginning of a file in which its method is searched. */
const METHOD_WITHIN = 2_000;

/** RFC 6047 §2.4: the media type repeats the method of a calendar file. */
const calendarMethod = (type: string, content: Uint8Array): string => {
  if (type !== 'text/calendar') return '';
  const start = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, METHOD_WITHIN));
  const method = /^METHOD:([A-Z]{1,20})\r?$/im.exec(start.toString('latin1'))?.[1];
  return method === undefined ? '' : `; method=${method.toUpperCase()}`;
};

const attachmentPart = ({ filename, contentType, contentId, content }: Attachment, inline: boolean): Part => {
  const type = attachmentType(contentType);
  // Mail programs show inline text as a part of the message.
  const disposition = inline && !type.startsWith('text/') ? 'inline' : 'attachment';
  const parameter = (name: string): string =>
    filename === '' ? '' : `;\r\n ${encodeParameter(name, filename)}`;
  return {
    type,
    header: [
      `Content-Type: ${type}${calendarMethod(type, content)}${parameter('name')}\r\n`,
      'Content-Transfer-Encoding: base64\r\n',
      contentId === undefined ? '' : encodeUnstructured('Content-ID', `<${contentId}>`),
      `Content-Disposition: ${disposition}${parameter('filename')}\r\n`,
    ].join(''),
    body: [inBase64(content)],
    isRelaxed: true,
  };
};

const CALENDAR_FILE = 'invite.ics';

/** RFC 6047 §2.4. It is in base64, because its lines must not be changed on the way. */
const calendarPart = (calendar: string): Part => ({
  type: 'text/calendar',
  header:
    'Content-Type: text/calendar; charset=UTF-8; method=REQUEST\r\nContent-Transfer-Encoding: base64\r\n',
  body: [inBase64(Buffer.from(calendar))],
  isRelaxed: true,
});

const calendarFile = (calendar: string): Attachment => ({
  filename: CALENDAR_FILE,
  contentType: 'application/ics',
  content: Buffer.from(calendar),
});

/** The same pieces with one string between two files. */
const joinedStrings = (pieces: readonly Piece[]): readonly Piece[] => {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') joined[joined.length - 1] = last + piece;
    else joined.push(piece);
  }
  return joined;
};

/** No body contains `=_`, so a boundary that begins with it needs no search. The CRLF at the end of a body belongs to the
 * delimiter behind it (RFC 2046 §5.1.1). */
const joined = (value: string, parts: readonly Part[], boundary: string, fields = ''): Part => ({
  type: value,
  header: `Content-Type: ${value};\r\n boundary="${boundary}"\r\n${fields}`,
  body: joinedStrings([
    ...parts.flatMap(({ header, body }) => [`--${boundary}\r\n${header}\r\n`, ...body]),
    `--${boundary}--\r\n`,
  ]),
  // The fields of a part may have a file name with white space.
  isRelaxed: parts.every(({ header, isRelaxed }) => isRelaxed && !RELAXABLE.test(header)),
});

const multipart = (type: string, parts: readonly [Part, ...Part[]], boundary: string): Part => {
  if (parts.length === 1) return parts[0];
  // RFC 2387 §3.1
  const root = type === 'multipart/related' ? `; type="${parts[0].type}"` : '';
  return { ...joined(`${type}${root}`, parts, boundary), type };
};

/** `boundary` gives another one at each call. */
const submittedPart = (part: SubmittedPart, message: OutgoingMessage, boundary: () => string): Part => {
  const { type, fields } = part;
  if ('parts' in part) {
    const own = boundary();
    const parts = part.parts.map((child) => submittedPart(child, message, boundary));
    return joined(type, parts, own, fields);
  }
  if ('form' in part) return encodedText(type, type, part.content ?? message[part.form] ?? '', fields);
  if ('signed' in part)
    return { type, header: `Content-Type: ${type}\r\n${fields}`, body: [part.signed], isRelaxed: false };
  return {
    type,
    header: `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n${fields}`,
    body: [inBase64(message.attachments[part.file]?.content ?? Buffer.alloc(0))],
    isRelaxed: true,
  };
};

/** What is signed may contain any boundary that can be known beforehand, so theirs depend on all of it. */
const submitted = (parts: SubmittedPart, message: OutgoingMessage): Part => {
  const stem = hash('sha256', `${message.internetMessageId}\n${JSON.stringify(parts)}`).slice(0, 24);
  let count = 0;
  const boundary = (): string => {
    count += 1;
    // None is the beginning of another one.
    return `=_${stem}_${String(count).padStart(4, '0')}`;
  };
  return submittedPart(parts, message, boundary);
};

const contentOf = (message: OutgoingMessage): Part => {
  const { text, html, attachments, calendar = null, parts } = message;
  if (parts) return submitted(parts, message);
  if (html === null && attachments.length === 0 && calendar === null)
    return textPart('text/plain', text ?? '');

  // Message-ID and level are unique together, and a part of the hash is enough for different nested boundaries.
  const stem = `=_${hash('sha256', message.internetMessageId).slice(0, 24)}`;
  const isInline = ({ contentId }: Attachment): boolean => html !== null && contentId !== undefined;
  const plain = text === null && html !== null ? [] : [textPart('text/plain', text ?? '')];
  const rich = html === null ? [] : [textPart('text/html', html)];
  // RFC 2046 §5.1.4: the simplest part is first, the richest last.
  const invitation = calendar === null ? [] : [calendarPart(calendar)];
  const [first, ...others] = [...plain, ...rich, ...invitation];
  if (first === undefined) throw new Error('a message without a text part');
  const alternative = multipart('multipart/alternative', [first, ...others], `${stem}_a`);
  const inline = attachments.filter(isInline).map((attachment) => attachmentPart(attachment, true));
  const related = multipart('multipart/related', [alternative, ...inline], `${stem}_r`);
  const attached = [
    ...attachments.filter((attachment) => !isInline(attachment)),
    ...(calendar === null ? [] : [calendarFile(calendar)]),
  ].map((attachment) => attachmentPart(attachment, false));
  return multipart('multipart/mixed', [related, ...attached], `${stem}_m`);
};

const headerOf = (message: OutgoingMessage): string => {
  const { date, from, to, cc, replyTo, subject, internetMessageId, headers } = message;
  const extra = headers.map(([name, value]) => {
    if (!isHeaderName(name)) throw new Error(`not a header name: ${JSON.stringify(name)}`);
    return encodeUnstructured(name, value);
  });
  return [
    `Date: ${new Date(date).toUTCString().replace('GMT', '+0000')}\r\n`,
    encodeMailboxes('From', [from]),
    replyTo.length > 0 ? encodeMailboxes('Reply-To', replyTo) : '',
    to.length > 0 ? encodeMailboxes('To', to) : '',
    cc.length > 0 ? encodeMailboxes('Cc', cc) : '',
    // If all recipients are hidden, some receivers would add a To field of their own.
    to.length === 0 && cc.length === 0 ? 'To: undisclosed-recipients:;\r\n' : '',
    encodeUnstructured('Subject', subject),
    encodeUnstructured('Message-ID', internetMessageId),
    ...extra,
  ].join('');
};

/** The message without the trace and signature fields that are put before it.
 * @throws Error on values that intake refuses: line breaks, invalid header names */
export const composeMessage = (message: OutgoingMessage): ComposedMessage => {
  const content = contentOf(message);
  const header = `${headerOf(message)}MIME-Version: 1.0\r\n${content.header}`;
  return { header, body: content.body, isRelaxed: content.isRelaxed };
};

/** The message as it would leave, without signatures, for scanners and previews. */
export const composeUnsigned = (message: OutgoingMessage): Buffer => {
  const composed = composeMessage(message);
  const head = `${composed.header}\r\n`;
  const body = layOut(composed, head.length);
  encodeFiles(body);
  return withHead(head, body);
};
