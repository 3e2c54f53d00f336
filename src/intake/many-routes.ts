// Many messages by one request, over HTTP: batch and templated bulk.
import { z } from 'zod';
import { idSchema } from '#src/kernel/fields.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import type { AcceptDeps } from './accept.ts';
import { sendBatch } from './batch.ts';
import { sendBulk } from './bulk.ts';
import {
  asItComes,
  type BulkBody,
  batchItem,
  bulkAnswer,
  bulkBody,
  bulkRefusal,
  flatBulkBody,
} from './bulk-schema.ts';
import { keyHeaders, keyOf } from './request-key.ts';
import { BODY_LIMIT_BYTES } from './routes.ts';
import { sendBody } from './schema.ts';
import type { Answered } from './whole-request.ts';

export const MAX_BATCH = defaultLimits.batch;

const resultOf = ({ status, body, replayed }: Answered): RouteResult => ({
  status,
  body,
  headers: replayed ? { 'Idempotent-Replayed': 'true' } : {},
});

const whoOf = ({ caller, tenantId, log }: RequestContext) => {
  if (tenantId === null) throw new Error('the door names the tenant of every route that asks a permission');
  return { tenantId, projects: caller.projects, log };
};

export const manyRoutes = (deps: AcceptDeps): Route[] => {
  const shared = {
    method: 'post',
    tag: 'Send',
    access: 'messages.send',
    audit: { none: 'a message is its own record' },
    stability: 'stable',
    headers: keyHeaders,
    bodyLimit: BODY_LIMIT_BYTES,
  } as const;
  const params = z.strictObject({ id: idSchema.describe('the practice') });
  const bulk = {
    ...shared,
    description:
      'One message a recipient, each with its own values in it and its own way to unsubscribe. Placeholders are `{{name}}`, values are escaped in HTML. Where any recipient lacks a value, nothing is sent. Rules look at each message, scanners at the first. Attachments cannot be sent so.',
    responses: {
      202: {
        description: 'One result a recipient, in their order; at least one was accepted.',
        body: bulkAnswer,
      },
      422: {
        description: 'None was accepted: the results, or what concerns all of them.',
        body: bulkRefusal,
      },
    },
    errors: [
      'tenant_paused',
      'impressum_incomplete',
      'warmup_not_ready',
      'idempotency_in_progress',
      'idempotency_conflict',
      'kind_not_allowed_on_route',
      'dkim_not_verified',
      'from_not_allowed',
      'header_not_allowed',
      'conflict',
      'not_found',
      'forbidden',
    ],
  } as const;
  const answerBulk = async (body: BulkBody, context: RequestContext): Promise<RouteResult> => {
    const key = keyOf(body.idempotency_key, context);
    return resultOf(await sendBulk(deps, { ...whoOf(context), body, key }));
  };
  return [
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/send/batch',
      summary: `Send up to ${MAX_BATCH} messages`,
      description:
        'An array of bodies as of a single send. Each is answered in its place: as a single send is, or with `status_code` and the refusal. An item may have an `idempotency_key` of its own; the header Idempotency-Key stands for the whole: after a connection that broke, the same request again sends no item twice.',
      params,
      body: z.array(asItComes(sendBody)).max(MAX_BATCH),
      responses: {
        202: { description: 'At least one was accepted.', body: z.array(batchItem) },
        422: { description: 'None was accepted.', body: z.array(batchItem) },
      },
      errors: ['idempotency_in_progress', 'idempotency_conflict'],
      handle: async ({ body }, context) => {
        const key = keyOf(undefined, context);
        return resultOf(await sendBatch(deps, { ...whoOf(context), items: body, key }));
      },
    }),
    defineRoute({
      ...bulk,
      path: '/api/practices/{id}/send/bulk',
      summary: 'Send one template to many recipients',
      params,
      body: bulkBody,
      handle: ({ body }, context) => answerBulk(body, context),
    }),
    defineRoute({
      ...bulk,
      path: '/api/emails/send-bulk',
      summary:
        'Send one template to many recipients; the practice is that of the token, or named in X-Service-Practice',
      body: flatBulkBody,
      handle: ({ body }, context) => answerBulk(body, context),
    }),
  ];
};
