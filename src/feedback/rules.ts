// What a report means for the recipient it is about (decisions 4). Pure.
//
// Reports come late, twice, out of order, and before the relay's own 250 has been written down. So each kind of news is
// taken in once for a recipient: what was heard before changes nothing, and neither what is counted of it. Only delays may
// be told once more for each time that the mail was handed over.
import type { EventType } from '#src/events/schema.ts';
import { type FeedbackReport, isComplaint } from '#src/mail/arf.ts';
import { classifyBounce } from '#src/mail/bounce-class.ts';
import { type RecipientStatus, replyOf } from '#src/mail/dsn.ts';
import type { Reply } from '#src/mail/reply.ts';
import {
  after,
  eventOf,
  type Heard,
  type Signal,
  type Status,
  signalOf,
  standingOf,
  statusOf,
} from '#src/messages/rules.ts';
import type { SuppressionReason } from '#src/suppressions/rules.ts';

/** What a mail that came to a return path is. */
export type Report =
  /** RFC 3464; at least one. */
  | { readonly kind: 'delivery_status'; readonly recipients: readonly RecipientStatus[] }
  /** RFC 5965 */
  | { readonly kind: 'feedback'; readonly feedback: FeedbackReport }
  /** RFC 3834 */
  | { readonly kind: 'auto_reply' }
  /** A person's reply to an address nobody reads, or a form that is not understood. */
  | { readonly kind: 'other' };

/** Of the recipient whose return path it came to. */
export interface RecipientFacts {
  readonly address: string;
  readonly status: Status;
  /** What has been heard before, in its order. */
  readonly heard: readonly Heard[];
  /** It is the simulator's: nothing is suppressed, so that the next test goes out too. */
  readonly isSimulator: boolean;
  /** The service's own mail: nobody is kept from the codes they sign in with. */
  readonly isOwn: boolean;
}

export interface Consequence {
  readonly status: Status;
  readonly event: EventType;
  /** An earlier event of that name told of the recipient as well: followers and counters pass it over. */
  readonly repeated: boolean;
  /** The other side's words; null where it said nothing of its own. */
  readonly reply: Reply | null;
  /** The rule that classified a bounce. */
  readonly rule: string | null;
  readonly suppress: SuppressionReason | null;
  /** The mail's fate is known: it is not to be sent again. */
  readonly isFinal: boolean;
}

/** Once more after each hand-over, and not because the same notice came twice. */
const isNews = (heard: readonly Heard[], signal: Signal): boolean => {
  const told = heard.map(signalOf);
  const last = told.lastIndexOf(signal);
  return last === -1 || (signal === 'delayed' && last < told.lastIndexOf('accepted'));
};

const consequenceFor = (
  { status, heard }: RecipientFacts,
  signal: Signal,
  more: Partial<Consequence> = {},
): Consequence | null => {
  if (!isNews(heard, signal)) return null;
  const event = eventOf(signal);
  return {
    status: statusOf(
      after(
        standingOf(status, () => heard),
        signal,
      ),
    ),
    event,
    repeated: heard.some(({ type }) => type === event),
    reply: null,
    rule: null,
    suppress: null,
    isFinal: true,
    ...more,
  };
};

const afterFailure = (facts: RecipientFacts, reply: Reply): Consequence | null => {
  const { class: kind, rule } = classifyBounce(reply);
  return kind === 'hard'
    ? consequenceFor(facts, 'hard_bounced', { reply, rule, suppress: 'hard_bounce' })
    : consequenceFor(facts, 'soft_bounced', { reply, rule });
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

const afterStatus = (facts: RecipientFacts, recipients: readonly RecipientStatus[]): Consequence | null => {
  const own = ownStatus(recipients, facts.address);
  if (own === undefined) return null;
  switch (own.action) {
    // It went to where nothing more will be told: not delivered, not failed (RFC 3464 §2.3.3).
    case 'relayed':
    case 'expanded':
      return null;
    case 'delivered':
      return consequenceFor(facts, 'delivered');
    case 'delayed':
      return consequenceFor(facts, 'delayed', { reply: replyOf(own), isFinal: false });
    case 'failed':
      return afterFailure(facts, replyOf(own));
    default:
      return own.action satisfies never;
  }
};

const consequence = (report: Report, facts: RecipientFacts): Consequence | null => {
  switch (report.kind) {
    case 'delivery_status':
      return afterStatus(facts, report.recipients);
    case 'feedback':
      return isComplaint(report.feedback)
        ? consequenceFor(facts, 'spam_complaint', { suppress: 'complaint' })
        : null;
    case 'auto_reply':
      return consequenceFor(facts, 'auto_replied', { isFinal: false });
    case 'other':
      return null;
    default:
      return report satisfies never;
  }
};

/** Null: it changes nothing. */
export const consequenceOf = (report: Report, facts: RecipientFacts): Consequence | null => {
  const found = consequence(report, facts);
  return found && (facts.isSimulator || facts.isOwn) ? { ...found, suppress: null } : found;
};
