// What the routes share by which messages are sent over HTTP: the idempotency key in a request, and the answer.
import { z } from 'zod';
import type { Caller } from '#src/kernel/access.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { RequestContext, RouteResult } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { type Accepted, accept } from './accept.ts';
import { answerIn } from './answer.ts';
import type { ForeignSource } from './evaluate.ts';
import type { IntakeContext } from './intake-context.ts';
import { idempotencyKey, type SendBody } from './schema.ts';
import { draftOf } from './templates/resolve.ts';

export const keyHeaders = z.object({
  'Idempotency-Key': idempotencyKey
    .optional()
    .describe(
      'a repeated request with the same key is answered as the first one; X-Idempotency-Key is an alias',
    ),
});

const keyNames = ['idempotency-key', 'x-idempotency-key'];

/** The header wins over the body's field. Throws `invalid_request` for a header that cannot be used. */
export const keyOf = (
  field: string | undefined,
  { header, countOf }: Pick<RequestContext, 'header' | 'countOf'>,
): string | null => {
  // Ignoring a repeated header would send the retry again.
  if (keyNames.some((name) => countOf(name) > 1)) {
    throw new AppError('invalid_request', say`The Idempotency-Key is in the head more than once.`, {
      extra: { fields: [{ path: 'header.Idempotency-Key', message: say`expected once` }] },
    });
  }
  const given = header('idempotency-key') ?? header('x-idempotency-key');
  if (given === undefined) return field ?? null;
  const parsed = idempotencyKey.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new AppError('invalid_request', say`The Idempotency-Key is not usable.`, {
    extra: { fields: [{ path: 'header.Idempotency-Key', message: say`expected 1 to 256 characters` }] },
  });
};

/** The API token by which the request comes; null: it comes by none. */
export const tokenOf = ({ kind, credentialId }: Pick<Caller, 'kind' | 'credentialId'>): string | null =>
  kind === 'team_token' || kind === 'project_token' ? credentialId : null;

/** The practice, the projects of it that the caller may use, and their token. */
export const senderOf = ({
  caller,
  tenantId,
  noteMade,
}: Pick<RequestContext, 'caller' | 'tenantId' | 'noteMade'>) => {
  if (tenantId === null)
    throw new Error('the server names the tenant of every route that asks for a permission');
  return { tenantId, tokenId: tokenOf(caller), projects: caller.projects, noteMade };
};

export const replayHeaders = (replayed: boolean) => (replayed ? { 'Idempotent-Replayed': 'true' } : {});

/** Accepts the message of one request, in whatever form it came. */
export const sendOne = async (
  intake: IntakeContext,
  source: 'api' | ForeignSource,
  body: SendBody,
  context: RequestContext,
): Promise<Accepted> => {
  const key = keyOf(body.idempotency_key, context);
  const { idempotency_key: _, ...request } = body;
  const { noteMade, ...sender } = senderOf(context);
  const accepted = await accept(intake, {
    ...sender,
    projectId: body.project_id ?? null,
    source,
    draft: draftOf(body),
    idempotency: key === null ? null : { key, request },
  });
  if (accepted.kind === 'accepted') noteMade([accepted.answer.id]);
  return accepted;
};

/** The answer to who sent one message. */
export const acceptedResult = (accepted: Accepted, language: MemberLanguage): RouteResult => {
  const headers = replayHeaders(accepted.replayed);
  return accepted.kind === 'accepted'
    ? { status: 202, body: answerIn(language, accepted.answer), headers }
    : { status: accepted.error.status, body: accepted.error, headers };
};
