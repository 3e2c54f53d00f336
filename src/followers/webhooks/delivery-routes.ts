// The deliveries of a webhook over HTTP: the outcome of each, and replays.
import { z } from 'zod';
import { requirePermission } from '#src/accounts/entry/enter.ts';
import { limitKeyedConcurrency } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, encodeCursor, listOf } from '#src/kernel/list.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { PracticeUrl } from '#src/messages/published-event.ts';
import { type WebhookDeps, webhookOf } from './change.ts';
import { deliveryStore } from './delivery-store.ts';
import { healthOf, presentDelivery, presentWithBody } from './present.ts';
import type { WebhookDeliveries } from './queue.ts';
import { deliveryOf, replayFailed, replayOne } from './replay.ts';
import { webhookParams, webhookRouteShared } from './routes.ts';
import {
  deliveriesQuery,
  deliverySchema,
  deliveryWithBody,
  replayBody,
  replayedSchema,
  webhookHealthSchema,
} from './schema.ts';

/** Looks for one page; each of them passes over some thousand rows that do not fit, and lets others in between. */
const MAX_LOOKS = 20;

/** Each looks through all that has failed, some seconds of the thread that all practices share. */
const REPLAYS_PER_MINUTE = 12;

const deliveryParams = z.strictObject({ ...webhookParams.shape, deliveryID: idSchema });

type Deliveries = z.infer<ReturnType<typeof listOf<typeof deliverySchema>>>;

export const deliveryRoutes = (
  { files, clock }: Pick<WebhookDeps, 'files' | 'clock'>,
  deliveries: Pick<WebhookDeliveries, 'endBackoff'>,
  practiceUrl: PracticeUrl,
): Route[] => {
  const limitReplays = createRateCheck(
    clock,
    () => perMinute(REPLAYS_PER_MINUTE),
    say`All that failed is delivered again ${REPLAYS_PER_MINUTE} times a minute at most.`,
  );
  // Each rests in between, and many at once would take the rests of all others.
  const inPlace = limitKeyedConcurrency(1, say`Deliveries of the practice are being put back already.`);

  const look = (
    db: TenantDb,
    webhookId: string,
    query: z.infer<typeof deliveriesQuery>,
    before: number | null,
  ) => {
    const filter = { status: query.status ?? null, event: query.event ?? null };
    const { rows, next } = deliveryStore(db).find(
      webhookOf(db, webhookId).number,
      filter,
      before,
      query.limit,
    );
    return { data: rows.map((row) => presentDelivery(db, row)), next };
  };

  return [
    defineRoute({
      ...webhookRouteShared,
      method: 'get',
      path: '/api/practices/{id}/webhooks/{webhookID}/health',
      id: 'getWebhookHealth',
      summary: 'How the newest deliveries of a webhook went, and what waits',
      params: webhookParams,
      responses: { 200: { description: 'As it is now.', body: webhookHealthSchema } },
      handle: async ({ params }) => ({
        status: 200,
        body: await files.read(params.id, (db) => healthOf(db, webhookOf(db, params.webhookID))),
      }),
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'get',
      path: '/api/practices/{id}/webhooks/{webhookID}/deliveries',
      id: 'listDeliveries',
      summary: 'Deliveries of a webhook',
      description:
        'As long as `retention.webhook_deliveries` keeps them. Where a filter fits to few of very many, a page may have ' +
        'fewer than `limit`, or none: it goes on with `next_cursor`.',
      params: webhookParams,
      query: deliveriesQuery,
      responses: { 200: { description: 'Newest first.', body: listOf(deliverySchema) } },
      handle: async ({ params, query }) => {
        let next = decodeCursor(query.cursor);
        let data: Deliveries['data'] = [];
        for (let looks = 0; looks < MAX_LOOKS && data.length === 0; looks += 1) {
          const before = next;
          ({ data, next } = await files.read(params.id, (db) => look(db, params.webhookID, query, before)));
          if (next === null) break;
        }
        return { status: 200, body: { data, next_cursor: next === null ? null : encodeCursor(next) } };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'get',
      path: '/api/practices/{id}/webhooks/{webhookID}/deliveries/{deliveryID}',
      id: 'getDelivery',
      summary: 'A delivery with its body',
      description: 'That of a mail received also needs `inbound.view`.',
      params: deliveryParams,
      responses: { 200: { description: 'The delivery.', body: deliveryWithBody } },
      handle: async ({ params }, { caller }) => {
        const body = await files.read(params.id, (db) => {
          const webhook = webhookOf(db, params.webhookID);
          const row = deliveryOf(db, webhook, params.deliveryID);
          if (row.event === 'inbound.received') requirePermission(db, caller, 'inbound.view');
          return presentWithBody(db, row, { webhook, practiceUrl: practiceUrl(params.id) });
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'post',
      path: '/api/practices/{id}/webhooks/{webhookID}/deliveries/{deliveryID}/replay',
      id: 'replayDelivery',
      summary: 'Deliver again',
      description:
        'Under the same id and with the same body, by the schedule from its beginning. One that is pending is due at once.',
      audit: { none: 'what was delivered is delivered again; the deliveries keep the log of it' },
      params: deliveryParams,
      responses: { 202: { description: 'The delivery, pending.', body: deliverySchema } },
      errors: ['conflict'],
      handle: async ({ params }) => {
        const body = await files.write(params.id, (db) =>
          presentDelivery(db, replayOne(db, params.webhookID, params.deliveryID, clock.now())),
        );
        deliveries.endBackoff(params.id, params.webhookID);
        return { status: 202, body };
      },
    }),
    defineRoute({
      ...webhookRouteShared,
      method: 'post',
      path: '/api/practices/{id}/webhooks/{webhookID}/replay',
      id: 'replayFailedDeliveries',
      summary: 'Deliver again all that failed since a time, or in a period',
      description: 'Also what happened while the webhook was disabled. Oldest first, as one by one.',
      audit: { none: 'what was delivered is delivered again; the deliveries keep the log of it' },
      params: webhookParams,
      body: replayBody,
      responses: { 202: { description: 'How many are pending again.', body: replayedSchema } },
      errors: ['conflict', 'rate_limited'],
      handle: async ({ params: { id, webhookID }, body: { since, until } }) => {
        limitReplays(id);
        const failures = {
          since: Date.parse(since),
          until: until === undefined ? undefined : Date.parse(until),
        };
        const replay = () => replayFailed({ files, clock }, id, webhookID, failures);
        const replayed = await inPlace(id, replay);
        deliveries.endBackoff(id, webhookID);
        return { status: 202, body: replayed };
      },
    }),
  ];
};
