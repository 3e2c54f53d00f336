// Webhooks over HTTP. They report all projects: `webhooks.manage` is never granted for some projects only.

import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { TEST_EVENT } from '#src/events/catalogue.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { createTestBounds } from '#src/kernel/outbound/outbound.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  rotateSecret,
  type WebhookDeps,
  webhookOf,
} from './change.ts';
import { presentDelivery, presentWebhook, webhookVersion } from './present.ts';
import type { WebhookDeliveries } from './queue.ts';
import {
  createWebhookBody,
  deliverySchema,
  patchWebhookBody,
  rotateBody,
  webhookSchema,
  webhookWithSecret,
} from './schema.ts';
import { webhookStore } from './store.ts';

export const webhookParams = z.strictObject({ ...tenantParams.shape, webhookID: idSchema });

export const webhookRouteShared = {
  tag: 'Webhooks',
  access: 'webhooks.manage',
  stability: 'stable',
} as const;

export const webhookRoutes = (
  deps: WebhookDeps,
  deliveries: Pick<WebhookDeliveries, 'sendTest' | 'restart'>,
): Route[] => {
  const { files, clock, key } = deps;
  const inTestBounds = createTestBounds(clock, 'Webhooks');
  const one = { description: 'The webhook.', body: webhookSchema };
  const withSecret = { description: 'The webhook with its secret, this once.', body: webhookWithSecret };
  return [
    defineRoute({
      ...webhookRouteShared,
      method: 'get',
      path: '/api/practices/{id}/webhooks',
      id: 'listWebhooks',
      summary: 'Webhooks',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'All, in the order they were made.', body: listOf(webhookSchema) } },
      handle: async ({ params, query }) => {
        const rows = await files.read(params.id, (db) => webhookStore(db).list());
        const now = clock.now();
        return { status: 200, body: pageOf(rows, query, (row) => presentWebhook(row, key, now)) };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'post',
      path: '/api/practices/{id}/webhooks',
      id: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'It gets what happens from now on. Each event is POSTed as JSON and signed with the `secret`, which is shown in ' +
        'this answer alone. The address must be public: names and addresses of internal networks are refused, now and at ' +
        'each delivery.',
      audit: 'webhook.create',
      params: tenantParams,
      body: createWebhookBody,
      responses: { 201: withSecret },
      errors: ['conflict'],
      handle: async ({ params, body }, context) => {
        const { row, secret } = await createWebhook(deps, params.id, body, context);
        return { status: 201, body: { ...presentWebhook(row, key, clock.now()), secret } };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'get',
      path: '/api/practices/{id}/webhooks/{webhookID}',
      id: 'getWebhook',
      summary: 'A webhook',
      version: webhookVersion,
      params: webhookParams,
      responses: { 200: one },
      handle: async ({ params }) => {
        const row = await files.read(params.id, (db) => webhookOf(db, params.webhookID));
        return { status: 200, body: presentWebhook(row, key, clock.now()) };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'patch',
      path: '/api/practices/{id}/webhooks/{webhookID}',
      id: 'updateWebhook',
      summary: 'Change, disable or enable a webhook',
      description:
        'Deliveries that are pending go to the new address; other events hold for what happens from now on. While it is ' +
        'disabled its events become failed deliveries, which can be replayed once it is enabled again.',
      audit: 'webhook.update',
      version: webhookVersion,
      params: webhookParams,
      body: patchWebhookBody,
      responses: { 200: one },
      handle: async ({ params, body }, context) => {
        const row = await changeWebhook(deps, params.id, params.webhookID, body, context);
        if (body.url !== undefined || body.status !== undefined)
          deliveries.restart(params.id, params.webhookID);
        return { status: 200, body: presentWebhook(row, key, clock.now()) };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'delete',
      path: '/api/practices/{id}/webhooks/{webhookID}',
      id: 'deleteWebhook',
      summary: 'Delete a webhook with its deliveries',
      audit: 'webhook.delete',
      params: webhookParams,
      responses: { 204: { description: 'It is gone. What is pending is not delivered any more.' } },
      handle: async ({ params }, { change }) => {
        await removeWebhook(deps, params.id, params.webhookID, change);
        deliveries.restart(params.id, params.webhookID);
        return { status: 204 };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'post',
      path: '/api/practices/{id}/webhooks/{webhookID}/rotate',
      id: 'rotateWebhookSecret',
      summary: 'Give a webhook a new secret',
      description:
        'The former secret signs too for 24 hours, unless it is revoked; one that was former until now signs no more.',
      audit: 'webhook.rotate',
      params: webhookParams,
      body: rotateBody,
      responses: { 200: withSecret },
      handle: async ({ params, body }, { change }) => {
        const { row, secret } = await rotateSecret(
          deps,
          params.id,
          params.webhookID,
          body.revoke_previous,
          change,
        );
        return { status: 200, body: { ...presentWebhook(row, key, clock.now()), secret } };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'post',
      path: '/api/practices/{id}/webhooks/{webhookID}/test',
      id: 'testWebhook',
      summary: `Deliver \`${TEST_EVENT}\``,
      description:
        'At once and once, also to a webhook that is disabled. The answer comes when the delivery has ended, after ' +
        '`webhooks.timeout` at the latest, and says what became of it.',
      audit: { none: 'nothing is changed; the delivery is listed among the others' },
      params: webhookParams,
      responses: { 200: { description: 'The delivery: delivered or failed.', body: deliverySchema } },
      errors: ['rate_limited'],
      handle: async ({ params }) => {
        await files.read(params.id, (db) => webhookOf(db, params.webhookID));
        const row = await inTestBounds(params.id, () => deliveries.sendTest(params.id, params.webhookID));
        const body = await files.read(params.id, (db) => presentDelivery(db, row));
        return { status: 200, body };
      },
    }),
  ];
};
