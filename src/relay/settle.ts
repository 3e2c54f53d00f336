// Writes down what an attempt came to: the recipient's status, its queue row, the event and what is counted of it, in one
// transaction.
import type { KeyObject } from 'node:crypto';
import { utcDay } from '#src/counters/rules.ts';
import { counterStore, type Fate } from '#src/counters/store.ts';
import type { TenantDb } from '#src/db/sqlite.ts';
import { redactText } from '#src/events/redact.ts';
import { eventStore } from '#src/events/store.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { after, eventOf, type Signal, type Status, standingOf, statusOf } from '#src/messages/rules.ts';
import { messageStore } from '#src/messages/store.ts';
import { givesUp, type RetryPolicy, retryWait } from '#src/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/queue/store.ts';
import { addSuppression, wholeTeam } from '#src/suppressions/change.ts';
import type { Outcome } from './outcome.ts';

export interface Attempt {
  readonly row: QueueRow;
  readonly outcome: Outcome;
  /** Name of the upstream that was tried; null where none was. */
  readonly upstream: string | null;
  /** Whether that upstream's 2xx counts as delivery. */
  readonly acceptIsDelivery: boolean;
  /** Whether one may be tried in spite of this outcome: then a failure may be this message's doing. */
  readonly upstreamWorks: boolean;
  /** What goes there is counted nowhere, and nobody there is suppressed. */
  readonly simulatorDomain: string;
  readonly suppressionKey: KeyObject;
}

/** What is left to do for the recipient: null, or when it is due again. */
type Next = { readonly dueAt: number; readonly attempts: number } | null;

interface Change {
  readonly signals: readonly [Signal, ...Signal[]];
  readonly next: Next;
}

/** What is heard of a mail's fate at once; all that comes later is counted by who hears it. */
const fatesOf: Readonly<Partial<Record<Signal, readonly Fate[]>>> = {
  accepted: ['sent'],
  presumed: ['delivered'],
  hard_bounced: ['refused', 'hard_bounced'],
  soft_bounced: ['refused', 'soft_bounced'],
};

const deferred = (next: NonNullable<Next>): Change => ({
  signals: ['deferred'],
  next,
});

const changeFor = (
  { row, outcome, acceptIsDelivery, upstreamWorks }: Attempt,
  status: Status,
  policy: RetryPolicy,
  now: number,
): Change => {
  switch (outcome.kind) {
    case 'accepted':
      return { signals: acceptIsDelivery ? ['accepted', 'presumed'] : ['accepted'], next: null };
    case 'deferred': {
      // The time recorded with the claim counts from there; an attempt can take longer than the wait.
      const dueAt = Math.max(row.due_at, now + retryWait(policy, row.attempts, Math.random()));
      return givesUp(policy, row.lane, row.queued_at, dueAt)
        ? { signals: ['failed'], next: null }
        : deferred({ dueAt, attempts: row.attempts });
    }
    case 'bounced':
      return { signals: [outcome.class === 'hard' ? 'hard_bounced' : 'soft_bounced'], next: null };
    case 'upstream_failure':
      // The upstream's fault: the attempt does not count. Due at once, so that another upstream or the next probe
      // takes it; but where the upstream works for others, one that is always answered so must not be tried in a ring.
      return deferred({
        dueAt: status === 'delivery_delayed' && upstreamWorks ? row.due_at : now,
        attempts: row.attempts - 1,
      });
    default:
      return outcome satisfies never;
  }
};

/** Filters quote the content that they refuse: a link that lets someone in is kept nowhere in clear. */
const diagnosticOf = (outcome: Outcome): string | null => {
  const said = 'diagnostic' in outcome ? outcome.diagnostic : outcome.reply?.text;
  return said === undefined ? null : redactText(said);
};

/** Nobody writes twice to an address that does not exist; the service's own mail knows no suppressions. */
const suppress = (
  db: TenantDb,
  address: Address,
  messageSeq: number,
  { suppressionKey }: Attempt,
  now: number,
): void => {
  const message = messageStore(db).bySeq(messageSeq);
  if (!message || message.source === 'system') return;
  const sourceMessageId = message.id;
  const added = { address, place: wholeTeam, reason: 'hard_bounce', sourceMessageId, note: null } as const;
  addSuppression(db, suppressionKey, added, now);
};

/** Returns when the recipient is due again; null where it is done. */
export const settle = (db: TenantDb, attempt: Attempt, policy: RetryPolicy, now: number): number | null => {
  const { row, outcome, upstream } = attempt;
  const messages = messageStore(db);
  const recipient = messages.recipient(row.recipient_id);
  if (!recipient) return null;
  const { signals, next } = changeFor(attempt, recipient.status, policy, now);
  const heard = () => eventStore(db).ofRecipient(row.message_seq, row.recipient_id);
  const status = statusOf(signals.reduce(after, standingOf(recipient.status, heard)));
  const attempts = next?.attempts ?? row.attempts;
  const said = {
    smtp_code: outcome.reply?.code ?? null,
    enhanced_code: outcome.reply?.enhanced ?? null,
    diagnostic: diagnosticOf(outcome),
    upstream,
  };
  for (const signal of signals) {
    eventStore(db).append({
      type: eventOf(signal),
      messageSeq: row.message_seq,
      recipientId: row.recipient_id,
      at: now,
      data: {
        ...said,
        attempt: row.attempts,
        ...('rule' in outcome ? { rule: outcome.rule } : {}),
        ...(signal === 'deferred' && recipient.status === 'delivery_delayed' ? { repeated: true } : {}),
      },
    });
  }
  const fates = signals.flatMap((signal) => fatesOf[signal] ?? []);
  const address = recipient.address as Address;
  const isSimulator = addressDomain(address) === attempt.simulatorDomain;
  if (fates.length > 0 && !isSimulator) counterStore(db).addFates(utcDay(now), row.message_seq, fates);
  if (fates.includes('hard_bounced') && !isSimulator) suppress(db, address, row.message_seq, attempt, now);
  messages.updateRecipient(row.message_seq, {
    id: row.recipient_id,
    status,
    attempts,
    ...said,
    updated_at: now,
  });
  if (next === null) queueStore(db).remove(row.recipient_id);
  else queueStore(db).release(row.recipient_id, attempts, next.dueAt);
  return next?.dueAt ?? null;
};
