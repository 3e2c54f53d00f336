// The status machine (decisions 4), as one function: what is known of a recipient only grows. Signals stand in one order,
// and a recipient stands at the highest that was heard, so that reports may come late, twice or in any order, and nothing
// known is undone. Signals that do not move it are kept as events all the same. Pure.
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
 * What can be heard of a recipient, lowest first, with the status it asks for. A delay that somebody tells of after the
 * hand-over takes back what the relay's own 2xx seemed to say, and what is heard later of the mail's fate replaces it: so
 * it stands between both.
 */
const table = {
  scheduled: { status: 'pending', event: 'message.created' },
  queued: { status: 'queued', event: 'message.created' },
  /** A 4yz, or the upstream is out of reach. */
  deferred: { status: 'delivery_delayed', event: 'message.delivery_delayed' },
  /** The upstream's 2xx to the final dot. */
  accepted: { status: 'processed', event: 'message.sent' },
  /** The same 2xx where it counts as delivery. */
  presumed: { status: 'delivered', event: 'message.delivered' },
  /** Told of by somebody who had taken the mail. */
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
  /** Attempts exhausted, content blocked, cancelled. */
  failed: { status: 'failed', event: 'message.failed' },
} as const satisfies Record<string, { status: Status; event: EventType }>;

export type Signal = keyof typeof table;
export const signals = Object.keys(table) as [Signal, ...Signal[]];

const ranks: ReadonlyMap<Signal, number> = new Map(signals.map((signal, rank) => [signal, rank]));
const rankOf = (signal: Signal): number => ranks.get(signal) ?? 0;

export const statusOf = (signal: Signal): Status => table[signal].status;
export const eventOf = (signal: Signal): EventType => table[signal].event;

/** Where a message begins: it is to leave later, or now. Both in ms. */
export const firstSignal = ({
  created_at,
  scheduled_at,
}: {
  readonly created_at: number;
  readonly scheduled_at: number | null;
}): Signal => (scheduled_at !== null && scheduled_at > created_at ? 'scheduled' : 'queued');

/**
 * Where an event by itself says that its recipient stands; what else is the case is recorded with it. The creation says
 * `queued`. Without those that are about no message.
 */
export const ownStatus: ReadonlyMap<EventType, Status> = new Map<EventType, Status>([
  ...signals.map((signal): [EventType, Status] => [table[signal].event, table[signal].status]),
  ['message.content_blocked', 'failed'],
  ['message.subscription', 'unsubscribed'],
]);

/** Where it stands as an event records it: nothing where the event says so by itself. */
export const statusBeside = (type: EventType, status: Status): { readonly status?: Status } =>
  status === ownStatus.get(type) ? {} : { status };

/** Where a recipient stands after `signal`: the transition. */
export const after = (standing: Signal, signal: Signal): Signal =>
  rankOf(signal) > rankOf(standing) ? signal : standing;

/** An event that was kept of a recipient. `own`: of an attempt of ours; else somebody told us. */
export interface SignalEvent {
  readonly type: EventType;
  readonly own: boolean;
}

/** Which signal an event tells of; null where it is none that moves a recipient. */
export const signalOf = ({ type, own }: SignalEvent): Signal | null => {
  if (type === 'message.delivery_delayed') return own ? 'deferred' : 'delayed';
  if (type === 'message.delivered') return own ? 'presumed' : 'delivered';
  if (type === 'message.created') return null;
  return signals.find((signal) => table[signal].event === type) ?? null;
};

const heardAny = (heard: readonly SignalEvent[], signal: Signal): boolean =>
  heard.some((one) => signalOf(one) === signal);

/** Where a recipient of that status stands. `heard` is asked only where the status alone does not tell. */
export const currentSignal = (status: Status, heard: () => readonly SignalEvent[]): Signal => {
  switch (status) {
    case 'pending':
      return 'scheduled';
    case 'processed':
      return 'accepted';
    case 'delivery_delayed':
      return heardAny(heard(), 'delayed') ? 'delayed' : 'deferred';
    case 'delivered':
      return heardAny(heard(), 'delivered') ? 'delivered' : 'presumed';
    default:
      return status;
  }
};

/** Whether it is still to be sent: nothing tells that it has arrived, or never will. */
export const isToBeSent = (standing: Signal): boolean => rankOf(standing) <= rankOf('deferred');

/** Rank among a message's recipients: a failure weighs as much as a hard bounce, a suppression counts last. */
const weight = (status: Status): number =>
  status === 'suppressed' ? -1 : statuses.indexOf(status === 'failed' ? 'hard_bounced' : status);

/** Status of a message from its recipients': the highest-ranked one; `suppressed` only where all are. */
export const messageStatus = (recipients: readonly Status[]): Status =>
  recipients.reduce(
    (highest, status) => (weight(status) > weight(highest) ? status : highest),
    'suppressed' as Status,
  );
