// One attempt for one recipient: compose and sign, transmit by the upstream that may be tried, judge the transcript, and store
// the outcome. Neither function rejects.
import type { SignalDeps } from '#src/feedback/apply-signal.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import { settleUntilStored } from '#src/work/settle.ts';
import type { Claimed } from './claim.ts';
import { judge, type Outcome } from './outcome.ts';
import { settle } from './settle.ts';
import type { UpstreamChoice, Upstreams } from './upstreams.ts';

export interface AttemptDeps extends SignalDeps {
  readonly files: TenantFiles;
  readonly upstreams: Upstreams;
  readonly policy: () => RetryPolicy;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * For so long an outcome may wait for a commit that others begin. If the process dies meanwhile, what the upstream has taken is
 * sent again, as if it had died before the upstream's answer; it keeps its place until then, so that this is bounded.
 */
const SETTLE_WITHIN_MS = 5;

/** `choice` is null where the message was not given to an upstream. */
export interface AttemptResult {
  readonly choice: UpstreamChoice | null;
  readonly outcome: Outcome;
}

const notComposed: AttemptResult = {
  choice: null,
  outcome: { kind: 'deferred', reply: null, diagnostic: 'The message could not be composed.' },
};

/** Null where no upstream may be tried: then nothing was attempted. */
export const transmit = async (
  { upstreams, log }: AttemptDeps,
  tenantId: string,
  { prepare, envelope, messageId }: Claimed,
): Promise<AttemptResult | null> => {
  let message: Buffer;
  try {
    message = await prepare();
  } catch (error) {
    log.error({ err: error, tenant: tenantId, message: messageId }, 'message could not be composed');
    return notComposed;
  }
  const choice = upstreams.take();
  if (choice === null) return null;
  const outcome = judge(await choice.upstream.transmit(envelope, message, { tenantId, messageId }));
  upstreams.report(choice, outcome);
  if (outcome.kind === 'upstream_failure')
    log.debug(
      {
        tenant: tenantId,
        message: messageId,
        upstream: choice.upstream.name,
        diagnostic: outcome.diagnostic,
      },
      'upstream failed',
    );
  return { choice, outcome };
};

/**
 * Stores the outcome, because a message that the upstream has taken would be sent again otherwise: tries until the tenant's file
 * takes it, or until `stopping`. `onFailed` is called after each try that failed. Resolves with the time at which the recipient
 * is due again; null where nothing is left to do for it.
 */
export const storeOutcome = async (
  { files, upstreams, policy, clock, log, simulatorDomain, suppressionKey, guardrail }: AttemptDeps,
  tenantId: string,
  row: QueueRow,
  result: AttemptResult | null,
  stopping: AbortSignal,
  onFailed: () => void,
): Promise<number | null> => {
  const store = (db: TenantDb): number | null => {
    const now = clock.now();
    if (result === null) {
      const queue = queueStore(db);
      queue.giveBack(row, row.attempts - 1, now);
      return queue.row(row.recipient_id)?.due_at ?? null;
    }
    const { choice, outcome } = result;
    const attempt = {
      row,
      outcome,
      upstream: choice?.upstream.name ?? null,
      acceptIsDelivery: choice?.acceptIsDelivery ?? false,
      upstreamWorks: upstreams.retryAt(now) === null,
      simulatorDomain,
      suppressionKey,
      guardrail,
    };
    return settle(db, attempt, policy(), now);
  };
  const write = () => files.write(tenantId, store, SETTLE_WITHIN_MS);
  const dueAt = await settleUntilStored(write, stopping, (error) => {
    log.error({ err: error, tenant: tenantId, recipient: row.recipient_id }, 'outcome could not be stored');
    onFailed();
  });
  // Where it was not stored, the row is still claimed, with the time of its next attempt: the registry must keep that.
  return dueAt === undefined ? row.due_at : dueAt;
};
