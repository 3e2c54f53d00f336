// Statuses of messages and recipients in words, and how they look. `sent` is said as what it is: a server took the mail.
import type { Address, MessageKind, MessageStatus, Subscriber } from '#api';
import type { Tone } from '#dashboard/parts/basics.tsx';
import { words } from '#dashboard/words.ts';

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

export const statusNames = words<Readonly<Record<MessageStatus, string>>>({
  de: {
    pending: 'Geplant',
    queued: 'Wartet',
    delivery_delayed: 'Verzögert',
    processed: 'Abgegeben',
    delivered: 'Angenommen',
    auto_replied: 'Automatische Antwort',
    opened: 'Geöffnet',
    clicked: 'Angeklickt',
    unsubscribed: 'Abgemeldet',
    soft_bounced: 'Vorerst abgewiesen',
    hard_bounced: 'Abgewiesen',
    spam_complaint: 'Als Spam gemeldet',
    failed: 'Fehlgeschlagen',
    suppressed: 'Gesperrt',
  },
  en: {
    pending: 'Scheduled',
    queued: 'Waiting',
    delivery_delayed: 'Delayed',
    processed: 'Handed over',
    delivered: 'Accepted',
    auto_replied: 'Automatic reply',
    opened: 'Opened',
    clicked: 'Clicked',
    unsubscribed: 'Unsubscribed',
    soft_bounced: 'Refused for now',
    hard_bounced: 'Refused',
    spam_complaint: 'Reported as spam',
    failed: 'Failed',
    suppressed: 'Suppressed',
  },
});

export const toneOf = (status: MessageStatus): Tone => tones[status];
export const statusList = Object.keys(tones) as readonly MessageStatus[];

export const kindNames = words<Readonly<Record<MessageKind, string>>>({
  de: {
    termin: 'Termin',
    recall: 'Erinnerung',
    transactional: 'Einzelne Nachricht',
    doi: 'Bestätigung einer Anmeldung',
    newsletter: 'Rundschreiben',
    custom: 'Eigene Art',
    quality: 'Probe der Zustellung',
    test: 'Test',
  },
  en: {
    termin: 'Appointment',
    recall: 'Reminder',
    transactional: 'Single message',
    doi: 'Confirmation of a subscription',
    newsletter: 'Campaign',
    custom: 'Own kind',
    quality: 'Quality test',
    test: 'Test',
  },
});

export const subscriberTones: Readonly<Record<Subscriber['status'], Tone>> = {
  active: 'good',
  pending: 'busy',
  unsubscribed: 'plain',
  bounced: 'bad',
  complained: 'bad',
};

/** `active` is who confirmed by a link, and who was entered with the practice's word for it: so it is not said to be confirmed. */
export const subscriberStatuses = words<Readonly<Record<Subscriber['status'], string>>>({
  de: {
    active: 'Aktiv',
    pending: 'Unbestätigt',
    unsubscribed: 'Abgemeldet',
    bounced: 'Unerreichbar',
    complained: 'Als Spam gemeldet',
  },
  en: {
    active: 'Active',
    pending: 'Unconfirmed',
    unsubscribed: 'Unsubscribed',
    bounced: 'Unreachable',
    complained: 'Reported as spam',
  },
});

/** `Erika Müller <erika@example.org>` */
export const mailboxText = ({ address, name }: Address): string => (name ? `${name} <${address}>` : address);
