// The one way from what is heard of a recipient to all that follows: event, status, words, counters, suppression. What an
// attempt of ours came to, what others report by whatever way, opens and clicks go through here. Who unsubscribes says more
// than that: unsubscribe/ writes it down.
//
// What was heard may come late, twice and in any order. So the status is the highest of all that was heard, whatever is
// counted is counted with the first that tells of it, and what was told before is marked as repeated.
import type { KeyObject } from 'node:crypto';
import type { CountedOutcome } from '#src/accounts/counters/store.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import type { Guardrail } from '#src/feedback/reputation/guardrail.ts';
import { addOwnSuppression, addSuppression, wholeTeam } from '#src/feedback/suppressions/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
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
  /** Of `suppressionHash`. */
  readonly suppressionKey: KeyObject;
  /** What goes there is counted nowhere, and nobody there is suppressed. */
  readonly simulatorDomain: string;
  /** Counts what became of mails, and pauses whose mail comes back too often. */
  readonly guardrail: Guardrail;
}

export interface NewSignal {
  readonly signal: Signal;
  /** `attempt` where it comes of an attempt of ours. What a machine did (`bot`) is kept as an event and nothing else. */
  readonly data: EventData;
}

/** What each signal is counted as; with several that tell of one outcome it is counted once. */
const countersOf: Readonly<Partial<Record<Signal, readonly CountedOutcome[]>>> = {
  accepted: ['sent'],
  presumed: ['delivered'],
  delivered: ['delivered'],
  hard_bounced: ['hard_bounced'],
  soft_bounced: ['soft_bounced'],
  spam_complaint: ['complaints'],
  opened: ['opens'],
  // Nobody follows a link of a mail that they have not opened.
  clicked: ['opens', 'clicks'],
};

const isBounce = (signal: Signal): boolean => signal === 'hard_bounced' || signal === 'soft_bounced';

const countersFor = (one: SignalEvent): readonly CountedOutcome[] => {
  const signal = signalOf(one);
  const told = (signal && countersOf[signal]) ?? [];
  // By our own connection: it was never sent.
  return signal && one.own && isBounce(signal) ? ['refused', ...told] : told;
};

/** Each time is news of its own. */
const toldEachTime: ReadonlySet<Signal> = new Set(['opened', 'clicked']);

const hasWords = ({ smtp_code, diagnostic }: EventData): boolean =>
  (smtp_code ?? null) !== null || (diagnostic ?? null) !== null;

/** The words of the highest signal that had any: a late 250 does not hide why the mail came back. */
const withWords = (row: RecipientRow, { signal, data }: NewSignal, standing: Signal): RecipientRow => {
  const upstream = data.attempt === undefined ? (row.upstream ?? data.upstream ?? null) : data.upstream;
  const isHeeded = after(standing, signal) === signal || !hasWords(row);
  return isHeeded && hasWords(data)
    ? {
        ...row,
        upstream: upstream ?? null,
        smtp_code: data.smtp_code ?? null,
        enhanced_code: data.enhanced_code ?? null,
        diagnostic: data.diagnostic ?? null,
      }
    : { ...row, upstream: upstream ?? null };
};

/** Nobody writes twice to an address that does not exist, or to who complains; the service's own mail knows no suppressions. */
const suppress = (
  db: TenantDb,
  { address, message_seq }: RecipientRow,
  signal: 'hard_bounced' | 'spam_complaint',
  key: KeyObject,
  now: number,
): void => {
  const message = messageStore(db).bySeq(message_seq);
  if (!message || message.source === 'system') return;
  const added = {
    address: address as Address,
    place: wholeTeam,
    sourceMessageId: message.id,
    note: null,
  };
  if (signal === 'hard_bounced') addSuppression(db, key, { ...added, reason: 'hard_bounce' }, now);
  else addOwnSuppression(db, key, { ...added, reason: 'complaint' }, now);
};

/** Nothing has been heard of one that waits for its first attempt. */
const heardOf = (db: TenantDb, { status, message_seq, id }: RecipientRow): readonly SignalEvent[] =>
  status === 'pending' || status === 'queued' ? [] : eventStore(db).ofRecipient(message_seq, id);

/** Where a recipient stands by all that was heard of it. */
export const signalOfRecipient = (db: TenantDb, recipient: RecipientRow): Signal =>
  currentSignal(recipient.status, () => heardOf(db, recipient));

/**
 * Writes down all that follows from what was heard, in its order; what else the row says is kept as it is given. The queue is
 * left alone. Returns where the recipient stands.
 */
export const applySignals = (
  db: TenantDb,
  recipient: RecipientRow,
  news: readonly NewSignal[],
  { suppressionKey, simulatorDomain, guardrail }: SignalDeps,
  now: number,
): Signal => {
  const { id, message_seq, address } = recipient;
  const isSimulator = addressDomain(address as Address) === simulatorDomain;
  const heard = [...heardOf(db, recipient)];
  const came: CountedOutcome[] = [];
  let standing = currentSignal(recipient.status, () => heard);
  let row = recipient;
  for (const one of news) {
    const { signal, data } = one;
    const type = eventOf(signal);
    const told = { type, own: data.attempt !== undefined };
    const isRepeated = !toldEachTime.has(signal) && heard.some((earlier) => earlier.type === type);
    eventStore(db).append({
      type,
      messageSeq: message_seq,
      recipientId: id,
      at: now,
      data: {
        ...data,
        ...(isRepeated ? { repeated: true } : {}),
        ...statusBeside(type, statusOf(data.bot ? standing : after(standing, signal))),
      },
    });
    if (data.bot) continue;
    const known = heard.flatMap(countersFor);
    came.push(...countersFor(told).filter((outcome) => !known.includes(outcome)));
    const mayNotWrite = signal === 'hard_bounced' || signal === 'spam_complaint';
    if (mayNotWrite && !isSimulator) suppress(db, recipient, signal, suppressionKey, now);
    row = withWords(row, one, standing);
    standing = after(standing, signal);
    heard.push(told);
  }
  if (came.length > 0 && !isSimulator) guardrail.count(db, message_seq, came, now);
  if (news.every(({ data }) => data.bot)) return standing;
  const { attempts, smtp_code, enhanced_code, diagnostic, upstream } = row;
  messageStore(db).updateRecipient(message_seq, {
    id,
    status: statusOf(standing),
    attempts,
    smtp_code,
    enhanced_code,
    diagnostic,
    upstream,
    updated_at: now,
  });
  return standing;
};

/** Of an attempt whose end was never written down, or only as unknown: who tells of the mail has had it from us. */
export const acceptedSignal = ({ upstream }: RecipientRow, attempt: number): NewSignal => ({
  signal: 'accepted',
  data: { upstream, attempt },
});

/**
 * Takes in what others tell of a recipient. Where the mail was to be tried again, because nobody knew how the last attempt
 * had ended, this tells: it was taken, and is not sent once more. One that is under way is left to the end of its attempt.
 */
export const applySignal = (
  db: TenantDb,
  recipient: RecipientRow,
  news: NewSignal,
  deps: SignalDeps,
  now: number,
): void => {
  const waiting = queueStore(db).standing(recipient.id);
  const isArrived = !news.data.bot && !isToBeSent(after(signalOfRecipient(db, recipient), news.signal));
  const isOver = waiting !== undefined && waiting.claimed === 0 && isArrived;
  const first = isOver && waiting.attempts > 0 ? [acceptedSignal(recipient, waiting.attempts)] : [];
  applySignals(db, recipient, [...first, news], deps, now);
  if (isOver) queueStore(db).remove(recipient.id);
};
