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

/** What is to happen once a transaction is on the disk in which messages were accepted. */
interface Wakings {
  /** When something of each lane is due. */
  readonly dueAt: Map<Lane, number>;
  usageReached: boolean;
}

/** A refusal is returned, not thrown: it has written nothing that would have to be undone for all of the transaction. */
const acceptIn = (
  db: TenantDb,
  intake: IntakeContext,
  submission: Submission,
  request: KeyedRequest | null,
  assess: Assess,
  wakings: Wakings,
  now: number,
): Accepted | AppError => {
  const { tenantId, source } = submission;
  const wake = (lane: Lane, dueAt: number): void => {
    wakings.dueAt.set(lane, Math.min(wakings.dueAt.get(lane) ?? dueAt, dueAt));
  };
  const repeated = request && repeatedAnswer(db, chooseProject(db, submission), request, now);
  if (repeated) {
    // The first request may have ended in a failed sync, and its message waits since.
    wake(0, now);
    return repeated;
  }
  const evaluation = evaluate(db, intake, submission, assess, { now });
  const { draft, facts, result } = evaluation;
  if (result.refusal !== null) return refused(intake, tenantId, result.refusal, facts);
  const id = newId();
  const stored = storeMessage(db, evaluation, {
    id,
    source,
    ownHeaders: submission.source === 'system' ? submission.ownHeaders : null,
    contentKey: intake.contentKey,
    campaignSeq: submission.source === 'campaign' ? submission.campaign.seq : null,
  });
  wake(stored.lane, stored.dueAt ?? now);
  if (isUsageReached(facts, facts.mails)) wakings.usageReached = true;
  if (result.blocked && facts.content) {
    const error = blockedError(id, facts.content);
    if (request) keepAnswer(db, evaluation.projectId, request, { status: error.status, body: error }, now);
    return { kind: 'blocked', error, replayed: false };
  }
  const answer = answerOf(id, draft, stored.status, result, facts.content);
  if (request) keepAnswer(db, evaluation.projectId, request, { status: 202, body: answer }, now);
  return { kind: 'accepted', answer, replayed: false };
};

/** Accepts a message in the present transaction, without scanners; a refusal of the gates is returned, and wrote nothing. */
export type AcceptHere = (submission: Submission) => Accepted | AppError;

const transactWith = async <T>(
  intake: IntakeContext,
  tenantId: string,
  work: (db: TenantDb, wakings: Wakings, now: number) => T,
): Promise<T> => {
  const now = intake.clock.now();
  const wakings: Wakings = { dueAt: new Map(), usageReached: false };
  const release = await intake.holdDue(tenantId, now);
  try {
    const result = await intake.files.write(tenantId, (db) => work(db, wakings, now));
    for (const [lane, dueAt] of wakings.dueAt) intake.wake(tenantId, lane, dueAt);
    if (wakings.usageReached) intake.usageReached(tenantId);
    return result;
  } catch (error) {
    // After a failed sync the message may be in the file: a look does no harm, and the registry would forget it.
    if (error instanceof AppError && error.code === 'unavailable')
      for (const lane of lanes) intake.wake(tenantId, lane, now);
    throw error;
  } finally {
    release();
  }
};

/**
 * Runs `work` in one transaction of the tenant's file, in which messages may be accepted beside other writes. It may run twice.
 * Rejects as `TenantFiles.write`.
 */
export const transact = <T>(
  intake: IntakeContext,
  tenantId: string,
  work: (db: TenantDb, accept: AcceptHere) => T,
): Promise<T> =>
  transactWith(intake, tenantId, (db, wakings, now) =>
    work(db, (submission) =>
      acceptIn(db, intake, submission, null, submission.assess ?? intake.content.rate, wakings, now),
    ),
  );

const store = async (
  intake: IntakeContext,
  submission: Submission,
  request: KeyedRequest | null,
  assess: Assess,
): Promise<Accepted> => {
  const accepted = await transactWith(intake, submission.tenantId, (db, wakings, now) =>
    acceptIn(db, intake, submission, request, assess, wakings, now),
  );
  if (accepted instanceof AppError) throw accepted;
  return accepted;
};
