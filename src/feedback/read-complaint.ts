// Reads a mail to the address for complaints: a report of abuse (RFC 5965), one of Microsoft, which has no report but the mail
// itself, or a notice of Amazon SES; and everything in it that may lead to the copy. locate.ts judges what of that is proof.
// Never rejects.
import { type FeedbackReport, originalSenders, readFeedbackReport } from '#src/mail/arf.ts';
import { unsubscribeTokensIn } from '#src/mail/copy-links.ts';
import { type Field, fieldValue, headOf, readFields } from '#src/mail/field-block.ts';
import { leavesOf, type MimePart, parseMessage } from '#src/mail/mime-parts.ts';
import { returnPathsIn } from '#src/mail/verp.ts';
import type { Clues } from './locate.ts';
import type { Report } from './rules.ts';
import { sesNoticeIn, subscriptionLinkIn } from './upstream/ses-mail.ts';

export interface ReceivedComplaint {
  readonly report: Extract<Report, { kind: 'feedback' | 'relay_event' }>;
  readonly clues: Clues;
}

/** A topic of Amazon SNS asks whether it may send its notices to the address. */
export interface SubscriptionRequest {
  readonly subscriptionLink: string;
}

/** The report and the returned header are before the body of the returned mail. */
const MAX_READ_BYTES = 1_024 * 1_024;
const MAX_HEAD_BYTES = 262_144;
/** Each costs an HMAC. */
const MAX_CLUES = 20;
const RETURNED = new Set([
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global-headers',
]);
/**
 * The Junk Mail Reporting Program of Outlook.com sends the reported mail as an attached message (Smart
 * Network Data Services, "Junk Mail Reporting Program").
 */
const MICROSOFT = /^[^<]{0,200}<?staff@hotmail\.com>?$/i;

export const returnedMailIn = (parts: readonly MimePart[]): MimePart | undefined =>
  parts.find(({ type }) => RETURNED.has(type));

/** The complaint that a mail of Microsoft is although it has no report; else null. */
export const complaintWithoutReport = (
  fields: readonly Field[],
  parts: readonly MimePart[],
): FeedbackReport | null =>
  MICROSOFT.test(fieldValue(fields, 'from') ?? '') && returnedMailIn(parts) !== undefined
    ? { feedbackType: 'abuse', originalMailFrom: null }
    : null;

/** The header of the returned mail; its line ends may have been changed on the way. */
const returnedHead = (content: Buffer): string =>
  headOf(
    Buffer.from(content.subarray(0, MAX_HEAD_BYTES).toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1'),
  );

const hostOf = (from: string): string | null => /@([^\s@<>"(),:;]{1,255})>?$/.exec(from)?.[1] ?? null;

/**
 * The recipients that a complaint names (Original-Rcpt-To, and To and Cc of the returned mail) are no clue: one of several
 * recipients can write the addresses of the others there.
 */
const cluesIn = (report: string, head: string): Clues => {
  const fields = readFields(head);
  return {
    // Receivers write the return path into Return-Path, into Received, and into fields of their own.
    returnPaths: [...new Set([...originalSenders(report, MAX_CLUES), ...returnPathsIn(head, MAX_CLUES)])],
    feedbackIds: [fields, readFields(report)].flatMap((one) => fieldValue(one, 'cfbl-feedback-id') ?? []),
    unsubscribeTokens: unsubscribeTokensIn(fieldValue(fields, 'list-unsubscribe') ?? '', MAX_CLUES),
    messageId: fieldValue(fields, 'message-id'),
    fromHost: hostOf(fieldValue(fields, 'from') ?? ''),
  };
};

/** Null where the mail is none of these. */
export const readComplaint = async (
  source: Buffer,
): Promise<ReceivedComplaint | SubscriptionRequest | null> => {
  const message = await parseMessage(source.subarray(0, MAX_READ_BYTES), 'keep').catch(() => null);
  if (message === null) return null;
  const parts = leavesOf(message.root);
  const returned = returnedMailIn(parts);
  const head = returned ? returnedHead(returned.content) : '';
  const reports = parts.flatMap(({ type, content }) =>
    type === 'message/feedback-report' ? [content.toString('latin1')] : [],
  );
  for (const report of reports) {
    const feedback = readFeedbackReport(report);
    if (feedback) return { report: { kind: 'feedback', feedback }, clues: cluesIn(report, head) };
  }
  const feedback = complaintWithoutReport(readFields(headOf(source)), parts);
  if (feedback) return { report: { kind: 'feedback', feedback }, clues: cluesIn('', head) };
  const notice = sesNoticeIn(parts);
  if (notice)
    return {
      report: { kind: 'relay_event', found: notice.found },
      clues: { returnPaths: notice.returnPaths },
    };
  const subscriptionLink = subscriptionLinkIn(parts);
  return subscriptionLink === null ? null : { subscriptionLink };
};

/** What leads to the message that a stranger reports: they send the mail itself, or a report with it inside. */
export const cluesOfReported = async (source: Buffer): Promise<Clues> => {
  const complaint = await readComplaint(source).catch(() => null);
  if (complaint !== null && 'clues' in complaint) return complaint.clues;
  const own = cluesIn('', returnedHead(source));
  const message = await parseMessage(source.subarray(0, MAX_READ_BYTES), 'keep').catch(() => null);
  const returned = message === null ? undefined : returnedMailIn(leavesOf(message.root));
  if (returned === undefined) return own;
  const inside = cluesIn('', returnedHead(returned.content));
  return {
    returnPaths: [...(own.returnPaths ?? []), ...(inside.returnPaths ?? [])],
    feedbackIds: [...(own.feedbackIds ?? []), ...(inside.feedbackIds ?? [])],
    unsubscribeTokens: [...(own.unsubscribeTokens ?? []), ...(inside.unsubscribeTokens ?? [])],
    messageId: inside.messageId ?? own.messageId ?? null,
    fromHost: inside.fromHost ?? own.fromHost ?? null,
  };
};
