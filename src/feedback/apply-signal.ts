// Applies signals about a recipient: event, status, reply text, counters, suppression. The outcomes of our own attempts,
// reports of others, opens and clicks all go through here; unsubscribing does more and has its own module.
//
// Signals may come late, twice and in any order. So the status is that of the highest signal received, an outcome is
// counted with the first signal that says it, and an event that repeats an earlier one is marked as repeated.

import type { CountedOutcome } from '#src/accounts/counters/store.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import type { Guardrail } from '#src/feedback/reputation/guardrail.ts';
import { addOwnSuppression, addSuppression, wholeTeam } from '#src/feedback/suppressions/change.ts';
import {
  countSoftBounce,
  noteArrival,
  type SoftBounceLimit,
} from '#src/feedback/suppressions/soft-bounces.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import {
  after,
  currentSignal,
  eventOf,
  isToBeSent,
  type Signal,
  type SignalEvent,
  signalOf,
  statusBeside,
  statusOf,
} from '#src/messages/rules.ts';
import { messageStore, type RecipientRow } from '#src/messages/store.ts';

export interface SignalDeps {
  /** The key of `addressHash`. */
  readonly suppressionKey: TenantKey;
  /** Mail to this host is not counted, and its addresses are not suppressed. */
  readonly simulatorDomain: string;
  /** Counts outcomes, and pauses a tenant whose mail comes back too often. */
  readonly guardrail: Guardrail;
  readonly softBounces: () => SoftBounceLimit;
}

export interface NewSignal {
  readonly signal: Signal;
  /** `attempt` is set for our own attempts. A signal with `bot`, of a machine, becomes an event and changes nothing. */
  readonly data: EventData;
}

/** What each signal is counted as. Several signals with the same outcome are counted once. */
const countersOf: Readonly<Partial<Record<Signal, readonly CountedOutcome[]>>> = {
  accepted: ['sent'],
  presumed: ['delivered'],
  delivered: ['delivered'],
  hard_bounced: ['hard_bounced'],
  soft_bounced: ['soft_bounced'],
  spam_complaint: ['complaints'],
  opened: ['opens'],
  // A click without an open before it implies the open.
  clicked: ['opens', 'clicks'],
};

const isBounce = (signal: Signal): boolean => signal === 'hard_bounced' || signal === 'soft_bounced';

const countersFor = (event: SignalEvent): readonly CountedOutcome[] => {
  if (event.counted === false) return [];
  const signal = signalOf(event);
  const counters = (signal && countersOf[signal]) ?? [];
  // A bounce in our own connection means that the mail was never sent.
  return signal && event.own && isBounce(signal) ? ['refused', ...counters] : counters;
};

/** Every open and click counts, not just the first. */
const repeatable: ReadonlySet<Signal> = new Set(['opened', 'clicked']);

const hasReply = ({ smtp_code, diagnostic }: EventData): boolean =>
  (smtp_code ?? null) !== null || (diagnostic ?? null) !== null;

/** Keeps the reply of the highest signal that had one: a late 250 does not hide why the mail came back. */
const withReply = (row: RecipientRow, { signal, data }: NewSignal, current: Signal): RecipientRow => {
  const upstream = data.attempt === undefined ? (row.upstream ?? data.upstream ?? null) : data.upstream;
  const isNewest = after(current, signal) === signal || !hasReply(row);
  return isNewest && hasReply(data)
    ? {
        ...row,
        upstream: upstream ?? null,
        smtp_code: data.smtp_code ?? null,
        enhanced_code: data.enhanced_code ?? null,
        diagnostic: data.diagnostic ?? null,
      }
    : { ...row, upstream: upstream ?? null };
};

/** Proof that the address takes mail. */
const arrivals: ReadonlySet<Signal> = new Set(['presumed', 'delivered', 'auto_replied', 'opened', 'clicked']);

/**
 * After a hard bounce, a complaint or repeated soft bounces the address gets no more mail. The service's own mail knows no
 * suppressions.
 */
