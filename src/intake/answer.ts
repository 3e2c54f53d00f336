// The answer to a sender whose message was accepted, the error where its content must not leave, and answers that are kept.
import type { Assessment } from '#src/content/assessment.ts';
import { wordsOf } from '#src/content/rate-content.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { answerDefault, type MemberLanguage } from '#src/kernel/language.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { say } from '#src/kernel/say.ts';
import { DAY, SECOND, toIso } from '#src/kernel/time.ts';
import type { Status } from '#src/messages/rules.ts';
import type { Draft } from './draft.ts';
import { DELICATE_TRACKING, warnsOfTracking } from './gate.ts';
import type { GateResult } from './gates.ts';
import { idempotencyStore, type KeptAnswer } from './idempotency-store.ts';
import type { RequestQueue } from './intake-context.ts';
import type { SendAnswer } from './schema.ts';
import { wordsIn } from './words.ts';

const warningWords = (id: string, language: MemberLanguage) =>
  id === DELICATE_TRACKING ? wordsIn(language).findings[DELICATE_TRACKING] : wordsOf({ id }, language);

/** The answer with its words in that language: they follow from its codes. */
export const answerIn = (language: MemberLanguage, answer: SendAnswer): SendAnswer => ({
  ...answer,
  ...(answer.code && { hint: wordsIn(language).suppressed[answer.code] }),
  ...(answer.content_warnings && {
    content_warnings: answer.content_warnings.map(({ id }) => ({ id, ...warningWords(id, language) })),
  }),
});

export const answerOf = (
  id: string,
  draft: Draft,
  status: Status,
  { suppressed, verdicts }: GateResult,
  content: Assessment | null,
): SendAnswer => {
  const warned = [
    ...(content?.findings ?? []).map((finding) => finding.id),
    ...(warnsOfTracking(verdicts) ? [DELICATE_TRACKING] : []),
  ];
  return answerIn(answerDefault, {
    id,
    message_id: id,
    status,
    ...(status === 'pending' && draft.scheduledAt !== null ? { scheduled_at: toIso(draft.scheduledAt) } : {}),
    ...(suppressed.size > 0 && {
      code: status === 'suppressed' ? 'recipient_suppressed' : 'recipients_suppressed',
      hint: '',
      suppressed: [...suppressed],
    }),
    ...(warned.length > 0 && { content_warnings: warned.map((id) => ({ id, why: '', advice: '' })) }),
  });
};

const blockWords = {
  score: (score: number) => say`The content scores ${score} of 100; mail is blocked from 70 on.`,
  scanner: () => say`The spam scanner rejects the content.`,
  virus: () => say`The virus scanner found something in an attachment.`,
  listed_host: () => say`The content links to a host on a block list.`,
};

/** `messageId` is that of the message, which is kept as failed. */
export const blockedError = (messageId: string, content: Assessment): AppError<'content_blocked'> =>
  new AppError('content_blocked', blockWords[content.block ?? 'score'](content.score), {
    extra: {
      content_reasons: content.findings.map(({ id }) => id),
      scanner: content.scanner,
      message_id: messageId,
    },
  });

// Idempotency keys: requests with one key run one after the other, the first does the work, and the others are answered
// with what the first one left. An answer is kept for a day.

/** How long a key answers with what was answered first. */
export const IDEMPOTENCY_PERIOD = DAY;
const PATIENCE_MS = 30 * SECOND;
/** So many answers take some 5 ms of a transaction. */
const ANSWERS_PER_TRANSACTION = 500;

export interface KeyedRequest {
  readonly key: string;
  /** SHA-256 of the request's content. */
  readonly digest: Buffer;
}

const inProgress = (): AppError =>
  new AppError('idempotency_in_progress', say`The first request with this idempotency key is still running.`);

export const createRequestQueue = (patienceMs: number = PATIENCE_MS): RequestQueue => {
  const queue = createKeyedQueue();
  return {
    run: async (tenantId, key, work) => {
      if (key === null) return work();
      const { promise: begins, resolve: begin } = Promise.withResolvers<boolean>();
      let gaveUp = false;
      const patience = setTimeout(() => begin(false), patienceMs);
      const running = queue(`${tenantId} ${key}`, async () => {
        if (gaveUp) throw inProgress();
        begin(true);
        return work();
      });
      running.catch(() => undefined);
      const hasBegun = await begins;
      clearTimeout(patience);
      if (hasBegun) return running;
      gaveUp = true;
      throw inProgress();
    },
  };
};

/** What is kept under the key. `scope` is the id of a project. Throws `idempotency_conflict`. */
export const findKept = (
  db: TenantDb,
  scope: string,
  { key, digest }: KeyedRequest,
  now: number,
): KeptAnswer | null => {
  const kept = idempotencyStore(db).get(scope, key, now - IDEMPOTENCY_PERIOD);
  if (!kept) return null;
  if (kept.request_hash.equals(digest)) return kept;
  throw new AppError('idempotency_conflict', say`This idempotency key was used for another request.`);
};

export const keepAnswer = (
  db: TenantDb,
  scope: string,
  { key, digest }: KeyedRequest,
  { status, body }: { readonly status: number; readonly body: unknown },
  now: number,
): void => {
  const answer = { request_hash: digest, status, response_json: JSON.stringify(body) };
  idempotencyStore(db).put(scope, key, answer, now, now - IDEMPOTENCY_PERIOD);
};

/**
 * Removes the answers whose day is over. New requests remove some of them; those of a practice that no longer sends would
 * stay. Ends between two transactions when `signal` aborts; `pace` may rest after each.
 */
export const removeExpiredAnswers = async (
  files: Pick<TenantFiles, 'read' | 'write'>,
  tenantId: string,
  now: number,
  signal: AbortSignal,
  pace: Pace,
): Promise<void> => {
  const expired = now - IDEMPOTENCY_PERIOD;
  const oldest = await files.read(tenantId, (db) => idempotencyStore(db).oldest());
  if (oldest === undefined || oldest > expired) return;
  for (let removed = ANSWERS_PER_TRANSACTION; removed === ANSWERS_PER_TRANSACTION && !signal.aborted; )
    removed = await pace(() =>
      files.write(tenantId, (db) => idempotencyStore(db).removeExpired(expired, ANSWERS_PER_TRANSACTION)),
    );
};
