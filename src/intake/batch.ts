// Up to 500 sends by one request, each as if it had come alone: a bad one says so in its place and fails no other.
import { createHash, hash } from 'node:crypto';
import type { Caller } from '#src/kernel/access.ts';
import type { Log } from '#src/kernel/log.ts';
import { validate } from '#src/kernel/validate.ts';
import { type AcceptDeps, accept } from './accept.ts';
import { createSlices, type Outcome, outcomeOf, statusOf, workThrough } from './many.ts';
import { sendBody } from './schema.ts';
import { draftOf } from './templated.ts';
import { type Answered, answerWhole, keyOfPart, type WholeAnswer } from './whole-request.ts';

export interface BatchRequest {
  readonly tenantId: string;
  readonly projects: Caller['projects'];
  /** JSON values that nobody has looked at. */
  readonly items: readonly unknown[];
  /** Of the whole; each item may have one of its own. */
  readonly key: string | null;
  readonly log: Log;
}

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value), 'hex');

/** Of each item, and of all. Without a key nobody asks for them. */
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

/** Its own key; else one made of the whole's. One that says the same as the header's is none of its own. */
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
  deps: AcceptDeps,
  { tenantId, projects, key, log }: BatchRequest,
  item: unknown,
  index: number,
  digest: string | undefined,
): Promise<Outcome> => {
  const root = `body[${index}]`;
  return outcomeOf(root, log, async () => {
    const body = validate(sendBody, item, root);
    const { idempotency_key: own, ...request } = body;
    return accept(deps, {
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
export const sendBatch = async (deps: AcceptDeps, request: BatchRequest): Promise<Answered> => {
  const { tenantId, projects, items, key } = request;
  const digests = await digestsOf(request);
  const whole = { tenantId, projects, projectId: null, key, digest: digests.all };
  return answerWhole(deps, whole, async (): Promise<WholeAnswer> => {
    const outcomes = await workThrough(items, (item, index) =>
      sendItem(deps, request, item, index, digests.each[index]),
    );
    return { status: statusOf(outcomes), body: outcomes.map(itemOf), outcomes };
  });
};
