// The status machine (decisions 4). A recipient's status moves only to a higher rank, whatever the order of signals,
// so that late or repeated reports cannot undo what is known. Signals that do not move it are kept as events all the
// same.

const ranks = {
  pending: 0,
  queued: 1,
  delivery_delayed: 2,
  processed: 3,
  delivered: 4,
  auto_replied: 5,
  opened: 6,
  clicked: 7,
  unsubscribed: 8,
  soft_bounced: 9,
  hard_bounced: 10,
  spam_complaint: 11,
  failed: 12,
  suppressed: 13,
} as const;

export type Status = keyof typeof ranks;
export const statuses = Object.keys(ranks) as [Status, ...Status[]];

/** Ends: nothing follows, not even what would rank higher. */
const ends: ReadonlySet<Status> = new Set(['failed', 'suppressed']);

/** Status after a signal that asks for `next`. */
export const advance = (current: Status, next: Status): Status =>
  ends.has(current) || ranks[next] <= ranks[current] ? current : next;

/**
 * Status after the other side has told that it is still trying: the one signal that takes back what was thought to have
 * arrived. Whatever is heard later replaces it.
 */
export const afterDelay = (current: Status): Status =>
  current === 'processed' || current === 'delivered'
    ? 'delivery_delayed'
    : advance(current, 'delivery_delayed');

/** Whether it is still to be sent: nothing tells that it has arrived, or never will. */
export const isToBeSent = (status: Status): boolean => ranks[status] <= ranks.delivery_delayed;

/** Rank among a message's recipients: a failure weighs as much as a hard bounce, a suppression counts last. */
const weight = (status: Status): number => {
  if (status === 'failed') return ranks.hard_bounced;
  return status === 'suppressed' ? -1 : ranks[status];
};

/** Status of a message from its recipients': the highest-ranked one; `suppressed` only where all are. */
export const messageStatus = (recipients: readonly Status[]): Status =>
  recipients.reduce(
    (highest, status) => (weight(status) > weight(highest) ? status : highest),
    'suppressed' as Status,
  );
