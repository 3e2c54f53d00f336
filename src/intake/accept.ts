// The one way in. Everything that asks for a message to be sent ends here: facts are read and gates run inside the
// transaction that stores message, recipients, queue rows and event, so that no state can change in between. One sync of
// the disk, shared with all commits of that moment, comes before the answer.
//
// Scanners take time, and a transaction has none. Where one is configured, the gates run twice: first without the
// scanners' report, so that nothing is scanned that is refused anyway or was answered before; then with it, in the
// transaction that stores. So do those of messages that share a transaction, because the rules take time for all of them.
import { hash } from 'node:crypto';
import { reachedShare } from '#src/accounts/counters/rules.ts';
import type { Tally } from '#src/feedback/brake/counts.ts';
import { judge } from '#src/feedback/brake/rules.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { freeNow } from '#src/kernel/large-octets.ts';
import { toAppError } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { workThrough } from '#src/kernel/slices.ts';
import { type Lane, lanes, type Stream } from '#src/kernel/stream.ts';
import { answerOf, blockedError, findKept, type KeyedRequest, keepAnswer } from './answer.ts';
import { type Assess, chooseProject, type Evaluation, evaluate, type Submission, scan } from './evaluate.ts';
import { type Facts, recipientsOf } from './gate.ts';
import { gateErrors } from './gates.ts';
import type { IntakeContext } from './intake-context.ts';
import type { SendAnswer } from './schema.ts';
import { type Stored, storeMessage } from './store-message.ts';

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
  const blocked = new AppError('content_blocked', say`${error}`, { extra: details });
  return { kind: 'blocked', error: blocked, replayed: true };
};

/** A message with how it is to be assessed. */
interface Ready {
  readonly draft: Submission['draft'];
  readonly assess: Assess;
}

const isUsageReached = ({ plan }: Facts, accepted: number): boolean =>
  plan !== null && reachedShare(plan.used + accepted, plan.cap) > plan.notified;

/**
 * `isAhead`: assesses it now, by the scanners too where one is configured; else the rules do when it is stored. The service's
 * own mail is not assessed.
 */
const makeReady = async (
  intake: IntakeContext,
  submission: Submission,
  request: KeyedRequest | null,
  isAhead: boolean,
): Promise<Accepted | Ready> => {
  const { content, files, clock } = intake;
  if (submission.source === 'system') return { draft: submission.draft, assess: () => null };
  const assess = submission.assess ?? content.rate;
  if (submission.assess || !isAhead) return { draft: submission.draft, assess };
  const { tenantId } = submission;
  const now = clock.now();
  const found = await files.read(tenantId, (db) => {
    const repeated = request && repeatedAnswer(db, chooseProject(db, submission), request, now);
    return repeated ?? evaluate(db, intake, submission, content.rate, { now });
  });
  if ('kind' in found) {
    // The message that was found may wait since a failed sync, as below.
    intake.wake(tenantId, 0, now);
    return found;
  }
  const { draft, facts, result } = found;
  if (result.refusal !== null) {
    if (isUsageReached(facts, 0)) intake.usageReached(tenantId);
    throw result.refusal;
  }
  const isScanned = content.scans() && result.suppressed.size < recipientsOf(draft).length;
  const assessment = isScanned ? await scan(intake, tenantId, found) : facts.content;
  // The assessed draft is the one that leaves: the template may have been changed meanwhile.
  return { draft, assess: () => assessment };
};

const keyedRequestOf = (idempotency: Submission['idempotency']): KeyedRequest | null =>
  idempotency && {
    key: idempotency.key,
    digest: hash('sha256', JSON.stringify(idempotency.request), 'buffer'),
  };

/**
 * Stores the message durably, or throws an AppError and stores nothing. A repeated key answers with the first answer,
 * whatever has become of project and route since.
 */
