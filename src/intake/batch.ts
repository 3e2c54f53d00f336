// Many sends by one request, each as if it had come alone: a refusal is answered in its place and affects no other send.
import { createHash, hash } from 'node:crypto';
import { draftOf } from '#src/intake/templates/resolve.ts';
import { validate } from '#src/kernel/validate.ts';
import { accept } from './accept.ts';
import type { IntakeContext } from './intake-context.ts';
import {
  type Answered,
  answerWhole,
  createSlices,
  keyOfPart,
  type ManyRequest,
  type Outcome,
  outcomeOf,
  statusOf,
  type WholeAnswer,
  workThrough,
} from './many.ts';
import { sendBody } from './schema.ts';

export interface BatchRequest extends ManyRequest {
  /** JSON values that have not been validated. */
  readonly items: readonly unknown[];
}

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value), 'hex');

/** The digest of each item and of the whole request. Without a key they are not needed. */
const digestsOf = async ({ items, key }: BatchRequest): Promise<{ each: string[]; all: Buffer }> => {
  const each: string[] = [];
  const pause = createSlices();
  for (const item of key === null ? [] : items) {
    await pause();
    each.push(digestOf(item));
  }
  return {
    each,
    all: createHash('sha256')
      .update(`batch\n${each.join('\n')}`)
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

const sendItem = (
  intake: IntakeContext,
  { tenantId, projects, key, log }: BatchRequest,
  item: unknown,
  index: number,
  digest: string | undefined,
): Promise<Outcome> => {
  const root = `body[${index}]`;
  return outcomeOf(root, log, async () => {
    const body = validate(sendBody, item, root);
    const { idempotency_key: own, ...request } = body;
    return accept(intake, {
      tenantId,
      projects,
      projectId: body.project_id ?? null,
      source: 'batch',
      draft: draftOf(body),
      idempotency: idempotencyOf(key, own, request, index, digest),
    });
  });
};

const itemOf = (outcome: Outcome) => (outcome.kind === 'accepted' ? outcome.answer : outcome.refusal);

/** Answers in the order of the items. Rejects as `answerWhole`, for the whole alone. */
export const sendBatch = async (intake: IntakeContext, request: BatchRequest): Promise<Answered> => {
  const { items } = request;
  const digests = await digestsOf(request);
  const whole = { ...request, projectId: null, digest: digests.all };
  return answerWhole(intake, whole, async (): Promise<WholeAnswer> => {
    const outcomes = await workThrough(items, (item, index) =>
      sendItem(intake, request, item, index, digests.each[index]),
    );
    return { status: statusOf(outcomes), body: outcomes.map(itemOf), outcomes };
  });
};