const suppress = (
  db: TenantDb,
  recipient: RecipientRow,
  { signal, data: { rule } }: NewSignal,
  { suppressionKey: key, softBounces }: SignalDeps,
  now: number,
): void => {
  const message = messageStore(db).bySeq(recipient.message_seq);
  if (!message || message.source === 'system') return;
  const address = recipient.address as Address;
  const added = { address, place: wholeTeam, sourceMessageId: message.id, note: null };
  if (signal === 'hard_bounced') addSuppression(db, key, { ...added, reason: 'hard_bounce' }, now);
  if (signal === 'spam_complaint') addOwnSuppression(db, key, { ...added, reason: 'complaint' }, now);
  if (signal === 'soft_bounced') countSoftBounce(db, key, { message, address, rule }, softBounces(), now);
};

/** A recipient that waits for its first attempt has no events yet, so none are read. */
const eventsOf = (db: TenantDb, { status, message_seq, id }: RecipientRow): readonly SignalEvent[] =>
  status === 'pending' || status === 'queued' ? [] : eventStore(db).ofRecipient(message_seq, id);

/** The highest signal received about a recipient. */
export const signalOfRecipient = (db: TenantDb, recipient: RecipientRow): Signal =>
  currentSignal(recipient.status, () => eventsOf(db, recipient));

/**
 * Applies signals in their order within the caller's transaction, and stores the other columns of `recipient` as given.
 * The queue is not changed. Returns the highest signal.
 */
export const applySignals = (
  db: TenantDb,
  recipient: RecipientRow,
  signals: readonly NewSignal[],
  deps: SignalDeps,
  now: number,
): Signal => {
  const { simulatorDomain, guardrail } = deps;
  const { id, message_seq, address } = recipient;
  const isSimulator = addressDomain(address as Address) === simulatorDomain;
  const events = [...eventsOf(db, recipient)];
  const counted: CountedOutcome[] = [];
  let current = currentSignal(recipient.status, () => events);
  let row = recipient;
  for (const added of signals) {
    const { signal, data } = added;
    const type = eventOf(signal);
    const event = { type, own: data.attempt !== undefined, counted: data.counted !== false };
    const isRepeated = !repeatable.has(signal) && events.some((earlier) => earlier.type === type);
    eventStore(db).append({
      type,
      messageSeq: message_seq,
      recipientId: id,
      at: now,
      data: {
        ...data,
        ...(isRepeated ? { repeated: true } : {}),
        ...statusBeside(type, statusOf(data.bot ? current : after(current, signal))),
      },
    });
    if (data.bot) continue;
    const known = events.flatMap(countersFor);
    counted.push(...countersFor(event).filter((outcome) => !known.includes(outcome)));
    if (!isSimulator && (isBounce(signal) || signal === 'spam_complaint'))
      suppress(db, recipient, added, deps, now);
    if (!isSimulator && arrivals.has(signal)) noteArrival(db, deps.suppressionKey, recipient, now);
    row = withReply(row, added, current);
    current = after(current, signal);
    events.push(event);
  }
  if (counted.length > 0 && !isSimulator) guardrail.count(db, message_seq, counted, now);
  if (signals.every(({ data }) => data.bot)) return current;
  const { attempts, smtp_code, enhanced_code, diagnostic, upstream } = row;
  messageStore(db).updateRecipient(message_seq, {
    id,
    status: statusOf(current),
    attempts,
    smtp_code,
    enhanced_code,
    diagnostic,
    upstream,
    updated_at: now,
  });
  return current;
};

/** For an attempt whose end is unknown or was never stored: a report about the mail proves that the upstream took it. */
export const acceptedSignal = ({ upstream }: RecipientRow, attempt: number): NewSignal => ({
  signal: 'accepted',
  data: { upstream, attempt },
});

/**
 * Applies what others report about a recipient. If the mail was due for another attempt because the end of the last one
 * was unknown, the report proves that it was taken, and it is not sent again. An attempt in flight is left to its own end.
 */
export const applySignal = (
  db: TenantDb,
  recipient: RecipientRow,
  added: NewSignal,
  deps: SignalDeps,
  now: number,
): void => {
  const waiting = queueStore(db).row(recipient.id);
  const isArrived = !added.data.bot && !isToBeSent(after(signalOfRecipient(db, recipient), added.signal));
  const isOver = waiting !== undefined && waiting.claimed !== 1 && isArrived;
  const first = isOver && waiting.attempts > 0 ? [acceptedSignal(recipient, waiting.attempts)] : [];
  applySignals(db, recipient, [...first, added], deps, now);
  if (isOver) queueStore(db).remove(recipient.id);
};
