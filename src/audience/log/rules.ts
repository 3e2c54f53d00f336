// What an event in the log means for campaigns and for subscriptions. Pure.
import type { SubscriberStatus } from '#src/audience/subscribers/store.ts';
import type { EventType } from '#src/events/catalogue.ts';
import type { Channel } from '#src/messages/kinds.ts';

/** Recipients of a campaign: each counts once a name. `refused`: bounced in our own attempt, so never sent. */
export type CounterName =
  | 'sent'
  | 'refused'
  | 'delivered'
  | 'opened'
  | 'clicked'
  | 'unsubscribed'
  | 'soft_bounced'
  | 'hard_bounced'
  | 'complained'
  | 'failed'
  | 'suppressed';

const counterOf: Readonly<Partial<Record<EventType, CounterName>>> = {
  'message.sent': 'sent',
  'message.delivered': 'delivered',
  'message.opened': 'opened',
  'message.clicked': 'clicked',
  'message.unsubscribed': 'unsubscribed',
  'message.soft_bounced': 'soft_bounced',
  'message.hard_bounced': 'hard_bounced',
  'message.spam_complaint': 'complained',
  'message.failed': 'failed',
  'message.suppressed': 'suppressed',
};

export const isCounted = (type: EventType): boolean => counterOf[type] !== undefined;

export interface EventFacts {
  readonly type: EventType;
  /** True where our own attempt was answered. */
  readonly own: boolean;
  /** An earlier event says the same of the recipient. */
  readonly repeated: boolean;
  /** An open came before this click. */
  readonly hasOpened: boolean;
}

/** The names that the event adds one to. A click implies an open. */
export const countersOf = ({ type, own, repeated, hasOpened }: EventFacts): readonly CounterName[] => {
  const name = counterOf[type];
  if (name === undefined || repeated) return [];
  if (name === 'clicked') return hasOpened ? ['clicked'] : ['opened', 'clicked'];
  const isRefusal = own && (name === 'hard_bounced' || name === 'soft_bounced');
  return isRefusal ? ['refused', name] : [name];
};

/** What the event ends, of a person on lists. */
export interface Ending {
  readonly status: Extract<SubscriberStatus, 'unsubscribed' | 'bounced' | 'complained'>;
  readonly way: 'unsubscribe' | 'bounce' | 'complaint';
}

export const endingOf = (type: EventType): Ending | null => {
  switch (type) {
    case 'message.unsubscribed':
      return { status: 'unsubscribed', way: 'unsubscribe' };
    case 'message.hard_bounced':
      return { status: 'bounced', way: 'bounce' };
    case 'message.spam_complaint':
      return { status: 'complained', way: 'complaint' };
    default:
      return null;
  }
};

/** Which lists an unsubscription is about. */
export interface UnsubscribedMail {
  /** True where the person leaves all mail of the sender. */
  readonly fromAll: boolean;
  /** The channel of the mail. */
  readonly channel: Channel | null;
  /** Those of the campaign, or the one about which the mail asked; null: the mail was about none. */
  readonly lists: ReadonlySet<string> | null;
}

export const endsOn = (
  list: { readonly id: string; readonly channel: Channel },
  ending: Ending,
  { fromAll, channel, lists }: UnsubscribedMail,
): boolean => {
  if (ending.way !== 'unsubscribe' || fromAll) return true;
  return lists === null ? list.channel === channel : lists.has(list.id);
};
