// What a report means for the recipient it is about. Pure.
//
// Reports come late, twice, out of order, and before the relay's own 250 has been stored. So each signal is applied once
// per recipient: a repetition changes nothing.
import { type FeedbackReport, isComplaint } from '#src/mail/arf.ts';
import { classifyBounce } from '#src/mail/bounce-class.ts';
import { type BounceNotice, statusIn } from '#src/mail/bounce-notice.ts';
import type { RecipientStatus } from '#src/mail/dsn.ts';
import type { Reply } from '#src/mail/reply.ts';
import { judgedReply, replyOf } from '#src/mail/reported-reply.ts';
import { type Signal, type SignalEvent, signalOf } from '#src/messages/rules.ts';

/** What came back about a mail. */
export type Report =
  /** RFC 3464; at least one recipient. `words` is the text for people. */
  | {
      readonly kind: 'delivery_status';
      readonly recipients: readonly RecipientStatus[];
      readonly words: string;
    }
  /** A notice that a server wrote for people. */
  | { readonly kind: 'bounce'; readonly notice: BounceNotice }
  /** RFC 5965 */
  | { readonly kind: 'feedback'; readonly feedback: FeedbackReport }
  /** RFC 3834 */
  | { readonly kind: 'auto_reply' }
  /** An event that a relay sends by HTTP or mail and has judged already. */
  | { readonly kind: 'relay_event'; readonly found: Consequence }
  /** A person's reply to an address that is not read, or an unknown form. */
  | { readonly kind: 'other' };

/** About the recipient whose return path the report came to. */
export interface RecipientFacts {
  readonly address: string;
  /** The events in the order in which they were stored. */
  readonly events: readonly SignalEvent[];
  /** The report is a complaint of someone who has not proved who they are: one of someone who has is news after it. */
  readonly isUncounted?: boolean;
}

export interface Consequence {
  readonly signal: Signal;
  /** The reply of the receiving server; null where the report quotes none. */
  readonly reply: Reply | null;
  /** The rule that classified a bounce. */
  readonly rule: string | null;
}

const consequence = (
  signal: Signal,
  { reply = null, rule = null }: Partial<Consequence> = {},
): Consequence => ({
  signal,
  reply,
  rule,
});

/** `judged` is the reply to classify, where it differs from the one to keep. */
const afterFailure = (reply: Reply, speaker: string | null, judged = reply): Consequence => {
  const { class: kind, rule } = classifyBounce(judged, speaker);
  return consequence(kind === 'hard' ? 'hard_bounced' : 'soft_bounced', { reply, rule });
};

/** The statuses with the recipient's address; behind a list or a forwarding there is none, and all count. */
const ownStatuses = (all: readonly RecipientStatus[], address: string): readonly RecipientStatus[] => {
  const wanted = address.toLowerCase();
  const own =
    all.find(({ originalRecipient }) => originalRecipient === wanted) ??
    all.find(({ finalRecipient }) => finalRecipient === wanted);
  return own === undefined ? all : [own];
};

const afterStatus = (own: RecipientStatus, words: string): Consequence | null => {
  switch (own.action) {
    // No more reports will follow: neither delivered nor failed (RFC 3464 §2.3.3).
    case 'relayed':
    case 'expanded':
      return null;
    case 'delivered':
      return consequence('delivered');
    case 'delayed':
      return consequence('delayed', { reply: replyOf(own) });
    case 'failed':
      return afterFailure(replyOf(own), own.remoteMta, judgedReply(own, words));
    default:
      return own.action satisfies never;
  }
};

/** Mildest first. While one recipient behind our address is reached, the address lives. */
const SEVERITY: readonly (Signal | undefined)[] = [
  'delivered',
  undefined,
  'delayed',
  'soft_bounced',
  'hard_bounced',
];
const severity = (found: Consequence | null): number => SEVERITY.indexOf(found?.signal);

/** Each is compared with all words of the tables. */
const MAX_JUDGED = 10;
/** One mail may come to many of our addresses; what its statuses mean is the same for all. */
const judged = new WeakMap<RecipientStatus, Consequence | null>();

const meaningOfStatus = (own: RecipientStatus, words: string): Consequence | null => {
  const known = judged.get(own);
  if (known !== undefined) return known;
  const found = afterStatus(own, words);
  judged.set(own, found);
  return found;
};

const afterStatuses = (
  address: string,
  { recipients, words }: Extract<Report, { kind: 'delivery_status' }>,
): Consequence | null => {
  const own = ownStatuses(recipients, address);
  // Statuses other than a failure are less serious than any failure, and need no judgement.
  const reached = own.filter(({ action }) => action !== 'failed');
  return (reached.length > 0 ? reached : own.slice(0, MAX_JUDGED))
    .map((one) => meaningOfStatus(one, words))
    .reduce((mildest, one) => (severity(one) < severity(mildest) ? one : mildest));
};

const meaningOf = (report: Report, address: string): Consequence | null => {
  switch (report.kind) {
    case 'delivery_status':
      return afterStatuses(address, report);
    case 'bounce': {
      const own = statusIn(report.notice, address);
      return own === null ? null : afterStatus(own, report.notice.reason);
    }
    case 'feedback':
      return isComplaint(report.feedback) ? consequence('spam_complaint') : null;
    case 'auto_reply':
      return consequence('auto_replied');
    case 'relay_event':
      return report.found;
    case 'other':
      return null;
    default:
      return report satisfies never;
  }
};

/** Null where the report changes nothing. */
export const consequenceOf = (
  report: Report,
  { address, events, isUncounted = false }: RecipientFacts,
): Consequence | null => {
  const found = meaningOf(report, address);
  const isNews = (event: SignalEvent): boolean => !isUncounted && event.counted === false;
  const isKnown =
    found !== null && events.some((event) => signalOf(event) === found.signal && !isNews(event));
  return isKnown ? null : found;
};
