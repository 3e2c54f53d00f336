// What the front desk does with mail received, over HTTP: conversations that are taken, done and noted in, saved replies, and the
// number of unread mails.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { newId } from '#src/kernel/id.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, toIso } from '#src/kernel/time.ts';
import { requireContent } from '../mailbox/routes.ts';
import { inboundStore } from '../store.ts';
import { type ReplyRow, replyStore } from './reply-store.ts';
import {
  assigneeSchema,
  changeReplyBody,
  changeThreadBody,
  newReplyBody,
  noteBody,
  savedReplySchema,
  threadSchema,
} from './schema.ts';
import { addNote, assignees, changeThread, presentThread, removeNote, requireThread } from './threads.ts';

const INBOUND = '/api/practices/{id}/inbound';
const THREAD = `${INBOUND}/threads/{threadID}`;
const REPLIES = '/api/practices/{id}/saved-replies';
const ONE_REPLY = `${REPLIES}/{replyID}`;
const threadParams = z.strictObject({ ...tenantParams.shape, threadID: idSchema });
const noteParams = z.strictObject({ ...threadParams.shape, noteID: idSchema });
const replyParams = z.strictObject({ ...tenantParams.shape, replyID: idSchema });
/** All of them are listed where one answers. */
const MAX_REPLIES = 200;

const presentReply = ({ id, name, text, created_at, updated_at }: ReplyRow) => ({
  id,
  name,
  text,
  created_at: toIso(created_at),
  updated_at: toIso(updated_at),
});

const replyOf = (db: TenantDb, id: string): ReplyRow => {
  const row = replyStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such saved reply.`);
  return row;
};

const threadRoutes = (files: TenantFiles, clock: Clock): Route[] => {
  const shared = {
    tag: 'Inbound mail',
    access: 'inbound.view',
    stability: 'stable',
    params: threadParams,
  } as const;
  const one = (description: string) => ({ description, body: threadSchema });
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: `${INBOUND}/unread`,
      id: 'countUnreadMail',
      summary: 'How many mails in the inbox are unread',
      params: tenantParams,
      responses: { 200: { description: 'The number.', body: z.strictObject({ unread: z.int() }) } },
      handle: async ({ params: { id } }) => ({
        status: 200,
        body: { unread: await files.read(id, (db) => inboundStore(db).unread()) },
      }),
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: `${INBOUND}/assignees`,
      id: 'listAssignees',
      summary: 'Members who can have a conversation',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: {
        200: { description: 'Active members who may see mail received.', body: listOf(assigneeSchema) },
      },
      handle: async ({ params: { id }, query }) => ({
        status: 200,
        body: await files.read(id, (db) => pageOf(assignees(db), query, (one) => one)),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: THREAD,
      id: 'getInboundThread',
      summary: 'A conversation: who has it, whether it is done, and its notes',
      description: 'Its mails: GET …/inbound/messages?thread_id=. Also needs `messages.view_content`.',
      responses: { 200: one('The conversation.') },
      handle: async ({ params: { id, threadID } }, { caller }) => ({
        status: 200,
        body: await files.read(id, (db) => {
          requireThread(db, threadID);
          requireContent(caller);
          return presentThread(db, threadID);
        }),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: THREAD,
      id: 'updateInboundThread',
      summary: 'Give a conversation to a member, or mark it as done',
      description: 'Also needs `messages.view_content`.',
      audit: 'inbound_thread.update',
      body: changeThreadBody,
      responses: { 200: one('As it is now.') },
      errors: ['conflict'],
      handle: async ({ params: { id, threadID }, body }, { caller, change }) => ({
        status: 200,
        body: await files.write(id, (db) => {
          requireThread(db, threadID);
          requireContent(caller);
          changeThread(db, threadID, body, { change, now: clock.now() });
          return presentThread(db, threadID);
        }),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${THREAD}/notes`,
      id: 'addInboundNote',
      summary: 'Note something in a conversation',
      description:
        'For members alone: it is never sent, and goes with the last mail of the conversation. Also needs `messages.view_content`.',
      audit: 'inbound_note.create',
      body: noteBody,
      responses: { 201: one('The conversation with the note.') },
      errors: ['conflict'],
      handle: async ({ params: { id, threadID }, body: { text } }, { caller, change }) => ({
        status: 201,
        body: await files.write(id, (db) => {
          requireThread(db, threadID);
          requireContent(caller);
          addNote(db, threadID, text, caller, { change, now: clock.now() });
          return presentThread(db, threadID);
        }),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: `${THREAD}/notes/{noteID}`,
      id: 'deleteInboundNote',
      summary: 'Delete a note',
      description: 'Also needs `messages.view_content`.',
      audit: 'inbound_note.delete',
      params: noteParams,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { id, threadID, noteID } }, { caller, change }) => {
        await files.write(id, (db) => {
          requireThread(db, threadID);
          requireContent(caller);
          removeNote(db, threadID, noteID, { change, now: clock.now() });
        });
        return { status: 204 };
      },
    }),
  ];
};

