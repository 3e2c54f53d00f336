// Mail as people look at it: what was sent to one recipient, what a capture upstream kept, and what was received, each as a
// document for a frame; and their files.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { mailOf } from '#src/inbound/mailbox/change.ts';
import { attachmentIndex, download, OCTETS, positionOf } from '#src/inbound/mailbox/download.ts';
import { requireContent } from '#src/inbound/mailbox/routes.ts';
import { mailContentShape } from '#src/inbound/mailbox/schema.ts';
import { attachmentOf } from '#src/inbound/reading/attachments.ts';
import { readHead } from '#src/inbound/reading/head.ts';
import { readMail } from '#src/inbound/reading/read.ts';
import type { InboundRow } from '#src/inbound/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { HTML_TYPE } from '#src/kernel/page.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, toIsoOrNull } from '#src/kernel/time.ts';
import { withoutRecipient, withoutTracking } from '#src/mail/copy-links.ts';
import { headFieldsOf } from '#src/mail/field-block.ts';
import type { MessageSource } from '#src/mail/mime-parts.ts';
import { presentMailbox, visibleMessage } from '#src/messages/present.ts';
import { addressSchema } from '#src/messages/schema.ts';
import { messageStore } from '#src/messages/store.ts';
import { previewOf } from './document.ts';

/** Where mail is read from. Each rejects with `not_found` for what the caller may not see. */
export interface PreviewSources {
  readonly message: (
    tenantId: string,
    query: { readonly messageId: string; readonly recipient?: string | undefined; readonly caller: Caller },
  ) => Promise<Buffer>;
  readonly capture: (tenantId: string, captureId: string, caller: Caller) => Promise<Buffer>;
  readonly inbound: (tenantId: string, row: InboundRow) => MessageSource;
}

const MESSAGE = '/api/practices/{id}/messages/{messageID}';
const CAPTURE = '/api/practices/{id}/captures/{captureID}';
const messageParams = z.strictObject({ ...tenantParams.shape, messageID: idSchema });
const captureParams = z.strictObject({ ...tenantParams.shape, captureID: idSchema });

const MAX_ADDRESS = 320;
/** The most expensive one takes some tenths of a second of the event loop, whatever the size of its mail. */
const PREVIEWS_PER_MINUTE = 120;
const viewQuery = z.strictObject({
  view: z
    .enum(['html', 'text'])
    .default('html')
    .describe('`text`: the part in plain text; also shown where there is no HTML'),
  images: z
    .literal('remote')
    .optional()
    .describe('shows images of other servers too, which learn then that the mail is looked at'),
});
type View = z.output<typeof viewQuery>;

const message = { tag: 'Messages', access: 'messages.view_content', stability: 'stable' } as const;
const capture = {
  tag: 'Captured mail',
  access: 'messages.view_content',
  stability: 'beta',
  params: captureParams,
} as const;
const document = { 200: { description: 'A document for a frame of the same origin.', body: HTML_TYPE } };
const file = { 200: { description: 'Its content.', body: OCTETS } };
const HARMLESS =
  'Nothing in it runs, is sent or is loaded: a policy of its own puts it into a sandbox. Images that are in the mail are shown. ';

const capturedContentSchema = z
  .strictObject({
    subject: z.string(),
    from: addressSchema.nullable(),
    to: z.array(addressSchema),
    cc: z.array(addressSchema),
    date: z.iso.datetime().nullable(),
    headers: z
      .array(z.strictObject({ name: z.string().describe('in lower case'), value: z.string() }))
      .describe('in their order, unfolded; words stay encoded'),
    ...mailContentShape,
  })
  .meta({ id: 'CapturedMailContent' });

const fileOf = async (source: MessageSource, index: string): Promise<RouteResult> => {
  const found = await attachmentOf(source, positionOf(index));
  if (!found) throw new AppError('not_found', say`The mail has no such attachment.`);
  return download(found.content, found.filename, OCTETS);
};

