// One attempt for one recipient, seen through: compose and sign, transmit over the way out that may be tried, judge, and
// write down what came of it. Neither function rejects.

import type { SignalDeps } from '#src/feedback/apply-signal.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, SECOND, sleep } from '#src/kernel/time.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import type { Claimed } from './claim.ts';
import { judge, type Outcome } from './outcome.ts';
import { settle } from './settle.ts';
import type { WayOut, WaysOut } from './ways-out.ts';

const SETTLE_RETRY_MS = SECOND;

export interface AttemptDeps extends SignalDeps {
  readonly files: TenantFiles;
  readonly waysOut: WaysOut;
  readonly policy: () => RetryPolicy;
  readonly clock: Clock;
  readonly log: Log;
}

/** `way` is null where the message did not come as far as an upstream. */
export interface Tried {
  readonly way: WayOut | null;
  readonly outcome: Outcome;
}

const notComposed: Tried = {
  way: null,
  outcome: { kind: 'deferred', reply: null, diagnostic: 'The message could not be composed.' },
};

/** Null where no upstream may be tried: then nothing was attempted. */
export const transmit = async (
  { waysOut, log }: AttemptDeps,
  tenantId: string,
  { prepare, envelope, messageId }: Claimed,
): Promise<Tried | null> => {
  let message: Buffer;
  try {
    message = await prepare();
  } catch (error) {
    log.error({ err: error, tenant: tenantId, message: messageId }, 'message could not be composed');
    return notComposed;
  }
  const way = waysOut.take();
  if (way === null) return null;
  const outcome = judge(await way.upstream.transmit(envelope, message, { tenantId, messageId }));
  waysOut.report(way, outcome);
  if (outcome.kind === 'upstream_failure')
    log.debug(
      { tenant: tenantId, message: messageId, upstream: way.upstream.name, diagnostic: outcome.diagnostic },
      'upstream failed',
    );
  return { way, outcome };
};

/**
 * What the upstream has taken must be written down, or it would be sent again: tries until the file takes it, or until
 * `stopped`. `onFailed` is called after each try that failed. Resolves with the time at which the recipient is due
 * again, null where it is done.
 */
export const settleUntilStored = async (
  { files, waysOut, policy, clock, log, simulatorDomain, suppressionKey, guardrail }: AttemptDeps,
  tenantId: string,
  row: QueueRow,
  tried: Tried | null,
  stopped: AbortSignal,
  onFailed: () => void,
): Promise<number | null> => {
  for (;;) {
    try {
      return await files.write(tenantId, (db) => {
        const now = clock.now();
        const queue = queueStore(db);
        // An earlier try may have been stored although its sync failed.
        const standing = queue.standing(row.recipient_id);
        if (!standing?.claimed || standing.attempts !== row.attempts) return standing?.due_at ?? null;
        if (tried === null) {
          queue.release(row.recipient_id, row.attempts - 1, now);
          return now;
        }
        const { way, outcome } = tried;
        const attempt = {
          row,
          outcome,
          upstream: way?.upstream.name ?? null,
          acceptIsDelivery: way?.acceptIsDelivery ?? false,
          upstreamWorks: waysOut.retryAt(now) === null,
          simulatorDomain,
          suppressionKey,
          guardrail,
        };
        return settle(db, attempt, policy(), now);
      });
    } catch (error) {
      log.error({ err: error, tenant: tenantId, recipient: row.recipient_id }, 'outcome could not be stored');
      onFailed();
      // It stands claimed in the file with the time of its next attempt: the registry must keep that.
      if (stopped.aborted) return row.due_at;
      await sleep(SETTLE_RETRY_MS, stopped);
    }
  }
};
