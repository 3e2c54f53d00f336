// Sending over HTTP.
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { type AcceptDeps, accept } from './accept.ts';
import { toDraft } from './draft.ts';
import { idempotencyKey, type SendBody, sendAnswer, sendBody } from './schema.ts';

const sendHeaders = z.object({
  'Idempotency-Key': idempotencyKey
    .optional()
    .describe(
      'a repeated request with the same key is answered as the first one; X-Idempotency-Key is an alias',
    ),
});

const keyNames = ['idempotency-key', 'x-idempotency-key'];

const keyOf = (body: SendBody, { header, countOf }: RequestContext): string | null => {
  // To take a repeated key for none would send the retry again.
  if (keyNames.some((name) => countOf(name) > 1)) {
    throw new AppError('invalid_request', 'The Idempotency-Key stands more than once in the head.', {
      extra: { fields: [{ path: 'header.Idempotency-Key', message: 'expected once' }] },
    });
  }
  const given = header('idempotency-key') ?? header('x-idempotency-key');
  if (given === undefined) return body.idempotency_key ?? null;
  const parsed = idempotencyKey.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new AppError('invalid_request', 'The Idempotency-Key is not usable.', {
    extra: { fields: [{ path: 'header.Idempotency-Key', message: 'expected 1 to 256 characters' }] },
  });
};

const send = async (deps: AcceptDeps, body: SendBody, context: RequestContext): Promise<RouteResult> => {
  const { caller, tenantId } = context;
  if (tenantId === null) throw new Error('the door names the tenant of every route that asks a permission');
  const key = keyOf(body, context);
  const { idempotency_key: _, ...request } = body;
  const accepted = await accept(deps, {
    tenantId,
    projects: caller.projects,
    projectId: body.project_id ?? null,
    source: 'api',
    draft: toDraft(body),
    idempotency: key === null ? null : { key, request },
  });
  const headers = accepted.replayed ? { 'Idempotent-Replayed': 'true' } : {};
  return accepted.kind === 'accepted'
    ? { status: 202, body: accepted.answer, headers }
    : { status: accepted.error.status, body: accepted.error, headers };
};

const MIB = 1_024 * 1_024;
/** 30 MiB of attachments are 40 MiB of base64, and the texts beside them. */
const BODY_LIMIT_BYTES = 48 * MIB;

export const sendRoutes = (deps: AcceptDeps): Route[] => {
  const shared = {
    method: 'post',
    tag: 'Send',
    access: 'messages.send',
    audit: { none: 'a message is its own record' },
    stability: 'stable',
    headers: sendHeaders,
    body: sendBody,
    bodyLimit: BODY_LIMIT_BYTES,
    responses: { 202: { description: 'It is on the disk and will be sent.', body: sendAnswer } },
    errors: [
      'tenant_paused',
      'plan_cap_reached',
      'content_blocked',
      'promotional_on_transactional',
      'impressum_incomplete',
      'warmup_not_ready',
      'warmup_cap_reached',
      'consent_required',
      'idempotency_in_progress',
      'idempotency_conflict',
      'kind_not_allowed_on_route',
      'dkim_not_verified',
      'attachment_rejected',
      'too_many_recipients',
      'safe_mode_recipient',
      'from_not_allowed',
      'header_not_allowed',
      'invalid_recipient',
      'conflict',
      'not_found',
      'forbidden',
    ],
  } as const;
  return [
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/send',
      summary: 'Send a message',
      params: z.strictObject({ id: idSchema.describe('the practice') }),
      handle: ({ body }, context) => send(deps, body, context),
    }),
    defineRoute({
      ...shared,
      path: '/api/emails',
      summary: 'Send a message; the practice is that of the token, or named in X-Service-Practice',
      handle: ({ body }, context) => send(deps, body, context),
    }),
  ];
};
