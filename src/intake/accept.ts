// The one way in. Everything that asks for a message to be sent ends here: facts are read and gates run inside the
// transaction that stores message, recipients, queue rows and event, so that no state can change in between. One sync of
// the disk, shared with all commits of that moment, comes before the answer.
//
// Scanners take time, and a transaction has none. Where one is configured, the gates run twice: first without the
// scanners' report, so that nothing is scanned that is refused anyway or was answered before; then with it, in the
// transaction that stores.
import { hash } from 'node:crypto';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { type Lane, lanes } from '#src/kernel/stream.ts';
import { answerOf, blockedError } from './answer.ts';
import { type Assess, chooseProject, evaluate, type Submission, scan } from './evaluate.ts';
import { type Facts, recipientsOf } from './gate.ts';
import { gateErrors } from './gates.ts';
import { findKept, type KeyedRequest, keepAnswer } from './idempotency.ts';
import type { IntakeContext } from './intake-context.ts';
import type { SendAnswer } from './schema.ts';
import { storeMessage } from './store-message.ts';
import { reachedShare } from './usage-notices.ts';

/** The codes that a route which sends one message may answer: those of the gates, and of what comes before them. */
export const SEND_ERRORS: readonly ErrorCode[] = [
  ...gateErrors(),
  'idempotency_in_progress',
  'idempotency_conflict',
  'conflict',
  'not_found',
  'forbidden',
];

export type Accept = (submission: Submission) => Promise<Accepted>;

export type Accepted =
  | { readonly kind: 'accepted'; readonly answer: SendAnswer; readonly replayed: boolean }
  /** Kept as failed. */
  | { readonly kind: 'blocked'; readonly error: AppError; readonly replayed: boolean };

const repeatedAnswer = (
  db: TenantDb,
  projectId: string,
  request: KeyedRequest,
  now: number,
): Accepted | null => {
  const kept = findKept(db, projectId, request, now);
  if (kept === null) return null;
  const body = JSON.parse(kept.response_json);
  if (kept.status === 202) return { kind: 'accepted', answer: body, replayed: true };
  const { error, code: _, ...details } = body;
  const blocked = new AppError('content_blocked', error, { extra: details });
  return { kind: 'blocked', error: blocked, replayed: true };
};

/** A message with how it is to be assessed. */
interface Ready {
  readonly draft: Submission['draft'];
  readonly assess: Assess;
}

const isUsageReached = ({ plan }: Facts, accepted: number): boolean =>
  plan !== null && reachedShare(plan.used + accepted, plan.cap) > plan.notified;

const refused = (intake: IntakeContext, tenantId: string, refusal: AppError, facts: Facts): AppError => {
  if (isUsageReached(facts, 0)) intake.usageReached(tenantId);
  return refusal;
};

/** Asks the scanners where one is configured; else the rules alone. The service's own mail is not assessed. */
const makeReady = async (
  intake: IntakeContext,
  submission: Submission,
  request: KeyedRequest | null,
): Promise<Accepted | Ready> => {
  const { content, files, clock } = intake;
  if (submission.source === 'system') return { draft: submission.draft, assess: () => null };
  const assess = submission.assess ?? content.rate;
  if (submission.assess || !content.scans()) return { draft: submission.draft, assess };
  const { tenantId } = submission;
  const now = clock.now();
  const found = await files.read(tenantId, (db) => {
    const repeated = request && repeatedAnswer(db, chooseProject(db, submission), request, now);
    return repeated ?? evaluate(db, intake, submission, content.rate, { now });
  });
  if ('kind' in found) return found;
  const { draft, facts, result } = found;
  if (result.refusal !== null) throw refused(intake, tenantId, result.refusal, facts);
  if (result.suppressed.size === recipientsOf(draft).length) return { draft, assess };
  const assessment = await scan(intake, tenantId, found);
  // The scanned draft is the one that leaves: the template may have been changed meanwhile.
  return { draft, assess: () => assessment };
};

/**
 * Stores the message durably, or throws an AppError and stores nothing. A repeated key answers with the first answer,
 * whatever has become of project and route since.
 */
export const accept = async (intake: IntakeContext, submission: Submission): Promise<Accepted> => {
  const { tenantId, idempotency } = submission;
  const request = idempotency && {
    key: idempotency.key,
    digest: hash('sha256', JSON.stringify(idempotency.request), 'buffer'),
  };
  const key = request && `${submission.projectId ?? ''} ${request.key}`;
  return intake.requests.run(tenantId, key, async () => {
    const ready = await makeReady(intake, submission, request);
    return 'kind' in ready
      ? ready
      : store(intake, { ...submission, draft: ready.draft }, request, ready.assess);
  });
};

const store = async (
  intake: IntakeContext,
  submission: Submission,
  request: KeyedRequest | null,
  assess: Assess,
): Promise<Accepted> => {
  const { tenantId, source } = submission;
  const now = intake.clock.now();
  let woken: { lane: Lane; dueAt: number } = { lane: 0, dueAt: now };
  let usageReached = false;
  /** A refusal is returned, not thrown: it has written nothing that would have to be undone for all of the batch. */
  const write = (db: TenantDb): Accepted | AppError => {
    const repeated = request && repeatedAnswer(db, chooseProject(db, submission), request, now);
    if (repeated) return repeated;
    const evaluation = evaluate(db, intake, submission, assess, { now });
    const { draft, facts, result } = evaluation;
    if (result.refusal !== null) return refused(intake, tenantId, result.refusal, facts);
    const id = newId();
    const ownHeaders = submission.source === 'system' ? submission.ownHeaders : null;
    const { contentKey } = intake;
    const stored = storeMessage(db, evaluation, { id, source, ownHeaders, contentKey });
    woken = { lane: stored.lane, dueAt: stored.dueAt ?? now };
    usageReached = isUsageReached(facts, facts.mails);
    if (result.blocked && facts.content) {
      const error = blockedError(id, facts.content);
      if (request) keepAnswer(db, evaluation.projectId, request, { status: error.status, body: error }, now);
      return { kind: 'blocked', error, replayed: false };
    }
    const answer = answerOf(id, draft, stored.status, result, facts.content);
    if (request) keepAnswer(db, evaluation.projectId, request, { status: 202, body: answer }, now);
    return { kind: 'accepted', answer, replayed: false };
  };
  const release = await intake.holdDue(tenantId, now);
  try {
    const accepted = await intake.files.write(tenantId, write);
    if (accepted instanceof AppError) throw accepted;
    // A repeated answer wakes the relay too: the first request may have ended in a failed sync, and its message waits since.
    intake.wake(tenantId, woken.lane, woken.dueAt);
    if (usageReached) intake.usageReached(tenantId);
    return accepted;
  } catch (error) {
    // After a failed sync the message may be in the file: a look does no harm, and the registry would forget it.
    if (error instanceof AppError && error.code === 'unavailable')
      for (const lane of lanes) intake.wake(tenantId, lane, now);
    throw error;
  } finally {
    release();
  }
};
