// Stores the outcome of an attempt: all that follows from its signals, and its queue row, in one transaction.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { EventData } from '#src/events/store.ts';
import {
  acceptedSignal,
  applySignals,
  type NewSignal,
  type SignalDeps,
  signalOfRecipient,
} from '#src/feedback/apply-signal.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { redactText } from '#src/kernel/redact.ts';
import { givesUp, type RetryPolicy, retryWait } from '#src/messages/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import { isToBeSent, type Signal, type Status } from '#src/messages/rules.ts';
import { messageStore, type RecipientRow } from '#src/messages/store.ts';
import type { Outcome } from './outcome.ts';

export interface Attempt extends SignalDeps {
  readonly row: QueueRow;
  readonly outcome: Outcome;
  /** Name of the upstream that was tried; null where none was. */
  readonly upstream: string | null;
  /** Whether that upstream's 2xx counts as delivery. */
  readonly acceptIsDelivery: boolean;
  /** Whether an upstream may be tried although this was the outcome: then this message may be the cause of a failure. */
  readonly upstreamWorks: boolean;
}

/** When the recipient is due again; null where nothing is left to do. */
type Next = { readonly dueAt: number; readonly attempts: number } | null;

interface Change {
  readonly signals: readonly [Signal, ...Signal[]];
  readonly next: Next;
}

const deferred = (next: NonNullable<Next>): Change => ({
  signals: ['deferred'],
  next,
});

const changeFor = (
  { row, outcome, acceptIsDelivery, upstreamWorks }: Attempt,
  status: Status,
  /** Patience begins again with it, because a message must not be given up for having waited through a pause. */
  resumedAt: number | null,
  policy: RetryPolicy,
  now: number,
): Change => {
  switch (outcome.kind) {
    case 'accepted':
      return { signals: acceptIsDelivery ? ['accepted', 'presumed'] : ['accepted'], next: null };
    case 'deferred': {
      // The time that the claim wrote counts from the claim; an attempt can take longer than the wait.
      const dueAt = Math.max(row.due_at, now + retryWait(policy, row.attempts, Math.random()));
      return givesUp(policy, row.lane, Math.max(row.queued_at, resumedAt ?? 0), dueAt)
        ? { signals: ['failed'], next: null }
        : deferred({ dueAt, attempts: row.attempts });
    }
    case 'bounced':
      return { signals: [outcome.class === 'hard' ? 'hard_bounced' : 'soft_bounced'], next: null };
    case 'upstream_failure':
      // The upstream is at fault, so the attempt does not count. The recipient is due at once, so that another upstream or the
      // next probe takes it. But where the upstream works for others, a message that always fails there must not be tried in a
      // loop.
      return deferred({
        dueAt: status === 'delivery_delayed' && upstreamWorks ? row.due_at : now,
        attempts: row.attempts - 1,
      });
    default:
      return outcome satisfies never;
  }
};

/** What a relay says about its account and its network is for the operator: it is in the log. */
const NOT_ABOUT_THE_MESSAGE = 'the relay cannot be used at the moment';

/** Filters quote the content that they refuse; a link that signs someone in is stored nowhere in clear. */
const diagnosticOf = (outcome: Outcome): string | null => {
  if (outcome.kind === 'upstream_failure') return NOT_ABOUT_THE_MESSAGE;
  const said = 'diagnostic' in outcome ? outcome.diagnostic : outcome.reply?.text;
  return said === undefined ? null : redactText(said);
};

/** What the attempt's end means for the recipient, and what is stored with it. */
const changeOf = (
  db: TenantDb,
  recipient: RecipientRow,
  attempt: Attempt,
  policy: RetryPolicy,
  now: number,
): { readonly news: readonly NewSignal[]; readonly next: Next } => {
  const { row, outcome, upstream } = attempt;
  const isTried = outcome.kind === 'deferred' || outcome.kind === 'upstream_failure';
  // An earlier attempt has delivered it, and a report says so: this one changes nothing.
  if (isTried && !isToBeSent(signalOfRecipient(db, recipient)))
    return { news: [acceptedSignal(recipient, row.attempts)], next: null };
  const resumedAt = outcome.kind === 'deferred' ? tenantStore(db).practice().resumed_at : null;
  const { signals, next } = changeFor(attempt, recipient.status, resumedAt, policy, now);
  const data: EventData = {
    smtp_code: outcome.reply?.code ?? null,
    enhanced_code: outcome.reply?.enhanced ?? null,
    diagnostic: diagnosticOf(outcome),
    upstream,
    attempt: row.attempts,
    ...('rule' in outcome ? { rule: outcome.rule } : {}),
  };
  return { news: signals.map((signal) => ({ signal, data })), next };
};

/** Returns when the recipient is due again; null where nothing is left to do. */
export const settle = (db: TenantDb, attempt: Attempt, policy: RetryPolicy, now: number): number | null => {
  const { row } = attempt;
  const recipient = messageStore(db).recipient(row.recipient_id);
  if (!recipient) return null;
  const { news, next } = changeOf(db, recipient, attempt, policy, now);
  const attempts = next?.attempts ?? row.attempts;
  const queue = queueStore(db);
  const isEnded = next === null ? queue.finish(row) : queue.giveBack(row, attempts, next.dueAt);
  // An earlier try was stored although its sync failed.
  if (!isEnded) return queue.row(row.recipient_id)?.due_at ?? null;
  applySignals(db, { ...recipient, attempts }, news, attempt, now);
  return next?.dueAt ?? null;
};
