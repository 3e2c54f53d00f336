// What a report means for the recipient it is about (decisions 4). Pure.
//
// Reports come late, twice, out of order, and before the relay's own 250 has been written down. So each kind of news is
// taken in once for a recipient: what was heard before changes nothing.
import { type FeedbackReport, isComplaint } from '#src/mail/arf.ts';
import { classifyBounce, findBounceRule } from '#src/mail/bounce-class.ts';
import type { BounceNotice } from '#src/mail/bounce-notice.ts';
import { type RecipientStatus, replyOf, underivedReply } from '#src/mail/dsn.ts';
import type { Reply } from '#src/mail/reply.ts';
import { type Signal, type SignalEvent, signalOf } from '#src/messages/rules.ts';

/** What came back of a mail. */
export type Report =
  /** RFC 3464; at least one. */
  | { readonly kind: 'delivery_status'; readonly recipients: readonly RecipientStatus[] }
  /** A server's letter to people. */
  | { readonly kind: 'bounce'; readonly notice: BounceNotice }
  /** RFC 5965 */
  | { readonly kind: 'feedback'; readonly feedback: FeedbackReport }
  /** RFC 3834 */
  | { readonly kind: 'auto_reply' }
  /** By who has judged it already: a relay that tells of what becomes of its mail in a form of its own. */
  | { readonly kind: 'told'; readonly found: Consequence }
  /** A person's reply to an address nobody reads, or a form that is not understood. */
  | { readonly kind: 'other' };

/** Of the recipient whose return path it came to. */
export interface RecipientFacts {
  readonly address: string;
  /** What has been heard before, in its order. */
  readonly heard: readonly SignalEvent[];
}

export interface Consequence {
  readonly signal: Signal;
  /** The other side's words; null where it said nothing of its own. */
  readonly reply: Reply | null;
  /** The rule that classified a bounce. */
  readonly rule: string | null;
}

const tells = (signal: Signal, { reply = null, rule = null }: Partial<Consequence> = {}): Consequence => ({
  signal,
  reply,
  rule,
});

/** `judged`: the words that tell, where they are others than those that are kept. */
const afterFailure = (reply: Reply, speaker: string | null, judged = reply): Consequence => {
  const { class: kind, rule } = classifyBounce(judged, speaker);
  return tells(kind === 'hard' ? 'hard_bounced' : 'soft_bounced', { reply, rule });
};

/** A status that was made of the reply code is believed only where the reply's own words tell nothing. */
const afterFailedStatus = (own: RecipientStatus): Consequence => {
  const reply = replyOf(own);
  const words = underivedReply(own);
  const tellsMore = words !== null && findBounceRule(words, own.remoteMta) !== undefined;
  return afterFailure(reply, own.remoteMta, tellsMore ? words : reply);
};

/** The one that bears the recipient's address; after forwarding none does, and the first speaks for it. */
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
    // It went to where nothing more will be told: not delivered, not failed (RFC 3464 §2.3.3).
    case 'relayed':
    case 'expanded':
      return null;
    case 'delivered':
      return tells('delivered');
    case 'delayed':
      return tells('delayed', { reply: replyOf(own) });
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
        ? tells('delayed', { reply: report.notice.reply })
        : afterFailure(report.notice.reply, null);
    case 'feedback':
      return isComplaint(report.feedback) ? tells('spam_complaint') : null;
    case 'auto_reply':
      return tells('auto_replied');
    case 'told':
      return report.found;
    case 'other':
      return null;
    default:
      return report satisfies never;
  }
};

/** Null: it changes nothing. */
export const consequenceOf = (report: Report, { address, heard }: RecipientFacts): Consequence | null => {
  const found = meaningOf(report, address);
  const isKnown = found !== null && heard.some((one) => signalOf(one) === found.signal);
  return isKnown ? null : found;
};
