// Writes multipart/report (RFC 6522): a text for people, fields for programs, and the header of the message in question.
// dsn.ts and arf.ts have the contents of each kind. The result is 7-bit with CRLF. Pure.
import { encodeMailboxes, encodeUnstructured } from './header-field.ts';
import type { Address } from './mailbox.ts';

/** The values of the report's own header. */
export interface ReportHead {
  /** A unique id without angle brackets. */
  readonly id: string;
  /** ms since the epoch. */
  readonly date: number;
  readonly from: { readonly address: Address; readonly name?: string };
  readonly to: Address;
  readonly subject: string;
}

/** The most octets of the original header that are repeated. */
const MAX_REPEATED = 32_768;
/** RFC 5322 §2.1.1 */
const MAX_LINE = 998;
/** The start or continuation of a field. Such a line cannot be read as the end of the part. */
const FIELD_LINE = /^(?:[A-Za-z][!-9;-~]*[ \t]*:|[ \t])/;

/** Date, From, To, Subject, Message-ID and MIME-Version, each with its CRLF. */
export const headFields = ({ id, date, from, to, subject }: ReportHead): string =>
  [
    `Date: ${new Date(date).toUTCString().replace('GMT', '+0000')}\r\n`,
    encodeMailboxes('From', [from]),
    encodeMailboxes('To', [{ address: to }]),
    encodeUnstructured('Subject', subject),
    `Message-ID: <${id}>\r\n`,
    'MIME-Version: 1.0\r\n',
  ].join('');

/** The original header in 7-bit text: whole lines, with `?` for each octet beyond ASCII. */
const repeated = (head: string): string => {
  const lines = head
    .slice(0, MAX_REPEATED)
    .replace(/[^\t\r\n\x20-\x7e]/g, '?')
    .split('\r\n')
    .filter((line) => line.length <= MAX_LINE && FIELD_LINE.test(line));
  return lines.map((line) => `${line}\r\n`).join('');
};

interface ReportParts {
  /** The report-type, and the subtype of its second part. */
  readonly type: 'delivery-status' | 'feedback-report';
  /** ASCII. */
  readonly words: string;
  /** The fields in their blocks. */
  readonly blocks: readonly (readonly (readonly [name: string, value: string])[])[];
  /** The header of the message in question, one character for each octet. */
  readonly originalHead: string;
}

export const writeReport = (head: ReportHead, { type, words, blocks, originalHead }: ReportParts): Buffer => {
  // This boundary is safe: no line of the text or of the fields begins with `--`.
  const boundary = `=_${head.id.replace(/[^0-9A-Za-z]/g, '').slice(0, 40)}`;
  const fields = blocks
    .map((block) => block.map(([name, value]) => encodeUnstructured(name, value)).join(''))
    .join('\r\n');
  const part = (contentType: string, body: string): string =>
    `--${boundary}\r\nContent-Type: ${contentType}\r\n\r\n${body}\r\n`;
  return Buffer.from(
    [
      headFields(head),
      `Content-Type: multipart/report; report-type=${type};\r\n boundary="${boundary}"\r\n`,
      // RFC 3834 §5: no program answers such a mail.
      'Auto-Submitted: auto-replied\r\n\r\n',
      part('text/plain; charset=us-ascii', words),
      part(`message/${type}`, fields),
      part('text/rfc822-headers', repeated(originalHead)),
      `--${boundary}--\r\n`,
    ].join(''),
    'latin1',
  );
};
