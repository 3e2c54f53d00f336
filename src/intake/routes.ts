// Sending over HTTP.
import { z } from 'zod';
import { idSchema } from '#src/kernel/fields.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { type AcceptDeps, accept } from './accept.ts';
import { dryRun } from './dry-run.ts';
import { keyHeaders, keyOf } from './request-key.ts';
import { type SendBody, sendAnswer, sendBody } from './schema.ts';
import { scoreAnswer } from './score.ts';
import { draftOf } from './templated.ts';

const submissionOf = (body: SendBody, { caller, tenantId }: RequestContext) => {
  if (tenantId === null) throw new Error('the door names the tenant of every route that asks a permission');
  return {
    tenantId,
    projects: caller.projects,
    projectId: body.project_id ?? null,
    source: 'api',
    draft: draftOf(body),
  } as const;
};

const send = async (deps: AcceptDeps, body: SendBody, context: RequestContext): Promise<RouteResult> => {
  const key = keyOf(body.idempotency_key, context);
  const { idempotency_key: _, ...request } = body;
  const accepted = await accept(deps, {
    ...submissionOf(body, context),
    idempotency: key === null ? null : { key, request },
  });
  const headers = accepted.replayed ? { 'Idempotent-Replayed': 'true' } : {};
  return accepted.kind === 'accepted'
    ? { status: 202, body: accepted.answer, headers }
    : { status: accepted.error.status, body: accepted.error, headers };
};

const practiceParams = z.strictObject({ id: idSchema.describe('the practice') });

/** 30 MiB of attachments are 40 MiB of base64, and the texts beside them. */
export const BODY_LIMIT_BYTES = defaultLimits.bodyBytes;

export const sendRoutes = (deps: AcceptDeps): Route[] => {
  const shared = {
    method: 'post',
    tag: 'Send',
    access: 'messages.send',
    audit: { none: 'a message is its own record' },
    stability: 'stable',
    headers: keyHeaders,
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
      params: practiceParams,
      handle: ({ body }, context) => send(deps, body, context),
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/send/score',
      tag: 'Send',
      summary: 'Rate a message without sending it',
      description:
        'Takes the body of a send. Rules and scanners look at its content and all gates say what they would; nothing is stored, no idempotency key is looked at. Words are German or English by Accept-Language.',
      access: 'messages.send',
      audit: { none: 'nothing is stored' },
      stability: 'stable',
      params: practiceParams,
      body: sendBody,
      bodyLimit: BODY_LIMIT_BYTES,
      responses: { 200: { description: 'What would become of it.', body: scoreAnswer } },
      errors: ['invalid_recipient', 'conflict', 'not_found', 'forbidden'],
      handle: async ({ body }, context) => ({
        status: 200,
        body: await dryRun(deps, submissionOf(body, context), context.language),
      }),
    }),
    defineRoute({
      ...shared,
      path: '/api/emails',
      summary: 'Send a message; the practice is that of the token, or named in X-Service-Practice',
      handle: ({ body }, context) => send(deps, body, context),
    }),
  ];
};
