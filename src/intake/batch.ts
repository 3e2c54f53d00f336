// Many sends by one request, each as if it had come alone: a refusal is answered in its place and affects no other send.
import { createHash, hash } from 'node:crypto';
import { createSlices, workThrough } from '#src/kernel/slices.ts';
import { validate } from '#src/kernel/validate.ts';
import { accept, acceptAll, prepareAll, refusalOfItem } from './accept.ts';
import type { ForeignSource, Submission } from './evaluate.ts';
import type { IntakeContext } from './intake-context.ts';
import {
  type Answered,
  answerWhole,
  keyOfPart,
  type ManyRequest,
  type Outcome,
  outcomeOf,
  statusOf,
  type WholeAnswer,
} from './many.ts';
import { sendBody } from './schema.ts';
import { draftOf } from './templates/resolve.ts';

export interface BatchRequest extends ManyRequest {
  readonly source: 'batch' | ForeignSource;
  /** JSON values that have not been validated. */
  readonly items: readonly unknown[];
  /** What is validated of items in another form; throws AppError. `root` is the place of the item in the request. */
  readonly toNative?: (item: unknown, root: string) => unknown;
  /** All of them are accepted or none is: the first refusal refuses the whole. */
  readonly isAtomic?: boolean;
  /** An atomic batch is only asked whether it would be accepted. Nothing is stored, and there are no answers. */
  readonly isTrial?: boolean;
}

const rootOf = (index: number): string => `body[${index}]`;

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value), 'hex');

/**
 * The digest of each item, and of the whole request, which is another one where it is all or nothing: the answers differ.
 * Without a key they are not needed.
 */
const digestsOf = async ({
  items,
  key,
  isAtomic,
}: BatchRequest): Promise<{ each: string[]; all: Buffer }> => {
  const each: string[] = [];
  const pause = createSlices();
  for (const item of key === null ? [] : items) {
    await pause();
    each.push(digestOf(item));
  }
  return {
    each,
    all: createHash('sha256')
      .update(`${isAtomic ? 'atomic ' : ''}batch\n${each.join('\n')}`)
      .digest(),
  };
};

/** Its own key, unless that is the header's; else one made of the header's. */
const idempotencyOf = (
  whole: string | null,
  own: string | undefined,
  request: unknown,
  index: number,
  digest: string | undefined,
) => {
  if (own !== undefined && own !== whole) return { key: own, request };
  return whole === null ? null : { key: keyOfPart(whole, index), request: digest };
};

/** Throws `invalid_request`, and what `draftOf` throws. */
const submissionOf = (
  { tenantId, tokenId = null, projects, key, source, toNative = (given) => given }: BatchRequest,
  item: unknown,
  index: number,
  digest: string | undefined,
): Submission => {
  const root = rootOf(index);
  const body = validate(sendBody, toNative(item, root), root);
  const { idempotency_key: own, ...request } = body;
  return {
    tenantId,
    tokenId,
    projects,
    projectId: body.project_id ?? null,
    source,
    draft: draftOf(body),
    idempotency: idempotencyOf(key, own, request, index, digest),
  };
};

const sendEach = async (
  intake: IntakeContext,
  request: BatchRequest,
  digests: readonly string[],
): Promise<Outcome[]> =>
  workThrough(request.items, (item, index) =>
    outcomeOf(rootOf(index), request, async () =>
      accept(intake, submissionOf(request, item, index, digests[index])),
    ),
  );

/** Throws the first refusal, which names the item it is about. */
const sendAll = async (
  intake: IntakeContext,
  request: BatchRequest,
  digests: readonly string[],
): Promise<Outcome[]> => {
  const submissions: Submission[] = [];
  const pause = createSlices();
  for (const [index, item] of request.items.entries()) {
    await pause();
    try {
      submissions.push(submissionOf(request, item, index, digests[index]));
    } catch (refusal) {
      throw refusalOfItem(refusal, index);
    }
  }
  if (request.isTrial) {
    await prepareAll(intake, submissions);
    return [];
  }
  const answers = await acceptAll(intake, request.tenantId, submissions);
  return answers.map((answer) => ({ kind: 'accepted', answer }));
};

const itemOf = (outcome: Outcome) => (outcome.kind === 'accepted' ? outcome.answer : outcome.refusal);

/** Answers in the order of the items. Rejects as `answerWhole`, for the whole alone. */
export const sendBatch = async (intake: IntakeContext, request: BatchRequest): Promise<Answered> => {
  const digests = await digestsOf(request);
  const whole = { ...request, projectId: null, digest: digests.all };
  return answerWhole(intake, whole, async (): Promise<WholeAnswer> => {
    const outcomes = await (request.isAtomic ? sendAll : sendEach)(intake, request, digests.each);
    return { status: statusOf(outcomes), body: outcomes.map(itemOf), outcomes };
  });
};
