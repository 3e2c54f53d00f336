// What came back, in vendor B's types of bounces: the one table of them. Pure.
import type { EventType } from '#src/events/catalogue.ts';
import type { EventData } from '#src/events/store.ts';

interface BounceType {
  readonly code: number;
  readonly name: string;
  readonly description: string;
}

export const bounceTypes = {
  HardBounce: {
    code: 1,
    name: 'Hard bounce',
    description: 'The receiving server refuses for good: the address does not exist or takes no mail.',
  },
  Transient: {
    code: 2,
    name: 'Message delayed/Undeliverable',
    description: 'The message could not be delivered in the time for attempts.',
  },
  Unsubscribe: { code: 16, name: 'Unsubscribe request', description: 'The recipient unsubscribed.' },
  AutoResponder: { code: 64, name: 'Auto responder', description: 'An automatic reply came back.' },
  DnsError: { code: 256, name: 'DNS error', description: 'The domain of the address takes no mail.' },
  SpamNotification: {
    code: 512,
    name: 'Spam notification',
    description: 'The receiving server refuses the content.',
  },
  SoftBounce: {
    code: 4096,
    name: 'Soft bounce',
    description: 'The message came back for a reason that may pass: mailbox full, policy, size.',
  },
  SpamComplaint: {
    code: 100001,
    name: 'Spam complaint',
    description: 'The recipient reported the message as spam.',
  },
  Blocked: { code: 100006, name: 'ISP block', description: 'The receiving server blocks the sender.' },
  DMARCPolicy: {
    code: 100009,
    name: 'DMARC Policy',
    description: 'The receiving server refuses the message because of SPF, DKIM or DMARC.',
  },
} as const satisfies Readonly<Record<string, BounceType>>;

export type BounceTypeName = keyof typeof bounceTypes;
export const bounceTypeNames = Object.keys(bounceTypes) as [BounceTypeName, ...BounceTypeName[]];

/** Types of that API that nothing has here: asking for one finds none. */
export const typesOfNone = [
  'Subscribe',
  'AddressChange',
  'OpenRelayTest',
  'Unknown',
  'VirusNotification',
  'ChallengeVerification',
  'BadEmailAddress',
  'ManuallyDeactivated',
  'Unconfirmed',
  'SMTPApiError',
  'InboundError',
  'TemplateRenderingFailed',
] as const;

/** The type of a soft bounce by the rule that classified it (mail/bounce-class.ts); one by another rule is a `SoftBounce`. */
const softBounces: Readonly<Record<string, BounceTypeName>> = {
  auth_policy: 'DMARCPolicy',
  block: 'Blocked',
  content: 'SpamNotification',
  expired: 'Transient',
  greylisted: 'Transient',
  network: 'Transient',
  throttled: 'Transient',
  unknown_domain: 'DnsError',
};

/** Null where nothing came back: a repeated report, or a message that was cancelled or blocked. */
export const bounceTypeOf = (type: EventType, data: EventData): BounceTypeName | null => {
  if (data.repeated) return null;
  switch (type) {
    case 'message.hard_bounced':
      return 'HardBounce';
    case 'message.soft_bounced':
      return softBounces[data.rule ?? ''] ?? 'SoftBounce';
    case 'message.failed':
      return data.attempt === undefined ? null : 'Transient';
    case 'message.spam_complaint':
      return 'SpamComplaint';
    case 'message.unsubscribed':
      return 'Unsubscribe';
    case 'message.auto_replied':
      return 'AutoResponder';
    default:
      return null;
  }
};
