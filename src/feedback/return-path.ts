// Whether a return path may still bring news. Its HMAC says that it is ours; what has become of the copy it names stands in
// the practice's file. Only genuine tokens come here: what they make us do is to open the file of the one practice that
// wrote to whoever has them.

import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { eventStore, type HeardEvent } from '#src/events/store.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { DAY } from '#src/kernel/time.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { currentSignal, isToBeSent, type Status } from '#src/messages/rules.ts';
import { messageStore } from '#src/messages/store.ts';

/**
 * `unknown`: what it names has been removed, or never was. `replayed`: no attempt was made to hand the copy over, so that
 * nobody can have the path from a mail. `expired`: whoever had the mail has had time enough to say so.
 */
export type ReturnPathStanding = 'current' | 'unknown' | 'replayed' | 'expired';

/** Senders of notices give up after days; people who come back from a long leave answer by themselves for some weeks. */
export const RETURN_PATH_LIFE_MS = 60 * DAY;

export interface CopyFacts {
  readonly status: Status;
  /** That were written down. */
  readonly attempts: number;
  /** With the one that is under way, or was when a process died; null where it is queued no more. */
  readonly queuedAttempts: number | null;
  readonly events: readonly HeardEvent[];
  /** ms */
  readonly createdAt: number;
}

const wasHandedOver = ({ status, attempts, queuedAttempts, events }: CopyFacts): boolean => {
  if (attempts > 0 || (queuedAttempts ?? 0) > 0) return true;
  // News of a copy whose attempt was never written down, because the process died, has taken it out of the queue.
  return status !== 'failed' && status !== 'suppressed' && !isToBeSent(currentSignal(status, () => events));
};

/**
 * It counts from the last attempt that is written down, because a practice's mail may have waited through a long pause
 * after it was accepted; where none is, from the first word that came back. What others tell later prolongs nothing.
 */
const handedOverAt = ({ events, createdAt }: CopyFacts): number =>
  events.findLast(({ own }) => own)?.at ?? events[0]?.at ?? createdAt;

/** Pure. `now` in ms. */
export const judgeReturnPath = (copy: CopyFacts | null, now: number): ReturnPathStanding => {
  if (copy === null) return 'unknown';
  if (!wasHandedOver(copy)) return 'replayed';
  const isUnderWay = (copy.queuedAttempts ?? 0) > 0;
  return isUnderWay || now - handedOverAt(copy) <= RETURN_PATH_LIFE_MS ? 'current' : 'expired';
};

export interface ReturnPathDeps {
  readonly readPlatform: <T>(work: (db: PlatformDb) => T) => Promise<T>;
  readonly files: TenantFiles;
  readonly clock: { now(): number };
}

/** Rejects where a file cannot be read. */
export const returnPathStanding = async (
  { readPlatform, files, clock }: ReturnPathDeps,
  { tenantNumber, recipientId }: ReturnPathTarget,
): Promise<ReturnPathStanding> => {
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
