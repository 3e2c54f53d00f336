// The mailbox over HTTP: lists, one mail, its source, and what is done with it. It is the practice's, not a project's.

import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, encodeCursor, listOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { writtenMailboxes } from '#src/mail/address-field.ts';
import { headFieldsOf } from '#src/mail/field-block.ts';
import { presentMailbox } from '#src/messages/present.ts';
import { messageStore } from '#src/messages/store.ts';
import { markOf } from '../desk/threads.ts';
import { formOfMail } from '../forms/of-mail.ts';
import { forwardsOf } from '../forwarding/targets.ts';
import { attachmentOf } from '../reading/attachments.ts';
import { readMail } from '../reading/read.ts';
import { inboundStore } from '../store.ts';
import { deleteMail, mailOf, markRead, releaseMail } from './change.ts';
import {
  attachmentIndex,
  download,
  type MailSources,
  OCTETS,
  positionOf,
  SOURCE_TYPE,
  sourcePieces,
} from './download.ts';
import { mailFindStore } from './find-store.ts';
import { presentMail } from './present.ts';
import {
  findQuery,
  inboundMessageSchema,
  inboundSummarySchema,
  listedMailSchema,
  readBody,
} from './schema.ts';

const mailParams = z.strictObject({ ...tenantParams.shape, messageID: idSchema });
const attachmentParams = z.strictObject({
  ...mailParams.shape,
  index: attachmentIndex,
});
const CONTENT = 'messages.view_content';
const shared = { tag: 'Inbound mail', stability: 'stable', params: mailParams } as const;
const ONE = '/api/practices/{id}/inbound/messages/{messageID}';
const one = (description: string) => ({ 200: { description, body: inboundSummarySchema } });

const timeOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

/** Asked once the mail is known to exist, as a permission of the route would be. */
export const requireContent = ({ permissions }: Caller): void => {
  if (permissions.has(CONTENT)) return;
  throw new AppError('forbidden', say`The content of mail needs a permission of its own.`, {
    extra: { permission: CONTENT },
  });
};

/** No member has this id: tokens have no conversations. */
const NOT_A_MEMBER = '';

const find = (db: TenantDb, query: z.output<typeof findQuery>, { memberId }: Caller) => {
  const answered = query.reply_to_message_id && messageStore(db).byId(query.reply_to_message_id);
  const filter = {
    text: query.q ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
    state: query.state ?? null,
    read: query.read === undefined ? null : query.read === 'true',
    threadId: query.thread_id ?? null,
    assignee: query.assignee === 'me' ? (memberId ?? NOT_A_MEMBER) : (query.assignee ?? null),
    done: query.done === undefined ? null : query.done === 'true',
    // No mail answers number 0.
    replyToSeq: query.reply_to_message_id === undefined ? null : answered ? answered.seq : 0,
    receivedFrom: timeOf(query.received_after),
    receivedBefore: timeOf(query.received_before),
  };
  const { rows, before } = mailFindStore(db).find(filter, decodeCursor(query.cursor), query.limit);
  return {
    data: rows.map((row) => ({ ...presentMail(db, row), thread: markOf(db, row.thread_id) })),
    next_cursor: before === null ? null : encodeCursor(before),
  };
};

