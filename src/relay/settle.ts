// Writes down what an attempt came to: all that follows from its signals, and its queue row, in one transaction.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { redactText } from '#src/events/redact.ts';
import type { EventData } from '#src/events/store.ts';
import {
  acceptedSignal,
  applySignals,
  type SignalDeps,
  signalOfRecipient,
} from '#src/feedback/apply-signal.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { givesUp, type RetryPolicy, retryWait } from '#src/messages/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import { isToBeSent, type Signal, type Status } from '#src/messages/rules.ts';
import { messageStore } from '#src/messages/store.ts';
import type { Outcome } from './outcome.ts';

export interface Attempt extends SignalDeps {
  readonly row: QueueRow;
  readonly outcome: Outcome;
  /** Name of the upstream that was tried; null where none was. */
  readonly upstream: string | null;
  /** Whether that upstream's 2xx counts as delivery. */
  readonly acceptIsDelivery: boolean;
  /** Whether one may be tried in spite of this outcome: then a failure may be this message's doing. */
  readonly upstreamWorks: boolean;
}

/** What is left to do for the recipient: null, or when it is due again. */
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
  /** Patience begins anew with it: what waits through a pause is not given up for that. */
  resumedAt: number | null,
  policy: RetryPolicy,
  now: number,
): Change => {
  switch (outcome.kind) {
    case 'accepted':
      return { signals: acceptIsDelivery ? ['accepted', 'presumed'] : ['accepted'], next: null };
    case 'deferred': {
      // The time recorded with the claim counts from there; an attempt can take longer than the wait.
      const dueAt = Math.max(row.due_at, now + retryWait(policy, row.attempts, Math.random()));
      return givesUp(policy, row.lane, Math.max(row.queued_at, resumedAt ?? 0), dueAt)
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

/** What a relay says of the account there, and where it stands in the network, is for who runs the service: it is in their log. */
const NOT_ABOUT_THE_MESSAGE = 'the relay cannot be used at the moment';

/** Filters quote the content that they refuse: a link that lets someone in is kept nowhere in clear. */
const diagnosticOf = (outcome: Outcome): string | null => {
  if (outcome.kind === 'upstream_failure') return NOT_ABOUT_THE_MESSAGE;
  const said = 'diagnostic' in outcome ? outcome.diagnostic : outcome.reply?.text;
  return said === undefined ? null : redactText(said);
};

/** Returns when the recipient is due again; null where it is done. */
export const settle = (db: TenantDb, attempt: Attempt, policy: RetryPolicy, now: number): number | null => {
  const { row, outcome, upstream } = attempt;
  const recipient = messageStore(db).recipient(row.recipient_id);
  if (!recipient) return null;
  const isTried = outcome.kind === 'deferred' || outcome.kind === 'upstream_failure';
  if (isTried && !isToBeSent(signalOfRecipient(db, recipient))) {
    // An earlier attempt has brought it there, and whoever had it has told: this one was for nothing.
    applySignals(
      db,
      { ...recipient, attempts: row.attempts },
      [acceptedSignal(recipient, row.attempts)],
      attempt,
      now,
    );
    queueStore(db).remove(row.recipient_id);
    return null;
  }
  const resumedAt = outcome.kind === 'deferred' ? tenantStore(db).practice().resumed_at : null;
  const { signals, next } = changeFor(attempt, recipient.status, resumedAt, policy, now);
  const attempts = next?.attempts ?? row.attempts;
  const data: EventData = {
    smtp_code: outcome.reply?.code ?? null,
    enhanced_code: outcome.reply?.enhanced ?? null,
    diagnostic: diagnosticOf(outcome),
    upstream,
    attempt: row.attempts,
    ...('rule' in outcome ? { rule: outcome.rule } : {}),
  };
  const news = signals.map((signal) => ({ signal, data }));
  applySignals(db, { ...recipient, attempts }, news, attempt, now);
  if (next === null) queueStore(db).remove(row.recipient_id);
  else queueStore(db).release(row.recipient_id, attempts, next.dueAt);
  return next?.dueAt ?? null;
};
