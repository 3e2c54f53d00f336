// A mail to the address for complaints: a report of abuse (RFC 5965), or one of Microsoft's, which is none but bears the
// mail in question; and all in it that may tell whose copy that was. Nothing is believed here: what is proof and what is
// not is told apart by locate.ts. Never rejects.
import { type FeedbackReport, originalSenders, readFeedbackReport } from '#src/mail/arf.ts';
import { unsubscribeTokensIn } from '#src/mail/copy-links.ts';
import { fieldValue, headOf, readFields } from '#src/mail/field-block.ts';
import { leavesOf, parseMessage } from '#src/mail/mime-parts.ts';
import { returnPathsIn } from '#src/mail/verp.ts';
import type { Clues } from './locate.ts';

export interface ReceivedComplaint {
  readonly feedback: FeedbackReport;
  readonly clues: Clues;
}

/** What matters stands before the body of the returned mail. */
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
 * The Junk Mail Reporting Program of Outlook.com sends what people have called spam as an attached message (Smart
 * Network Data Services, "Junk Mail Reporting Program").
 */
const MICROSOFT = /^[^<]{0,200}<?staff@hotmail\.com>?$/i;

/** The header of the returned mail; its line ends may have been changed on the way. */
const returnedHead = (content: Buffer): string =>
  headOf(
    Buffer.from(content.subarray(0, MAX_HEAD_BYTES).toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1'),
  );

const hostOf = (from: string): string | null => /@([^\s@<>"(),:;]{1,255})>?$/.exec(from)?.[1] ?? null;

/**
 * Whom it says that the mail went to (Original-Rcpt-To, and To and Cc of the returned mail) is no clue: whoever got the mail
 * with others can write their addresses there.
 */
const cluesIn = (report: string, head: string): Clues => {
  const fields = readFields(head);
  return {
    // Receivers put it into Return-Path, into Received, into fields of their own.
    returnPaths: [...new Set([...originalSenders(report, MAX_CLUES), ...returnPathsIn(head, MAX_CLUES)])],
    unsubscribeTokens: unsubscribeTokensIn(fieldValue(fields, 'list-unsubscribe') ?? '', MAX_CLUES),
    messageId: fieldValue(fields, 'message-id'),
    fromHost: hostOf(fieldValue(fields, 'from') ?? ''),
  };
};

/** Null where it reports nothing. */
export const readComplaint = async (source: Buffer): Promise<ReceivedComplaint | null> => {
  const message = await parseMessage(source.subarray(0, MAX_READ_BYTES), 'keep').catch(() => null);
  if (message === null) return null;
  const parts = leavesOf(message.root);
  const returned = parts.find(({ type }) => RETURNED.has(type));
  const head = returned ? returnedHead(returned.content) : '';
  const reports = parts.flatMap(({ type, content }) =>
    type === 'message/feedback-report' ? [content.toString('latin1')] : [],
  );
  for (const report of reports) {
    const feedback = readFeedbackReport(report);
    if (feedback) return { feedback, clues: cluesIn(report, head) };
  }
  const from = fieldValue(readFields(headOf(source)), 'from') ?? '';
  if (returned === undefined || !MICROSOFT.test(from)) return null;
  return { feedback: { feedbackType: 'abuse', originalMailFrom: null }, clues: cluesIn('', head) };
};
