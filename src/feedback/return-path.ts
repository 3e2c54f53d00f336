// Whether reports to a return path still count. Its HMAC proves that it is ours; the tenant's file says what happened to its
// copy. Only genuine tokens come here, and each one opens the file of the tenant that sent the copy and no other.

import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { eventStore, type HeardEvent } from '#src/events/store.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { DAY } from '#src/kernel/time.ts';
import type { ReturnPathStatus } from '#src/mail/reception.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { currentSignal, isToBeSent, type Status } from '#src/messages/rules.ts';
import { messageStore } from '#src/messages/store.ts';

/**
 * `unknown`: its copy has been removed or never existed. `replayed`: the copy was never handed over, so that no one can have
 * the path from a mail. `expired`: the time for reports about the copy is over.
 */
/** Servers send notices for days; automatic replies of people on a long leave come for some weeks. */
export const RETURN_PATH_LIFE_MS = 60 * DAY;

export interface CopyFacts {
  readonly status: Status;
  /** Attempts with a stored outcome. */
  readonly attempts: number;
  /** Includes an attempt in flight, or in flight when a process died; null where the copy is no longer queued. */
  readonly queuedAttempts: number | null;
  readonly events: readonly HeardEvent[];
  /** ms */
  readonly createdAt: number;
}

const wasHandedOver = ({ status, attempts, queuedAttempts, events }: CopyFacts): boolean => {
  if (attempts > 0 || (queuedAttempts ?? 0) > 0) return true;
  // The process died before it stored the attempt, and a later report took the copy out of the queue.
  return status !== 'failed' && status !== 'suppressed' && !isToBeSent(currentSignal(status, () => events));
};

/**
 * The last stored attempt counts, because mail may have waited through a long pause after it was accepted; without one, the
 * first report does. Later reports do not extend the time.
 */
const handedOverAt = ({ events, createdAt }: CopyFacts): number =>
  events.findLast(({ own }) => own)?.at ?? events[0]?.at ?? createdAt;

/** Pure. `now` in ms. */
export const judgeReturnPath = (copy: CopyFacts | null, now: number): ReturnPathStatus => {
  if (copy === null) return 'unknown';
  if (!wasHandedOver(copy)) return 'replayed';
  const isInFlight = (copy.queuedAttempts ?? 0) > 0;
  return isInFlight || now - handedOverAt(copy) <= RETURN_PATH_LIFE_MS ? 'current' : 'expired';
};

export interface ReturnPathDeps {
  readonly readPlatform: <T>(work: (db: PlatformDb) => T) => Promise<T>;
  readonly files: TenantFiles;
  readonly clock: { now(): number };
}

/** Rejects where a file cannot be read. */
export const returnPathStatus = async (
  { readPlatform, files, clock }: ReturnPathDeps,
  { tenantNumber, recipientId }: ReturnPathTarget,
): Promise<ReturnPathStatus> => {
  const tenant = await readPlatform((db) => registryStore(db).anyByNumber(tenantNumber));
  if (!tenant) return 'unknown';
  const copy = await files.read(tenant.id, (db): CopyFacts | null => {
    const recipient = messageStore(db).recipient(recipientId);
    const message = recipient && messageStore(db).bySeq(recipient.message_seq);
    if (!recipient || !message) return null;
    return {
      status: recipient.status,
      attempts: recipient.attempts,
      queuedAttempts: queueStore(db).row(recipientId)?.attempts ?? null,
      events: eventStore(db).ofRecipient(message.seq, recipientId),
      createdAt: message.created_at,
    };
  });
  return judgeReturnPath(copy, clock.now());
};
