// Reads messages: search, one message, its timeline, its events. A caller that is limited to projects sees only the
// messages of these projects.
import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { eventSchema, presentEvent } from '#src/events/schema.ts';
import { eventStore } from '#src/events/store.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, encodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { DAY } from '#src/kernel/time.ts';
import { presentMessage, presentSummary, visibleMessage } from './present.ts';
import { messageSchema, messageSummarySchema, searchQuery, timelineSchema } from './schema.ts';
import type { SearchIndexer } from './search-indexer.ts';
import { messageSearchStore } from './search-store.ts';
import { messageStore } from './store.ts';
import { presentTimeline } from './timeline.ts';

const tenantParams = z.strictObject({ id: idSchema.describe('the practice') });
const messageParams = z.strictObject({ ...tenantParams.shape, messageID: idSchema });

/** A timeline has no pages: a message has at most 50 recipients, each with a few tens of events. */
const MAX_TIMELINE_EVENTS = 10_000;

const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;
const timeOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));
/** The end of the day where only a day is given, otherwise the time itself. */
const endOf = (text: string | undefined): number | null =>
  text === undefined ? null : Date.parse(text) + (DAY_ALONE.test(text) ? DAY : 0);

/** Mail received is the practice's: who is limited to projects never has the permission. */
const maySeeMail = ({ permissions }: Caller): boolean => permissions.has('inbound.view');

export interface MessageRoutesDeps {
  readonly files: TenantFiles;
  readonly indexer: Pick<SearchIndexer, 'waiting'>;
}

export const messageRoutes = ({ files, indexer }: MessageRoutesDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/messages/search',
    tag: 'Messages',
    id: 'searchMessages',
    summary: 'Search messages',
    access: 'messages.view',
    stability: 'stable',
    params: tenantParams,
    query: searchQuery,
    responses: {
      200: {
        description:
          'Newest first, without bodies. A page may have fewer than `limit` messages, even none, while `next_cursor` is set: a call stops after a limited time, and the next one continues.',
        body: listOf(messageSummarySchema),
      },
    },
    handle: async ({ params, query }, { caller }) => {
      const before = decodeCursor(query.cursor);
      const page = await files.read(params.id, (db) => {
        const route = query.route === undefined ? null : tenantStore(db).route(query.route);
        const isForeign = route?.project_id && !mayUseProject(caller, route.project_id);
        if (route === undefined || isForeign) throw new AppError('not_found', 'There is no such route.');
        const { campaign_id } = query;
        const campaign = campaign_id === undefined ? null : messageStore(db).campaignSeq(campaign_id);
        if (campaign === undefined) throw new AppError('not_found', 'There is no such campaign.');
        const store = messageSearchStore(db);
        indexer.waiting(params.id, store.behind());
        const found = store.find(
          {
            text: query.q ?? null,
            tag: query.tag ?? null,
            status: query.status ?? null,
            routeId: route?.id ?? null,
            projects: caller.projects && [...caller.projects],
            kind: query.kind ?? null,
            campaign,
            createdFrom: timeOf(query.from),
            createdBefore: endOf(query.to),
          },
          before,
          query.limit,
        );
        return {
          data: found.rows.map((row) => presentSummary(db, row)),
          next_cursor: found.before === null ? null : encodeCursor(found.before),
        };
      });
      return { status: 200, body: page };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/messages/{messageID}',
    tag: 'Messages',
    id: 'getMessage',
    summary: 'One message',
    access: 'messages.view',
    stability: 'stable',
    params: messageParams,
    responses: { 200: { description: 'Bodies with `messages.view_content` only.', body: messageSchema } },
    handle: async ({ params }, { caller }) => ({
      status: 200,
      body: await files.read(params.id, (db) =>
        presentMessage(db, visibleMessage(db, params.messageID, caller), caller),
      ),
    }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/messages/{messageID}/timeline',
    tag: 'Messages',
    id: 'getMessageTimeline',
    summary: 'How its status changed',
    access: 'messages.view',
    stability: 'stable',
    params: messageParams,
    responses: {
      200: {
        description:
          'Each change of a status and, with `inbound.view`, each reply received, in the order they happened. Signals that changed none (reported late or twice, or caused by a machine) are only among the events.',
        body: timelineSchema,
      },
    },
    handle: async ({ params }, { caller }) => ({
      status: 200,
      body: await files.read(params.id, (db) => {
        const row = visibleMessage(db, params.messageID, caller);
        return presentTimeline(
          row,
          eventStore(db).ofMessage(row.seq, 0, MAX_TIMELINE_EVENTS, maySeeMail(caller)),
        );
      }),
    }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/messages/{messageID}/events',
    tag: 'Messages',
    id: 'listMessageEvents',
    summary: 'Its events',
    access: 'messages.view',
    stability: 'stable',
    params: messageParams,
    query: z.strictObject(listQuery),
    responses: {
      200: {
        description: 'In the order they happened; the replies received with `inbound.view` only.',
        body: listOf(eventSchema),
      },
    },
    handle: async ({ params, query }, { caller }) => {
      const after = decodeCursor(query.cursor) ?? 0;
      const rows = await files.read(params.id, (db) => {
        const { seq } = visibleMessage(db, params.messageID, caller);
        return eventStore(db).ofMessage(seq, after, query.limit + 1, maySeeMail(caller));
      });
      return { status: 200, body: toPage(rows, query.limit, (row) => row.seq, presentEvent) };
    },
  }),
];
