// Reads a mail at a return path: a delivery status notification, a notice in a server's own words, a complaint, an automatic
// reply, or something else. Never rejects: unreadable mail is something else.

import { readFeedbackReport } from '#src/mail/arf.ts';
import { isAutoReply } from '#src/mail/auto-reply.ts';
import { readBounceNotice, readUnknownNotice } from '#src/mail/bounce-notice.ts';
import { decodeText } from '#src/mail/decode-text.ts';
import { namesRecipients, type RecipientStatus, readDeliveryStatus } from '#src/mail/dsn.ts';
import { headFieldsOf } from '#src/mail/field-block.ts';
import { leavesOf, type MimePart, parseMessage } from '#src/mail/mime-parts.ts';
import { textOfHtml } from '#src/mail/plain-text.ts';
import { complaintWithoutReport, returnedMailIn } from './read-complaint.ts';
import type { Report } from './rules.ts';
import { sesNoticeIn } from './upstream/ses-mail.ts';

/** The report is before the returned message, which may be long. */
const MAX_READ_BYTES = 1_024 * 1_024;
/** One is usual. */
const MAX_STATUS_PARTS = 5;
const MAX_TEXT_BYTES = 65_536;
const STATUS_TYPES = new Set(['message/delivery-status', 'message/global-delivery-status']);
/** Types that some servers give to the status fields by mistake. */
const MISTAKEN_TYPES = new Set(['text/plain', 'application/octet-stream', 'message/delivery-notification']);

const textOf = ({ content, charset }: MimePart): string => decodeText(content, charset);

const isComplete = ({ status, finalRecipient, originalRecipient }: RecipientStatus): boolean =>
  status !== null && (finalRecipient ?? originalRecipient) !== null;

/** The fields of a report whose parts were lost: a gateway or a mailing list made one text of it. */
const FIELDS_IN_TEXT = /^(?:reporting-mta|original-recipient|final-recipient):.*?(?=^--|(?![\s\S]))/ims;

const statusesIn = (root: MimePart, parts: readonly MimePart[], text: string): readonly RecipientStatus[] => {
  const said = parts
    .filter(({ type }) => STATUS_TYPES.has(type))
    .slice(0, MAX_STATUS_PARTS)
    .flatMap((part) => readDeliveryStatus(textOf(part)));
  if (said.length > 0) return said;
  // The first part is the text for people.
  const mistaken = (root.type === 'multipart/report' ? parts.slice(1, 3) : [])
    .filter(({ type }) => MISTAKEN_TYPES.has(type))
    .flatMap((part) => readDeliveryStatus(textOf(part)).filter(isComplete));
  if (mistaken.length > 0) return mistaken;
  return readDeliveryStatus(FIELDS_IN_TEXT.exec(text)?.[0] ?? '').filter(isComplete);
};

/** The text for people; of the HTML where there is no plain text. */
const wordsIn = (parts: readonly MimePart[]): string => {
  const first = (wanted: string): string => {
    const found = parts.find(({ type, content }) => type === wanted && content.length > 0);
    return found ? textOf({ ...found, content: found.content.subarray(0, MAX_TEXT_BYTES) }) : '';
  };
  const plain = first('text/plain');
  return plain.trim() === '' ? textOfHtml(first('text/html')) : plain;
};

/** The text of a report whose parts cannot be found, because the boundary that it declares is not the one that it has. */
const textOfLost = (source: Buffer, root: MimePart, parts: readonly MimePart[]): string => {
  const head = source.indexOf('\r\n\r\n');
  const isLost = root.type === 'multipart/report' && parts.length < 2 && head !== -1;
  return isLost ? decodeText(source.subarray(head, head + MAX_TEXT_BYTES), null) : '';
};

export interface ReportEnvelope {
  /** The address without angle brackets. Empty for the null sender, with which servers report (RFC 5321 §4.5.5). */
  readonly mailFrom: string;
}

export const readReport = async (source: Buffer, { mailFrom }: ReportEnvelope): Promise<Report> => {
  const message = await parseMessage(source.subarray(0, MAX_READ_BYTES), 'keep').catch(() => null);
  if (message === null) return { kind: 'other' };
  const { root } = message;
  const parts = leavesOf(root);
  const lost = textOfLost(source, root, parts);
  const words = wordsIn(parts) || lost;
  const isOfServer = mailFrom === '';
  const recipients = statusesIn(root, parts, lost || (isOfServer ? words : ''));
  if (recipients.length > 0) return { kind: 'delivery_status', recipients, words };
  // Fields without an outcome; the text around them has none either.
  if (parts.some((part) => STATUS_TYPES.has(part.type) && namesRecipients(textOf(part))))
    return { kind: 'other' };
  const feedback = parts
    .filter(({ type }) => type === 'message/feedback-report')
    .flatMap((part) => readFeedbackReport(textOf(part)) ?? [])[0];
  const fields = headFieldsOf(source);
  const complaint = feedback ?? complaintWithoutReport(fields, parts);
  if (complaint) return { kind: 'feedback', feedback: complaint };
  const relayed = sesNoticeIn(parts);
  if (relayed) return { kind: 'relay_event', found: relayed.found };
  const known = readBounceNotice(fields, words);
  if (known) return { kind: 'bounce', notice: known };
  if (isAutoReply(fields, words)) return { kind: 'auto_reply' };
  const isReceipt = parts.some(({ type }) => type === 'message/disposition-notification');
  const notice = isOfServer && !isReceipt ? readUnknownNotice(fields, words) : null;
  if (notice === null) return { kind: 'other' };
  const isProven = notice.isProven || returnedMailIn(parts) !== undefined;
  return { kind: 'bounce', notice: { ...notice, isProven } };
};
