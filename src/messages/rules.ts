// The status machine. Signals have one order, and a recipient has the status of the highest one received: so
// reports may come late, twice or in any order and never undo what is known. Every signal is kept as an event, also where
// it does not change the status. Pure.
import type { EventType } from '#src/events/catalogue.ts';

export const statuses = [
  'pending',
  'queued',
  'delivery_delayed',
  'processed',
  'delivered',
  'auto_replied',
  'opened',
  'clicked',
  'unsubscribed',
  'soft_bounced',
  'hard_bounced',
  'spam_complaint',
  'failed',
  'suppressed',
] as const;
export type Status = (typeof statuses)[number];

/**
 * All signals, lowest first, with the status and the event of each. A delay that is reported after the upstream's 2xx
 * corrects it, and any later outcome replaces the delay: so `delayed` is between both.
 */
const table = {
  scheduled: { status: 'pending', event: 'message.created' },
  queued: { status: 'queued', event: 'message.created' },
  /** A 4yz reply, or the upstream cannot be reached. */
  deferred: { status: 'delivery_delayed', event: 'message.delivery_delayed' },
  /** The upstream's 2xx to the final dot. */
  accepted: { status: 'processed', event: 'message.sent' },
  /** The same 2xx, of an upstream whose 2xx counts as delivery. */
  presumed: { status: 'delivered', event: 'message.delivered' },
  /** Reported by a server that had taken the mail. */
  delayed: { status: 'delivery_delayed', event: 'message.delivery_delayed' },
  delivered: { status: 'delivered', event: 'message.delivered' },
  auto_replied: { status: 'auto_replied', event: 'message.auto_replied' },
  opened: { status: 'opened', event: 'message.opened' },
  clicked: { status: 'clicked', event: 'message.clicked' },
  unsubscribed: { status: 'unsubscribed', event: 'message.unsubscribed' },
  soft_bounced: { status: 'soft_bounced', event: 'message.soft_bounced' },
  hard_bounced: { status: 'hard_bounced', event: 'message.hard_bounced' },
  spam_complaint: { status: 'spam_complaint', event: 'message.spam_complaint' },
  suppressed: { status: 'suppressed', event: 'message.suppressed' },
  /** The attempts are exhausted, the content was blocked, or the message was cancelled. */
  failed: { status: 'failed', event: 'message.failed' },
} as const satisfies Record<string, { status: Status; event: EventType }>;

export type Signal = keyof typeof table;
export const signals = Object.keys(table) as [Signal, ...Signal[]];

const ranks: ReadonlyMap<Signal, number> = new Map(signals.map((signal, rank) => [signal, rank]));
const rankOf = (signal: Signal): number => ranks.get(signal) ?? 0;

export const statusOf = (signal: Signal): Status => table[signal].status;
export const eventOf = (signal: Signal): EventType => table[signal].event;

/** The first signal of a message: it is due later, or now. Times in ms. */
export const firstSignal = ({
  created_at,
  scheduled_at,
}: {
  readonly created_at: number;
  readonly scheduled_at: number | null;
}): Signal => (scheduled_at !== null && scheduled_at > created_at ? 'scheduled' : 'queued');

/**
 * The status that the type of an event implies; another status is recorded with the event. `message.created` implies
 * `queued`. Events that are about no message are not in it.
 */
export const ownStatus: ReadonlyMap<EventType, Status> = new Map<EventType, Status>([
  ...signals.map((signal): [EventType, Status] => [table[signal].event, table[signal].status]),
  ['message.content_blocked', 'failed'],
  ['message.subscription', 'unsubscribed'],
]);

/** The status to record with an event: nothing where its type implies it. */
export const statusBeside = (type: EventType, status: Status): { readonly status?: Status } =>
  status === ownStatus.get(type) ? {} : { status };

/** The transition: the higher of the current signal and a new one. */
export const after = (current: Signal, signal: Signal): Signal =>
  rankOf(signal) > rankOf(current) ? signal : current;

/** A stored event of a recipient. `own`: from our own attempt, not from a report. */
export interface SignalEvent {
  readonly type: EventType;
  readonly own: boolean;
  /** False: it is in no counter. */
  readonly counted?: boolean;
}

/** The signal of an event; null where it can change no status. */
export const signalOf = ({ type, own }: SignalEvent): Signal | null => {
  if (type === 'message.delivery_delayed') return own ? 'deferred' : 'delayed';
  if (type === 'message.delivered') return own ? 'presumed' : 'delivered';
  if (type === 'message.created') return null;
  return signals.find((signal) => table[signal].event === type) ?? null;
};

const includes = (events: readonly SignalEvent[], signal: Signal): boolean =>
  events.some((event) => signalOf(event) === signal);

/** The highest signal of a recipient with that status. `events` is read only where the status alone is ambiguous. */
export const currentSignal = (status: Status, events: () => readonly SignalEvent[]): Signal => {
  switch (status) {
    case 'pending':
      return 'scheduled';
    case 'processed':
      return 'accepted';
    case 'delivery_delayed':
      return includes(events(), 'delayed') ? 'delayed' : 'deferred';
    case 'delivered':
      return includes(events(), 'delivered') ? 'delivered' : 'presumed';
    default:
      return status;
  }
};

/** Whether the mail is still to be sent: no signal says that it has arrived or never will. */
export const isToBeSent = (current: Signal): boolean => rankOf(current) <= rankOf('deferred');

/** Rank among a message's recipients: a failure equals a hard bounce, a suppression is the lowest. */
const weight = (status: Status): number =>
  status === 'suppressed' ? -1 : statuses.indexOf(status === 'failed' ? 'hard_bounced' : status);

/** The status of a message: the highest-ranked one of its recipients; `suppressed` only where all are. */
export const messageStatus = (recipients: readonly Status[]): Status =>
  recipients.reduce(
    (highest, status) => (weight(status) > weight(highest) ? status : highest),
    'suppressed' as Status,
  );
