// Writes abuse reports (ARF, RFC 5965), and reads the part with their fields. It does not decide which message a report is
// about or what follows. Pure.
import { fieldValue, readFields, typedValue } from './field-block.ts';
import { type ReportHead, writeReport } from './report.ts';

export interface FeedbackReport {
  /** The type in lower case: `abuse`, `fraud`, `virus`, `other`, `not-spam` (RFC 6430), `auth-failure` (RFC 6591), `opt-out`. */
  readonly feedbackType: string;
  /** The address without angle brackets; null if it was redacted (RFC 6590) or is absent. */
  readonly originalMailFrom: string | null;
}

/** RFC 6449 §4: the recipient does not want such mail. The other types mean something else. */
const COMPLAINTS = new Set(['abuse', 'fraud']);
/** Unregistered types. Yahoo and the universal feedback loops use the second if the person used the provider's button. */
const OPT_OUTS = new Set(['opt-out', 'opt-out-list']);
export const isComplaint = ({ feedbackType }: FeedbackReport): boolean => COMPLAINTS.has(feedbackType);

/** The person wants no more such mail, but does not report it as spam. */
export const isOptOut = ({ feedbackType }: FeedbackReport): boolean => OPT_OUTS.has(feedbackType);

/** The field is `<a@b.example>`; some write `rfc822; a@b.example`. */
const addressIn = (value: string): string => typedValue(value).text.replace(/^<|>$/g, '').trim();

/** Null if the part has no type, because it then says nothing. */
export const readFeedbackReport = (part: string): FeedbackReport | null => {
  const fields = readFields(part);
  const feedbackType = /^[a-z][a-z-]{0,30}/.exec(
    fieldValue(fields, 'feedback-type')?.toLowerCase() ?? '',
  )?.[0];
  if (feedbackType === undefined) return null;
  const from = addressIn(fieldValue(fields, 'original-mail-from') ?? '');
  return { feedbackType, originalMailFrom: from === '' ? null : from };
};

/** The envelope senders that a report names, without brackets, at most `limit`. */
export const originalSenders = (part: string, limit: number): string[] =>
  readFields(part)
    .flatMap(({ name, value }) => (name === 'original-mail-from' ? [addressIn(value)] : []))
    .filter((address) => address !== '')
    .slice(0, limit);

export interface Complaint {
  readonly originalMailFrom: string;
  readonly originalRecipient: string;
  /** ms */
  readonly arrivedAt: number;
  /** Product and version, as in RFC 5965 §3.1. */
  readonly userAgent: string;
  /** ASCII. */
  readonly words: string;
  readonly originalHead: string;
}

export const writeComplaint = (head: ReportHead, complaint: Complaint): Buffer =>
  writeReport(head, {
    type: 'feedback-report',
    words: complaint.words,
    blocks: [
      [
        ['Feedback-Type', 'abuse'],
        ['User-Agent', complaint.userAgent],
        ['Version', '1'],
        ['Original-Mail-From', `<${complaint.originalMailFrom}>`],
        ['Original-Rcpt-To', `<${complaint.originalRecipient}>`],
        ['Arrival-Date', new Date(complaint.arrivedAt).toUTCString().replace('GMT', '+0000')],
      ],
    ],
    originalHead: complaint.originalHead,
  });
