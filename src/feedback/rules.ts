// What a report means for the recipient it is about (decisions 4). Pure.
//
// Reports come late, twice, out of order, and before the relay's own 250 has been stored. So each signal is applied once
// per recipient: a repetition changes nothing.
import { type FeedbackReport, isComplaint } from '#src/mail/arf.ts';
import { classifyBounce, findBounceRule } from '#src/mail/bounce-class.ts';
import type { BounceNotice } from '#src/mail/bounce-notice.ts';
import { type RecipientStatus, replyOf, underivedReply } from '#src/mail/dsn.ts';
import type { Reply } from '#src/mail/reply.ts';
import { type Signal, type SignalEvent, signalOf } from '#src/messages/rules.ts';

/** What came back about a mail. */
export type Report =
  /** RFC 3464; at least one. */
  | { readonly kind: 'delivery_status'; readonly recipients: readonly RecipientStatus[] }
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
  /** In the order in which they were stored. */
  readonly events: readonly SignalEvent[];
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

/** A status that was derived from the reply code counts only where no rule matches the reply's text. */
const afterFailedStatus = (own: RecipientStatus): Consequence => {
  const reply = replyOf(own);
  const underived = underivedReply(own);
  const isClearer = underived !== null && findBounceRule(underived, own.remoteMta) !== undefined;
  return afterFailure(reply, own.remoteMta, isClearer ? underived : reply);
};

/** The status with the recipient's address; after forwarding there is none, and the first one counts. */
const ownStatus = (all: readonly RecipientStatus[], address: string): RecipientStatus | undefined => {
  const wanted = address.toLowerCase();
  return (
    all.find(({ originalRecipient }) => originalRecipient === wanted) ??
    all.find(({ finalRecipient }) => finalRecipient === wanted) ??
    all[0]
  );
};

const afterStatus = (address: string, recipients: readonly RecipientStatus[]): Consequence | null => {
  const own = ownStatus(recipients, address);
  if (own === undefined) return null;
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
      return afterFailedStatus(own);
    default:
      return own.action satisfies never;
  }
};

const meaningOf = (report: Report, address: string): Consequence | null => {
  switch (report.kind) {
    case 'delivery_status':
      return afterStatus(address, report.recipients);
    case 'bounce':
      return report.notice.action === 'delayed'
        ? consequence('delayed', { reply: report.notice.reply })
        : afterFailure(report.notice.reply, null);
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
export const consequenceOf = (report: Report, { address, events }: RecipientFacts): Consequence | null => {
  const found = meaningOf(report, address);
  const isKnown = found !== null && events.some((event) => signalOf(event) === found.signal);
  return isKnown ? null : found;
};
