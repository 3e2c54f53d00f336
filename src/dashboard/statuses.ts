// Statuses of messages and recipients in words, and how they look. `sent` is said as what it is: a server took the mail.
import type { Address, MessageStatus, Subscriber } from '#api';
import type { Tone } from '#dashboard/parts/basics.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const tones: Readonly<Record<MessageStatus, Tone>> = {
  pending: 'busy',
  queued: 'busy',
  delivery_delayed: 'warn',
  processed: 'plain',
  delivered: 'good',
  auto_replied: 'good',
  opened: 'good',
  clicked: 'good',
  unsubscribed: 'plain',
  soft_bounced: 'bad',
  hard_bounced: 'bad',
  spam_complaint: 'bad',
  failed: 'bad',
  suppressed: 'warn',
};

export const statusNames = () => translated(words).statuses;

export const toneOf = (status: MessageStatus): Tone => tones[status];
export const statusList = Object.keys(tones) as readonly MessageStatus[];

export const kindNames = () => translated(words).kinds;

export const subscriberTones: Readonly<Record<Subscriber['status'], Tone>> = {
  active: 'good',
  pending: 'busy',
  unsubscribed: 'plain',
  bounced: 'bad',
  complained: 'bad',
};

/** `active` is who confirmed by a link, and who was entered with the practice's word for it: so it is not said to be confirmed. */
export const subscriberStatuses = () => translated(words).subscribers;

/** `Erika Müller <erika@example.org>` */
export const mailboxText = ({ address, name }: Address): string => (name ? `${name} <${address}>` : address);

/** The page on which one writes to this person. */
export const letterTo = (practiceId: string, { address, name }: Address): string => {
  const to = name ? `"${name.replace(/["\\]/g, '')}" <${address}>` : address;
  return `/app/${practiceId}/letter?to=${encodeURIComponent(to)}`;
};
