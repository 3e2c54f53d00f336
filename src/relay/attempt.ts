// One attempt for one recipient: compose and sign, transmit by the upstream that may be tried, judge the transcript, and store
// the outcome. Neither function rejects.
import type { SignalDeps } from '#src/feedback/apply-signal.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, SECOND } from '#src/kernel/time.ts';
import { settleUntilStored } from '#src/kernel/work/settle.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import type { Claimed } from './claim.ts';
import { judge, type Outcome } from './outcome.ts';
import { settle } from './settle.ts';
import type { Path, UpstreamChoice, Upstreams } from './upstreams.ts';

export interface AttemptDeps extends SignalDeps {
  readonly files: TenantFiles;
  readonly upstreams: Upstreams;
  readonly policy: () => RetryPolicy;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * An outcome may wait so long for a commit that others begin. If the process dies meanwhile, what the upstream has taken is
 * sent again, as if it had died before the upstream's answer; it keeps its place until then, so that this is bounded.
 */
const SETTLE_WITHIN_MS = 5;

export interface AttemptResult {
  /** The path of the recipient: that of its practice and lane, or the simulator's. */
  readonly path: Path;
  /** Null where the message was not given to an upstream. */
  readonly choice: UpstreamChoice | null;
  /** Null where no upstream may be tried: then nothing was attempted. */
  readonly outcome: Outcome | null;
}

const NOT_COMPOSED: Outcome = {
  kind: 'deferred',
  reply: null,
  diagnostic: 'The message could not be composed.',
};

export const transmit = async (
  { upstreams, simulatorDomain, log }: Pick<AttemptDeps, 'upstreams' | 'simulatorDomain' | 'log'>,
  tenantId: string,
  ownPath: Path,
  { prepare, envelope, messageId }: Pick<Claimed, 'prepare' | 'envelope' | 'messageId'>,
): Promise<AttemptResult> => {
  const isSimulated = addressDomain(envelope.recipient as Address) === simulatorDomain;
  const path = isSimulated ? upstreams.simulator : ownPath;
  let message: Buffer;
  try {
    message = await prepare();
  } catch (error) {
    log.error({ err: error, tenant: tenantId, message: messageId }, 'message could not be composed');
    return { path, choice: null, outcome: NOT_COMPOSED };
  }
  const choice = path.take();
  if (choice === null) return { path, choice, outcome: null };
  const outcome = judge(await choice.upstream.transmit(envelope, message, { tenantId, messageId }));
  path.report(choice, outcome);
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
  return { path, choice, outcome };
};

/**
 * Stores the outcome, because a message that the upstream has taken would be sent again otherwise: tries until the tenant's file
 * takes it, or until `stopping`. `onFailed` is called after each try that failed. Resolves with the time at which the recipient
 * is due again; null where nothing is left to do for it.
 */
export const storeOutcome = async (
  { files, policy, clock, log, simulatorDomain, suppressionKey, guardrail, softBounces }: AttemptDeps,
  tenantId: string,
  row: QueueRow,
  { path, choice, outcome }: AttemptResult,
  stopping: AbortSignal,
  onFailed: () => void,
): Promise<number | null> => {
  const store = (db: TenantDb): number | null => {
    const now = clock.now();
    if (outcome === null) {
      const queue = queueStore(db);
      queue.giveBack(row, row.attempts - 1, path.retryAt(now) ?? now + SECOND);
      return queue.row(row.recipient_id)?.due_at ?? null;
    }
    const attempt = {
      row,
      outcome,
      upstream: choice?.upstream.name ?? null,
      acceptIsDelivery: choice?.acceptIsDelivery ?? false,
      upstreamWorks: path.retryAt(now) === null,
      simulatorDomain,
      suppressionKey,
      guardrail,
      softBounces,
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