const replyRoutes = (files: TenantFiles, clock: Clock): Route[] => {
  const shared = {
    tag: 'Saved replies',
    access: 'messages.send',
    stability: 'stable',
    params: replyParams,
  } as const;
  const audited = ({ name, text }: ReplyRow) => ({ name, text });
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: REPLIES,
      id: 'listSavedReplies',
      summary: 'Saved replies',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'All, by name.', body: listOf(savedReplySchema) } },
      handle: async ({ params: { id }, query }) => ({
        status: 200,
        body: await files.read(id, (db) => pageOf(replyStore(db).list(), query, presentReply)),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: REPLIES,
      id: 'createSavedReply',
      summary: 'Save a reply',
      description: `A text for answers to mail received. At most ${MAX_REPLIES} a practice.`,
      audit: 'saved_reply.create',
      params: tenantParams,
      body: newReplyBody,
      responses: { 201: { description: 'The reply.', body: savedReplySchema } },
      errors: ['conflict'],
      handle: async ({ params: { id }, body }, { change }) => {
        const row = await files.write(id, (db) => {
          if (replyStore(db).list().length >= MAX_REPLIES)
            throw new AppError('conflict', say`A practice has at most ${MAX_REPLIES} saved replies.`);
          const now = clock.now();
          const made = { id: newId(), ...body, created_at: now, updated_at: now };
          replyStore(db).put(made);
          const target = { type: 'saved_reply', id: made.id };
          auditStore(db).record(change, { target, before: null, after: audited(made) }, now);
          return made;
        });
        return { status: 201, body: presentReply(row) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: ONE_REPLY,
      id: 'updateSavedReply',
      summary: 'Change a saved reply',
      audit: 'saved_reply.update',
      body: changeReplyBody,
      responses: { 200: { description: 'As it is now.', body: savedReplySchema } },
      handle: async ({ params: { id, replyID }, body }, { change }) => {
        const row = await files.write(id, (db) => {
          const before = replyOf(db, replyID);
          const now = clock.now();
          const { name = before.name, text = before.text } = body;
          const after = { ...before, name, text, updated_at: now };
          replyStore(db).put(after);
          const target = { type: 'saved_reply', id: replyID };
          auditStore(db).record(change, { target, before: audited(before), after: audited(after) }, now);
          return after;
        });
        return { status: 200, body: presentReply(row) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: ONE_REPLY,
      id: 'deleteSavedReply',
      summary: 'Delete a saved reply',
      audit: 'saved_reply.delete',
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { id, replyID } }, { change }) => {
        await files.write(id, (db) => {
          const before = replyOf(db, replyID);
          replyStore(db).remove(replyID);
          const target = { type: 'saved_reply', id: replyID };
          auditStore(db).record(change, { target, before: audited(before), after: null }, clock.now());
        });
        return { status: 204 };
      },
    }),
  ];
};

export const deskRoutes = (files: TenantFiles, clock: Clock): Route[] => [
  ...threadRoutes(files, clock),
  ...replyRoutes(files, clock),
];
