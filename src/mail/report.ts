// Writes multipart/report (RFC 6522): words for people, fields for programs, and the header of the message in question.
// What each kind of report says stands in dsn.ts and arf.ts. 7-bit, CRLF.
import { encodeMailboxes, encodeUnstructured } from './header-field.ts';
import type { Address } from './mailbox.ts';

/** Who writes to whom, and when. */
export interface ReportHead {
  /** Without angle brackets; unique. */
  readonly id: string;
  /** ms since the epoch. */
  readonly date: number;
  readonly from: { readonly address: Address; readonly name?: string };
  readonly to: Address;
  readonly subject: string;
}

/** Octets of the other message's header that are repeated. */
const MAX_REPEATED = 32_768;
/** RFC 5322 §2.1.1 */
const MAX_LINE = 998;
/** What begins like a field or goes one on: no such line can be taken for the end of the part. */
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

/** The header as it may be repeated in 7-bit text: whole lines, octets beyond ASCII as `?`. */
const repeated = (head: string): string => {
  const lines = head
    .slice(0, MAX_REPEATED)
    .replace(/[^\t\r\n\x20-\x7e]/g, '?')
    .split('\r\n')
    .filter((line) => line.length <= MAX_LINE && FIELD_LINE.test(line));
  return lines.map((line) => `${line}\r\n`).join('');
};

interface ReportParts {
  /** `delivery-status` or `feedback-report`: names the report, and the type of its second part. */
  readonly type: 'delivery-status' | 'feedback-report';
  /** ASCII. */
  readonly words: string;
  /** Fields, in blocks. */
  readonly blocks: readonly (readonly (readonly [name: string, value: string])[])[];
  /** Of the message in question, one character an octet. */
  readonly originalHead: string;
}

export const writeReport = (head: ReportHead, { type, words, blocks, originalHead }: ReportParts): Buffer => {
  // Neither the words nor the fields have a line that begins with `--`.
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
      // RFC 3834 §5: nobody is to answer it.
      'Auto-Submitted: auto-replied\r\n\r\n',
      part('text/plain; charset=us-ascii', words),
      part(`message/${type}`, fields),
      part('text/rfc822-headers', repeated(originalHead)),
      `--${boundary}--\r\n`,
    ].join(''),
    'latin1',
  );
};
