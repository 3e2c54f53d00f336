// Stores opens and clicks of one tenant's mails in one transaction. Those of people are applied as signals; those of machines
// become events and change nothing.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { eventStore, type HeardEvent } from '#src/events/store.ts';
import { applySignal, type SignalDeps } from '#src/feedback/apply-signal.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash, isPseudonym } from '#src/messages/pseudonym.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { eventOf, type Signal } from '#src/messages/rules.ts';
import { messageStore, type RecipientRow } from '#src/messages/store.ts';
import type { HitKind } from './machines.ts';
import { objectionStore } from './objection-store.ts';
import { canBeRead, canHaveArrived, type Hit, isTooSoon, MAX_KEPT } from './rules.ts';

/** An open or click in the copy of that recipient. */
export interface RecipientHit extends Hit {
  readonly recipientId: number;
}

const signalOf: Readonly<Record<HitKind, Signal>> = { open: 'opened', click: 'clicked' };

/** The objection holds for mail that left before it too. */
const hasObjected = (db: TenantDb, { address }: RecipientRow, { suppressionKey }: SignalDeps): boolean =>
  !objectionStore(db).isEmpty() &&
  objectionStore(db).entryOf(
    addressHash(suppressionKey, tenantStore(db).practice().id, address as Address),
  ) !== null;

/**
 * Undefined where the hit does not count: the message is removed, was never handed over, or is the service's own, or its reader has
 * objected to tracking or was erased: hits wait for seconds in memory, and are recorded after an erasure that they came before.
 */
const readerOf = (db: TenantDb, recipientId: number, deps: SignalDeps): RecipientRow | undefined => {
  const recipient = messageStore(db).recipient(recipientId);
  const message = recipient && messageStore(db).bySeq(recipient.message_seq);
  if (!recipient || !message || message.source === 'system') return undefined;
  if (isPseudonym(recipient.address) || hasObjected(db, recipient, deps)) return undefined;
  const { attempts, status } = recipient;
  const queuedAttempts = queueStore(db).row(recipientId)?.attempts ?? null;
  const isEnded = status === 'failed' || status === 'suppressed';
  return canBeRead({ attempts, queuedAttempts, isEnded }) ? recipient : undefined;
};

/** Whether the copy waits for an attempt and cannot have arrived by an earlier one. */
const isYetToCome = (
  db: TenantDb,
  { id, message_seq }: RecipientRow,
  events: readonly HeardEvent[],
): boolean => {
  const waiting = queueStore(db).row(id);
  if (!waiting) return false;
  const ended = waiting.attempts - waiting.claimed;
  const turnedAway = eventStore(db).turnedAway(message_seq, id, ended);
  return !canHaveArrived(ended, turnedAway, events);
};

const record = (db: TenantDb, recipientId: number, hits: readonly Hit[], deps: SignalDeps): void => {
  const reader = readerOf(db, recipientId, deps);
  if (!reader) return;
  const events = eventStore(db).ofRecipient(reader.message_seq, recipientId);
  const count = (kind: HitKind): number =>
    eventStore(db).countOf(reader.message_seq, recipientId, eventOf(signalOf[kind]));
  const kept: Record<HitKind, number> = { open: count('open'), click: count('click') };
  const isForFilters = isYetToCome(db, reader, events);
  for (const hit of hits) {
    kept[hit.kind] += 1;
    // Read again: the hit before may have changed it.
    const recipient = messageStore(db).recipient(recipientId);
    if (!recipient || kept[hit.kind] > MAX_KEPT) continue;
    const machine = hit.machine ?? (isForFilters || isTooSoon(hit, events) ? 'too_soon' : null);
    const data = {
      ip: hit.ip,
      user_agent: hit.userAgent,
      ...(hit.url === null ? {} : { url: hit.url }),
      ...(machine === null ? {} : { bot: true, rule: machine }),
    };
    applySignal(db, recipient, { signal: signalOf[hit.kind], data }, deps, hit.at);
  }
};

/** Keeps the order of the hits of each recipient. */
export const recordHits = (db: TenantDb, hits: readonly RecipientHit[], deps: SignalDeps): void => {
  for (const [recipientId, theirs] of Map.groupBy(hits, (hit) => hit.recipientId))
    record(db, recipientId, theirs, deps);
};
