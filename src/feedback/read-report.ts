// What a mail at a return path is: a delivery status notification, a complaint, an automatic reply, or something else.
// Never rejects: what cannot be read is something else.
import { simpleParser } from 'mailparser';
import { readFeedbackReport } from '#src/mail/arf.ts';
import { isAutoReply } from '#src/mail/auto-reply.ts';
import { calmSource } from '#src/mail/calm-source.ts';
import { readDeliveryStatus } from '#src/mail/dsn.ts';
import { headOf, readFields } from '#src/mail/field-block.ts';
import type { Report } from './rules.ts';

/** What matters stands before the returned message, which may be long. */
const MAX_READ_BYTES = 1_024 * 1_024;
/** The parser reads lists of addresses with the square of their length; no server's report has such a head. */
const MAX_HEAD_CHARACTERS = 65_536;
const PARSER_OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
  keepCidLinks: true,
  keepDeliveryStatus: true,
};

const STATUS_TYPES = new Set(['message/delivery-status', 'message/global-delivery-status']);

interface Part {
  readonly type: string;
  readonly text: string;
}

const partsOf = async (source: Buffer): Promise<Part[]> => {
  if (headOf(source).length > MAX_HEAD_CHARACTERS) return [];
  try {
    const { attachments } = await simpleParser(
      calmSource(source.subarray(0, MAX_READ_BYTES)),
      PARSER_OPTIONS,
    );
    return attachments.map(({ contentType, content }) => ({
      type: contentType.toLowerCase(),
      text: content.toString(),
    }));
  } catch {
    return [];
  }
};

export const readReport = async (source: Buffer): Promise<Report> => {
  const parts = await partsOf(source);
  const recipients = parts
    .filter(({ type }) => STATUS_TYPES.has(type))
    .flatMap(({ text }) => readDeliveryStatus(text));
  if (recipients.length > 0) return { kind: 'delivery_status', recipients };
  const feedback = parts
    .filter(({ type }) => type === 'message/feedback-report')
    .flatMap(({ text }) => readFeedbackReport(text) ?? [])[0];
  if (feedback) return { kind: 'feedback', feedback };
  return isAutoReply(readFields(headOf(source))) ? { kind: 'auto_reply' } : { kind: 'other' };
};
