// Reads one message, its timeline, its events. A caller that is limited to projects sees only the
// messages of these projects.
import { z } from 'zod';
import { eventSchema, presentEvent } from '#src/events/schema.ts';
import { eventStore } from '#src/events/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { presentMessage, visibleMessage } from './present.ts';
import { messageSchema, timelineSchema } from './schema.ts';
import { presentTimeline } from './timeline.ts';

const messageParams = z.strictObject({ id: idSchema.describe('the practice'), messageID: idSchema });

/** A timeline has no pages: a message has at most 50 recipients, each with a few tens of events. */
const MAX_TIMELINE_EVENTS = 10_000;

/** Mail received is the practice's: who is limited to projects never has the permission. */
const maySeeMail = ({ permissions }: Caller): boolean => permissions.has('inbound.view');

export const messageRoutes = (files: TenantFiles): Route[] => [
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