export const mailboxRoutes = (files: TenantFiles, clock: Clock, sourceOf: MailSources): Route[] => [
  defineRoute({
    ...shared,
    method: 'get',
    path: '/api/practices/{id}/inbound/messages',
    id: 'listInboundMessages',
    summary: 'Mail received',
    access: 'inbound.view',
    params: tenantParams,
    query: findQuery,
    responses: {
      200: {
        description:
          'Newest first, without content. A page may have fewer than `limit` mails, even none, while `next_cursor` is set: a call stops after a limited time, and the next one continues.',
        body: listOf(listedMailSchema),
      },
    },
    handle: async ({ params, query }, { caller }) => ({
      status: 200,
      body: await files.read(params.id, (db) => find(db, query, caller)),
    }),
  }),
  defineRoute({
    ...shared,
    method: 'get',
    path: ONE,
    id: 'getInboundMessage',
    summary: 'One mail received',
    description: 'Reading it marks nothing.',
    access: 'inbound.view',
    responses: {
      200: { description: 'Content with `messages.view_content` only.', body: inboundMessageSchema },
    },
    errors: ['rate_limited'],
    handle: async ({ params: { id, messageID } }, { caller }) => {
      const { row, mail, begin } = await files.read(id, (db) => {
        const found = mailOf(db, messageID);
        const mail = {
          ...presentMail(db, found),
          thread: markOf(db, found.thread_id),
          form: formOfMail(db, found.seq),
          forwards: forwardsOf(db, found.seq),
        };
        return { row: found, mail, begin: inboundStore(db).piece(found.seq, 0) };
      });
      if (!caller.permissions.has(CONTENT)) return { status: 200, body: mail };
      const reply_to = begin ? writtenMailboxes(headFieldsOf(begin), 'reply-to').map(presentMailbox) : [];
      return { status: 200, body: { ...mail, reply_to, ...(await readMail(sourceOf(id, row))) } };
    },
  }),
  defineRoute({
    ...shared,
    method: 'get',
    path: `${ONE}/raw`,
    id: 'getInboundSource',
    summary: 'The source of a mail received',
    description:
      'Byte for byte as it came, below the fields added at its reception. Also needs `messages.view_content`.',
    access: 'inbound.view',
    responses: { 200: { description: 'The source (RFC 5322).', body: SOURCE_TYPE } },
    handle: async ({ params: { id, messageID } }, { caller }) => {
      const row = await files.read(id, (db) => mailOf(db, messageID));
      requireContent(caller);
      return download(sourcePieces(files, id, row), 'message.eml', SOURCE_TYPE);
    },
  }),
  defineRoute({
    ...shared,
    method: 'get',
    path: `${ONE}/attachments/{index}`,
    id: 'getInboundAttachment',
    summary: 'An attachment of a mail received',
    description:
      'Always a download without a type of its own: what the sender says of it is in the record of the mail. Also needs `messages.view_content`.',
    access: 'inbound.view',
    params: attachmentParams,
    responses: { 200: { description: 'Its content.', body: OCTETS } },
    errors: ['rate_limited'],
    handle: async ({ params: { id, messageID, index } }, { caller }) => {
      const row = await files.read(id, (db) => mailOf(db, messageID));
      requireContent(caller);
      const attachment = await attachmentOf(sourceOf(id, row), positionOf(index));
      if (!attachment) throw new AppError('not_found', say`The mail has no such attachment.`);
      return download(attachment.content, attachment.filename, OCTETS);
    },
  }),
  defineRoute({
    ...shared,
    method: 'patch',
    path: ONE,
    id: 'markInboundMessage',
    summary: 'Mark a mail received as read or unread',
    description: 'For all who see it. Also needs `messages.view_content`, which Viewers do not have.',
    access: 'inbound.view',
    audit: { none: 'whether a mail was read is no change of it' },
    body: readBody,
    responses: one('As it is now, without content.'),
    handle: async ({ params: { id, messageID }, body }, { caller }) => {
      const mail = await files.write(id, (db) => {
        const { id: found } = mailOf(db, messageID);
        requireContent(caller);
        return presentMail(db, markRead(db, found, body.read, clock.now()));
      });
      return { status: 200, body: mail };
    },
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: `${ONE}/release`,
    id: 'releaseInboundMessage',
    summary: 'Release a held or quarantined mail to the inbox',
    description: 'From then on all is as for mail received now: `inbound.received` follows, and forwarding.',
    access: 'inbound.manage',
    audit: 'inbound_message.release',
    responses: one('As it is now, without content.'),
    errors: ['conflict'],
    handle: async ({ params: { id, messageID } }, { change }) => ({
      status: 200,
      body: await files.write(id, (db) =>
        presentMail(db, releaseMail(db, messageID, { change, now: clock.now() })),
      ),
    }),
  }),
  defineRoute({
    ...shared,
    method: 'delete',
    path: ONE,
    id: 'deleteInboundMessage',
    summary: 'Delete a mail received',
    description: 'For good, with its content; its bytes are overwritten.',
    access: 'inbound.manage',
    audit: 'inbound_message.delete',
    responses: { 204: { description: 'It is gone.' } },
    handle: async ({ params: { id, messageID } }, { change }) => {
      await deleteMail(files, id, messageID, { change, now: clock.now() });
      return { status: 204 };
    },
  }),
];