export const previewRoutes = (
  files: TenantFiles,
  sources: PreviewSources,
  origin: string,
  clock: Clock,
): Route[] => {
  const take = createRateCheck(
    clock,
    () => perMinute(PREVIEWS_PER_MINUTE),
    say`${PREVIEWS_PER_MINUTE} previews are made in a minute at most for a practice.`,
  );

  /** `target`: where its links lead; those that count as the recipient's lead nowhere where absent. Throws `rate_limited`. */
  const show = (
    tenantId: string,
    source: () => MessageSource,
    { view, images }: View,
    { language }: RequestContext,
    target = (url: string) => withoutRecipient(url, origin),
  ): Promise<RouteResult> => {
    take(tenantId);
    return previewOf(source, { view, remoteImages: images === 'remote', language, target });
  };

  /** What is signed is kept as a whole: a file in it has no content of its own, but its place among the files of the copy. */
  const attachmentOfMessage = async (
    tenantId: string,
    messageId: string,
    index: string,
    caller: Caller,
  ): Promise<RouteResult> => {
    const row = await files.read(tenantId, (db) => {
      const { seq } = visibleMessage(db, messageId, caller);
      return messageStore(db).attachment(seq, positionOf(index));
    });
    if (!row)
      throw new AppError('not_found', say`The message has no such attachment, or it has been removed.`);
    if (row.content.length > 0 || row.size_bytes === 0)
      return download(Buffer.from(row.content), row.filename, OCTETS);
    return fileOf(await sources.message(tenantId, { messageId, caller }), index);
  };

  return [
    defineRoute({
      ...message,
      method: 'get',
      path: `${MESSAGE}/preview`,
      id: 'previewMessage',
      summary: "A recipient's copy, as a document to look at",
      description: `${HARMLESS}Looking at it counts as no open and following a link as no click: links lead where the sender meant, and those that name the recipient lead nowhere.`,
      params: messageParams,
      query: z.strictObject({
        recipient: z
          .string()
          .max(MAX_ADDRESS)
          .optional()
          .describe('whose copy; the first recipient’s if absent'),
        ...viewQuery.shape,
      }),
      responses: document,
      errors: ['rate_limited'],
      handle: async ({ params: { id, messageID: messageId }, query: { recipient, ...view } }, context) => {
        const source = await sources.message(id, { messageId, recipient, caller: context.caller });
        return show(id, () => source, view, context);
      },
    }),
    defineRoute({
      ...message,
      method: 'get',
      path: `${MESSAGE}/attachments/{index}`,
      id: 'getMessageAttachment',
      summary: 'An attachment of a message',
      description:
        'By its place in `attachments` of the message. Always a download without a type of its own.',
      params: messageParams.extend({ index: attachmentIndex }),
      responses: file,
      handle: ({ params: { id, messageID, index } }, { caller }) =>
        attachmentOfMessage(id, messageID, index, caller),
    }),
    defineRoute({
      ...capture,
      method: 'get',
      path: `${CAPTURE}/preview`,
      id: 'previewCapturedMail',
      summary: 'A captured message, as a document to look at',
      description: `${HARMLESS}Its links are those of the mail, but looking at it counts as no open and following one as no click.`,
      query: viewQuery,
      responses: document,
      errors: ['rate_limited', 'sign_in_again'],
      handle: async ({ params: { id, captureID }, query }, context) => {
        const source = await sources.capture(id, captureID, context.caller);
        // No one else got it: to unsubscribe and to confirm by its links is what it was captured for.
        return show(
          id,
          () => source,
          query,
          context,
          (url) => withoutTracking(url, origin),
        );
      },
    }),
    defineRoute({
      ...capture,
      method: 'get',
      path: `${CAPTURE}/content`,
      id: 'getCapturedMailContent',
      summary: 'What a captured message says',
      responses: { 200: { description: 'Its header, text and list of files.', body: capturedContentSchema } },
      errors: ['sign_in_again'],
      handle: async ({ params: { id, captureID } }, { caller }) => {
        const source = await sources.capture(id, captureID, caller);
        const { subject, from, to, cc, sentAt } = readHead(source);
        const head = {
          subject,
          from: from && presentMailbox(from),
          to: to.map(presentMailbox),
          cc: cc.map(presentMailbox),
          date: toIsoOrNull(sentAt),
          headers: headFieldsOf(source).map(({ name, value }) => ({ name, value })),
        };
        return { status: 200, body: { ...head, ...(await readMail(source)) } };
      },
    }),
    defineRoute({
      ...capture,
      method: 'get',
      path: `${CAPTURE}/attachments/{index}`,
      id: 'getCapturedAttachment',
      summary: 'An attachment of a captured message',
      description: 'Always a download without a type of its own.',
      params: captureParams.extend({ index: attachmentIndex }),
      responses: file,
      errors: ['sign_in_again'],
      handle: async ({ params: { id, captureID, index } }, { caller }) =>
        fileOf(await sources.capture(id, captureID, caller), index),
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/inbound/messages/{messageID}/preview',
      tag: 'Inbound mail',
      id: 'previewInboundMessage',
      summary: 'A mail received, as a document to look at',
      description: `${HARMLESS}Also needs \`messages.view_content\`.`,
      access: 'inbound.view',
      stability: 'stable',
      params: messageParams,
      query: viewQuery,
      responses: document,
      errors: ['rate_limited'],
      handle: async ({ params: { id, messageID }, query }, context) => {
        const row = await files.read(id, (db) => mailOf(db, messageID));
        requireContent(context.caller);
        return show(id, () => sources.inbound(id, row), query, context);
      },
    }),
  ];
};
