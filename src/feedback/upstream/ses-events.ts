// Events of Amazon SES: as notifications of an identity (`notificationType`) or by a configuration set (`eventType`); both
// have the same objects. Unknown fields are ignored. Pure.
//
// Which bounces are hard: SES calls refusals of content and policy `Permanent` too, so the receiver's codes and text decide
// where there are any, as in a delivery status notification. The subtype decides only where they are missing, or are from
// SES itself because it did not even try.
import { z } from 'zod';
import { isComplaint } from '#src/mail/arf.ts';
import { classifyBounce } from '#src/mail/bounce-class.ts';
import type { Reply } from '#src/mail/reply.ts';
import type { Consequence } from '../rules.ts';
import { MAX_EVENTS, type RelayEvent, replyFrom } from './relay-event.ts';

const words = z.string().max(65_536).nullish();
const recipients = z
  .array(z.object({ emailAddress: words, status: words, diagnosticCode: words }))
  .max(MAX_EVENTS)
  .prefault([]);
type SesRecipient = z.output<typeof recipients>[number];

/** Other fields are ignored. */
export const sesEvent = z.object({
  notificationType: words,
  eventType: words,
  mail: z.object({
    source: words.describe('MAIL FROM'),
    destination: z.array(z.string().max(998)).max(MAX_EVENTS).nullish(),
    headers: z
      .array(z.object({ name: words, value: words }))
      .max(MAX_EVENTS)
      .nullish(),
    commonHeaders: z.object({ messageId: words }).nullish(),
  }),
  bounce: z.object({ bounceType: words, bounceSubType: words, bouncedRecipients: recipients }).optional(),
  complaint: z
    .object({ complaintSubType: words, complaintFeedbackType: words, complainedRecipients: recipients })
    .optional(),
  delivery: z
    .object({ recipients: z.array(z.string().max(998)).max(MAX_EVENTS).prefault([]), smtpResponse: words })
    .optional(),
  deliveryDelay: z.object({ delayedRecipients: recipients }).optional(),
  reject: z.object({ reason: words }).optional(),
});
export type SesEvent = z.output<typeof sesEvent>;

interface SubTypeRule {
  readonly type: 'Permanent' | 'Transient';
  readonly subTypes: readonly string[];
  readonly class: 'hard' | 'soft';
  readonly rule: string;
  /** Codes in the event are those of SES, not of a receiver, and do not count. */
  readonly always?: true;
  readonly why: string;
}

const subTypeRules: readonly SubTypeRule[] = [
  {
    type: 'Permanent',
    subTypes: ['Suppressed'],
    class: 'hard',
    rule: 'unknown_address',
    always: true,
    why: 'on the global list of SES: it has recently bounced as an address that does not exist',
  },
  {
    type: 'Permanent',
    subTypes: ['OnAccountSuppressionList', 'UnsubscribedRecipient'],
    class: 'soft',
    rule: 'relay_suppression',
    always: true,
    why: 'not tried, for a bounce, complaint or wish that may be of another practice; the 5.1.1 beside it is made up',
  },
  {
    type: 'Permanent',
    subTypes: ['NoEmail'],
    class: 'hard',
    rule: 'unknown_address',
    why: 'the bounce did not name the address, only that it is none',
  },
  {
    type: 'Permanent',
    subTypes: ['General'],
    class: 'hard',
    rule: 'unknown_address',
    why: 'a hard bounce without a reason: SES asks that the address be written to no more',
  },
  {
    type: 'Transient',
    subTypes: ['MailboxFull'],
    class: 'soft',
    rule: 'mailbox_full',
    why: 'its name',
  },
  {
    type: 'Transient',
    subTypes: ['MessageTooLarge'],
    class: 'soft',
    rule: 'too_large',
    why: 'its name',
  },
  {
    type: 'Transient',
    subTypes: ['ContentRejected', 'AttachmentRejected'],
    class: 'soft',
    rule: 'content',
    why: 'its name',
  },
  {
    type: 'Transient',
    subTypes: ['CustomTimeoutExceeded'],
    class: 'soft',
    rule: 'expired',
    why: 'given up after the time that the operator has set',
  },
];