export const accept = async (intake: IntakeContext, submission: Submission): Promise<Accepted> => {
  const { tenantId, idempotency } = submission;
  const request = keyedRequestOf(idempotency);
  const key = request && `${submission.projectId ?? ''} ${request.key}`;
  return intake.requests.run(tenantId, key, async () => {
    const ready = await makeReady(intake, submission, request, intake.content.scans());
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
  /** What was accepted in it, for the metrics. */
  readonly accepted: { readonly stream: Stream; readonly source: Submission['source'] }[];
  /** The mails of tokens. */
  readonly tally: Tally;
  /** See `Stored`. */
  readonly unused: Uint8Array[];
}

/** What the token has sent, and what follows from it. */
const noteForBrake = (
  db: TenantDb,
  { brake }: IntakeContext,
  { facts, result }: Evaluation,
  { seq, dueAt, elseDueAt }: Stored,
  tally: Tally,
): void => {
  const { mails, now } = facts;
  if (facts.brake === null || mails === 0 || result.blocked) return;
  const { tokenId } = facts.brake;
  const verdict = judge(facts.brake, mails, now);
  if (verdict.is === 'slowed')
    brake.apply(
      db,
      verdict,
      { message_seq: seq, token_id: tokenId, mails, due_at: dueAt, else_due_at: elseDueAt },
      now,
    );
  tally.add(db, tokenId, mails, verdict.is === 'free', now);
};

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
  const { source } = submission;
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
  // The owners are notified after the transaction: an atomic batch may undo what has been counted so far.
  if (isUsageReached(facts, result.refusal === null ? facts.mails : 0)) wakings.usageReached = true;
  if (result.refusal !== null) return result.refusal;
  const id = newId();
  const stored = storeMessage(db, evaluation, {
    id,
    source,
    ownHeaders: submission.source === 'system' ? submission.ownHeaders : null,
    contentKey: intake.contentKey,
    campaignSeq: submission.source === 'campaign' ? submission.campaign.seq : null,
    tokenId: submission.tokenId ?? null,
  });
  noteForBrake(db, intake, evaluation, stored, wakings.tally);
  wakings.unused.push(...stored.unused);
  wake(stored.lane, stored.dueAt ?? now);
  if (result.blocked && facts.content) {
    const error = blockedError(id, facts.content);
    if (request) keepAnswer(db, evaluation.projectId, request, { status: error.status, body: error }, now);
    return { kind: 'blocked', error, replayed: false };
  }
  wakings.accepted.push({ stream: facts.stream, source });
  const answer = answerOf(id, draft, stored.status, result, facts.content);
  if (request) keepAnswer(db, evaluation.projectId, request, { status: 202, body: answer }, now);
  return { kind: 'accepted', answer, replayed: false };
};

/** Accepts a message in the present transaction, without scanners; a refusal of the gates is returned, and wrote nothing. */
export type AcceptHere = (submission: Submission) => Accepted | AppError;

/** As far as it says itself: a gate may hold it. */
const isDueAtOnce = (draft: Submission['draft']): boolean =>
  typeof draft === 'function' || draft.scheduledAt === null;

const transactWith = async <T>(
  intake: IntakeContext,
  tenantId: string,
  isDueAtOnce: boolean,
  work: (db: TenantDb, wakings: Wakings, now: number) => T,
): Promise<T> => {
  const now = intake.clock.now();
  const tally = intake.brake.tally(tenantId);
  const wakings: Wakings = { dueAt: new Map(), usageReached: false, tally, accepted: [], unused: [] };
  const release = await intake.holdDue(tenantId, now);
  try {
    let isWritten = false;
    const written = intake.files.write(tenantId, (db) => {
      // The function may run twice, the first time undone.
      tally.takeBack();
      wakings.accepted.length = 0;
      wakings.unused.length = 0;
      const result = work(db, wakings, now);
      isWritten = true;
      return result;
    });
    const isClaimed = isDueAtOnce && intake.claimAlong(tenantId, () => isWritten);
    const result = await written;
    for (const octets of wakings.unused) freeNow(octets);
    for (const one of wakings.accepted) intake.accepted.note?.(one, 1);
    for (const [lane, dueAt] of wakings.dueAt)
      if (!isClaimed || lane !== 0 || dueAt > now) intake.wake(tenantId, lane, dueAt);
    if (wakings.dueAt.size > 0) intake.stored(tenantId);
    if (wakings.usageReached) intake.usageReached(tenantId);
    return result;
  } catch (error) {
    tally.takeBack();
    // The message may be in the file although the sync failed: a look does no harm, and the registry would forget it.
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
  transactWith(intake, tenantId, false, (db, wakings, now) =>
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
  const { tenantId, draft } = submission;
  const accepted = await transactWith(intake, tenantId, isDueAtOnce(draft), (db, wakings, now) =>
    acceptIn(db, intake, submission, request, assess, wakings, now),
  );
  if (accepted instanceof AppError) throw accepted;
  return accepted;
};

/** Paths of one item's problems begin with its place in the whole: `body[3].to`. */
export const rooted = (extra: object, root: string): object =>
  'fields' in extra && Array.isArray(extra.fields)
    ? {
        ...extra,
        fields: extra.fields.map((field: { path: string }) => ({
          ...field,
          path: field.path.startsWith(root) ? field.path : field.path.replace(/^body(?=\.|$)/, root),
        })),
      }
    : extra;

/** The refusal of one of several messages as that of all of them. */
export const refusalOfItem = (thrown: unknown, index: number): AppError => {
  const refusal = toAppError(thrown);
  const { code, text, hintText, fields, given, cause } = refusal;
  if (code === 'internal_error') return refusal;
  const told = fields !== undefined ? text : say`Message ${index + 1}: ${text}`;
  const extra = rooted(given, `body[${index}]`);
  return new AppError(code, told, { hint: hintText, extra, cause } as never);
};

/** Has each of the messages looked at by the gates and the scanners. Throws the first refusal. */
export const prepareAll = async (
  intake: IntakeContext,
  submissions: readonly Submission[],
  requests: readonly (KeyedRequest | null)[] = [],
): Promise<(Accepted | Ready)[]> => {
  const ready = await workThrough(submissions, (submission, index) =>
    makeReady(intake, submission, requests[index] ?? null, true).catch((refusal: unknown) =>
      refusalOfItem(refusal, index),
    ),
  );
  const refusal = ready.find((one) => one instanceof AppError);
  if (refusal) throw refusal;
  return ready as (Accepted | Ready)[];
};

/**
 * Stores all of the messages in one transaction, or throws the first refusal and stores nothing. The callers bound how many
 * they are.
 */
export const acceptAll = async (
  intake: IntakeContext,
  tenantId: string,
  submissions: readonly Submission[],
): Promise<SendAnswer[]> => {
  const requests = submissions.map(({ idempotency }) => keyedRequestOf(idempotency));
  const ready = await prepareAll(intake, submissions, requests);
  const areDue = submissions.some(({ draft }) => isDueAtOnce(draft));
  return transactWith(intake, tenantId, areDue, (db, wakings, now) =>
    submissions.map((submission, index) => {
      const prepared = ready[index] as Accepted | Ready;
      const accepted =
        'kind' in prepared
          ? prepared
          : acceptIn(
              db,
              intake,
              { ...submission, draft: prepared.draft },
              requests[index] ?? null,
              prepared.assess,
              wakings,
              now,
            );
      if (accepted instanceof AppError) throw refusalOfItem(accepted, index);
      if (accepted.kind === 'blocked') throw refusalOfItem(accepted.error, index);
      return accepted.answer;
    }),
  );
};
