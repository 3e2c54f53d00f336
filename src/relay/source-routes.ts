// The source of one recipient's copy, composed again from what is stored, by the same code that composes copies that leave.
import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { addressKey } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { Copy, StoredMessage } from '#src/messages/compose/message.ts';
import { composeCopy } from '#src/messages/compose/prepare.ts';
import { shownBody, visibleMessage } from '#src/messages/present.ts';
import { messageStore, type RecipientRow } from '#src/messages/store.ts';
import { type RecipientCopyDeps, recipientCopy } from './recipient-copy.ts';

const MAX_ADDRESS = 320;
const MIB = 1_024 * 1_024;
/** Composing a copy with the largest attachments keeps the event loop busy for 0.3 s: each MiB of it is one of them. */
const SOURCES_PER_MINUTE = 300;

export interface SourceRoutesDeps extends RecipientCopyDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
}

const recipientOf = (recipients: readonly RecipientRow[], address: string | undefined): RecipientRow => {
  const wanted = address?.toLowerCase();
  const found = recipients.find(
    (recipient) => wanted === undefined || addressKey(recipient.address as Address) === wanted,
  );
  if (!found) throw new AppError('not_found', say`The message has no such recipient.`);
  return found;
};

const gone = (what: Text): AppError<'not_found'> =>
  new AppError(
    'not_found',
    say`${what} of the message are older than they are kept, and have been removed.`,
    {
      hint: say`What is known of its recipients and its events is still there: see the message and its timeline.`,
    },
  );

const stored = (
  db: TenantDb,
  deps: RecipientCopyDeps,
  messageId: string,
  address: string | undefined,
  caller: Caller,
): { stored: StoredMessage; copy: Copy } => {
  const message = visibleMessage(db, messageId, caller);
  const store = messageStore(db);
  const recipient = recipientOf(store.recipients(message.seq), address);
  const body = store.body(message.seq);
  if (!body) throw gone(say`Text and HTML`);
  if (store.removed(message.seq).attachments === 1) throw gone(say`The attachments`);
  if (body.sealed !== null)
    throw new AppError('not_found', say`The content of the service's own mails cannot be read.`);
  return {
    stored: { message, body: shownBody(message, body), attachments: store.attachments(message.seq) },
    copy: recipientCopy(deps, tenantStore(db).practice(), message, recipient),
  };
};

export interface SourceQuery {
  readonly messageId: string;
  /** The first one where absent. */
  readonly recipient?: string | undefined;
  readonly caller: Caller;
}

/** Reads sources, so many a minute for a practice. Rejects with `not_found` where content is no longer kept. */
export const createSources = ({ files, clock, ...deps }: SourceRoutesDeps) => {
  const limit = createRateCheck(
    clock,
    () => perMinute(SOURCES_PER_MINUTE),
    say`Sources are composed ${SOURCES_PER_MINUTE} times a minute at most for a practice, large ones less often.`,
  );
  return async (tenantId: string, { messageId, recipient, caller }: SourceQuery): Promise<Buffer> => {
    const { size_bytes } = await files.read(tenantId, (db) => visibleMessage(db, messageId, caller));
    limit(tenantId, Math.max(1, Math.ceil(size_bytes / MIB)));
    const found = await files.read(tenantId, (db) => stored(db, deps, messageId, recipient, caller));
    return composeCopy(found.stored, found.copy);
  };
};

export type Sources = ReturnType<typeof createSources>;

export const sourceRoutes = (sources: Sources): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/messages/{messageID}/source',
    tag: 'Messages',
    id: 'getMessageSource',
    summary: "The source of a recipient's copy",
    description:
      'Composed as it leaves, but not signed: DKIM keys change, and a signature made now would not be the one that was sent. ' +
      "Its links are the recipient's own: following one counts as the recipient's click. Only the token that confirms a subscription is left out. " +
      '404 `not_found` where content or attachments have been removed, and for mails of the service itself.',
    access: 'messages.view_content',
    stability: 'stable',
    params: z.strictObject({ id: idSchema.describe('the practice'), messageID: idSchema }),
    query: z.strictObject({
      recipient: z
        .string()
        .max(MAX_ADDRESS)
        .optional()
        .describe('whose copy; the first recipient’s if absent'),
    }),
    responses: { 200: { description: 'The source (RFC 5322).', body: 'message/rfc822' } },
    handle: async ({ params: { id, messageID: messageId }, query: { recipient } }, { caller }) => ({
      status: 200,
      body: await sources(id, { messageId, recipient, caller }),
      contentType: 'message/rfc822',
      headers: { 'Content-Disposition': 'attachment; filename="message.eml"' },
    }),
  }),
];