const bounced = (kind: 'hard' | 'soft', rule: string, reply: Reply | null): Consequence => ({
  signal: kind === 'hard' ? 'hard_bounced' : 'soft_bounced',
  reply,
  rule,
});

const afterBounce = (
  { bounceType, bounceSubType }: NonNullable<SesEvent['bounce']>,
  reply: Reply | null,
): Consequence | null => {
  const row = subTypeRules.find(
    ({ type, subTypes }) => type === bounceType && subTypes.includes(bounceSubType ?? ''),
  );
  if (row?.always) return bounced(row.class, row.rule, reply);
  if (reply !== null) {
    const { class: kind, rule } = classifyBounce(reply);
    return bounced(bounceType === 'Permanent' ? kind : 'soft', rule, reply);
  }
  if (row !== undefined) return bounced(row.class, row.rule, null);
  // An automatic reply of a recipient also comes as `Transient`, `General`, and nothing distinguishes the two.
  return bounceType === 'Transient' ? null : bounced('soft', 'unknown', null);
};

const afterComplaint = ({
  complaintSubType,
  complaintFeedbackType,
}: NonNullable<SesEvent['complaint']>): Consequence | null => {
  // The mail was not sent, because the recipient complained about earlier mail of the account, not about this one.
  if (complaintSubType === 'OnAccountSuppressionList') return bounced('soft', 'relay_suppression', null);
  // Most providers give no type.
  const feedbackType = complaintFeedbackType?.toLowerCase() || 'abuse';
  return isComplaint({ feedbackType, originalMailFrom: null })
    ? { signal: 'spam_complaint', reply: null, rule: null }
    : null;
};

interface OfRecipient {
  readonly address: string | null;
  readonly found: Consequence | null;
}

const ofEach = (
  list: readonly SesRecipient[],
  meaning: (reply: Reply | null) => Consequence | null,
): OfRecipient[] =>
  list.map(({ emailAddress, status, diagnosticCode }) => ({
    address: emailAddress ?? null,
    found: meaning(replyFrom(diagnosticCode, status)),
  }));

const outcomes = (event: SesEvent): OfRecipient[] => {
  const { bounce, complaint, delivery, deliveryDelay, reject, mail } = event;
  switch (event.eventType ?? event.notificationType) {
    case 'Bounce':
      return bounce ? ofEach(bounce.bouncedRecipients, (reply) => afterBounce(bounce, reply)) : [];
    case 'Complaint':
      return complaint ? ofEach(complaint.complainedRecipients, () => afterComplaint(complaint)) : [];
    case 'Delivery': {
      const reply = replyFrom(delivery?.smtpResponse, null);
      return (delivery?.recipients ?? []).map((address) => ({
        address,
        found: { signal: 'delivered', reply, rule: null },
      }));
    }
    case 'DeliveryDelay':
      return ofEach(deliveryDelay?.delayedRecipients ?? [], (reply) => ({
        signal: 'delayed',
        reply,
        rule: null,
      }));
    // SES accepted the mail, then found a virus.
    case 'Reject':
      return (mail.destination ?? []).map((address) => ({
        address,
        found: bounced('soft', 'content', replyFrom(reject?.reason, null)),
      }));
    // Sends, opens and clicks: the service knows them itself.
    default:
      return [];
  }
};

const messageIdOf = ({ mail }: SesEvent): string | null =>
  mail.headers?.find(({ name }) => name?.toLowerCase() === 'message-id')?.value ??
  mail.commonHeaders?.messageId ??
  null;

export const readSesEvent = (event: SesEvent): RelayEvent[] => {
  const messageId = messageIdOf(event);
  const returnPaths = event.mail.source ? [event.mail.source.replace(/^<|>$/g, '')] : [];
  return outcomes(event).map(({ address, found }) => ({
    clues: { returnPaths, messageId, recipients: address === null ? [] : [address] },
    found,
  }));
};
