// Vendor A's shape: sending, alone and in a batch, and looking up messages and domains.
import { z } from 'zod';
import type { Domains } from '#src/domains/open.ts';
import { keyHeaders, replayHeaders, senderOf } from '#src/intake/http-send.ts';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import type { ItemRefusal } from '#src/intake/many.ts';
import type { SendAnswer } from '#src/intake/schema.ts';
import { sendFields } from '#src/intake/send-fields.ts';
import { AppError } from '#src/kernel/errors.ts';
import { asItComes, idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type ForeignShape, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { validate } from '#src/kernel/validate.ts';
import { presentMessage, presentSummary, visibleMessage } from '#src/messages/present.ts';
import { everyMessage, messageSearchStore } from '#src/messages/search-store.ts';
import { asVendorA, type Refusal } from '../errors.ts';
import { sendingRoute, sendTranslated, sendTranslatedBatch } from '../sending.ts';
import { domain, listedDomain, presentDomain, presentListedDomain } from './domain.ts';
import { email, listedEmail, presentEmail, presentListed } from './email.ts';
import { scheduleRefused, toNative } from './native.ts';
import { pageOf } from './page.ts';

const TAG = 'Compatibility: vendor A shape';
const MAX_BATCH = 100;
const MAX_PAGE = 100;
const DEFAULT_PAGE = 20;

const { from, to, cc, bcc, reply_to, subject, text, html, headers, route, message_kind, project_id } =
  sendFields;
const part = z.string().regex(/^[\w-]{1,256}$/);
const newEmail = z
  .object({
    from,
    to,
    subject,
    cc,
    bcc,
    reply_to,
    html,
    text: text.describe('where it is empty, none is made from the HTML'),
    headers,
    tags: z.array(z.object({ name: part, value: part })).optional(),
    attachments: z
      .array(
        z.object({
          filename: z.union([z.string(), z.literal(false)]).optional(),
          content: z.unknown().describe('base64, or the bytes as numbers'),
          content_type: z.string().optional(),
          content_id: z.string().optional(),
        }),
      )
      .optional(),
    template: z
      .object({ id: z.string(), variables: z.record(z.string(), z.unknown()).optional() })
      .optional()
      .describe('a stored template of this service, in the place of subject, text and HTML'),
    route: route.describe('an extension'),
    message_kind: message_kind.describe('an extension'),
    project_id: project_id.describe('an extension'),
  })
  .meta({ id: 'VendorANewEmail' });

const example = {
  to: ['erika@example.org'],
  subject: 'Ihre Unterlagen liegen bereit',
  html: '<p>Guten Tag Frau Muster, Ihre Unterlagen liegen am Empfang für Sie bereit.</p>',
};

const idOnly = z.strictObject({ id: z.uuid() });
const listOf = <S extends z.ZodType>(item: S) =>
  z.strictObject({ object: z.literal('list'), has_more: z.boolean(), data: z.array(item) });
const list = <T>(data: readonly T[], has_more: boolean) => ({ object: 'list', has_more, data });

const batchHeaders = keyHeaders.extend({
  'x-batch-validation': z
    .enum(['strict', 'permissive'])
    .optional()
    .describe('`permissive`: those that are right are sent; `strict`, or absent: all or none'),
});

const pageQuery = z
  .object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_PAGE)
      .default(DEFAULT_PAGE)
      .meta({ examples: [DEFAULT_PAGE] }),
    after: idSchema.optional().describe('the message that the page before ends with'),
    before: idSchema.optional().describe('the message that the page after begins with'),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    path: ['before'],
    message: 'cannot be given beside `after`',
  });

const isRefusal = (item: SendAnswer | ItemRefusal): item is ItemRefusal => 'status_code' in item;

const sendRoutes = (intake: IntakeContext, shape: ForeignShape): Route[] => {
  const shared = { ...sendingRoute, shape, tag: TAG } as const;
  return [
    defineRoute({
      ...shared,
      path: `${shape.base}/emails`,
      id: 'vendoraSend',
      summary: 'Send a message',
      description: 'Fields that it does not have are ignored, and null is the same as absent.',
      body: asItComes(newEmail, { examples: [example] }),
      responses: { 200: { description: 'It is on the disk and will be sent.', body: idOnly } },
      handle: async ({ body }, context) => {
        const accepted = await sendTranslated(intake, 'vendor-a', toNative(body), context);
        if (accepted.kind === 'blocked') throw accepted.error;
        return {
          status: 200,
          body: { id: accepted.answer.id },
          headers: replayHeaders(accepted.replayed),
        };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/emails/batch`,
      id: 'vendoraSendBatch',
      summary: `Send up to ${MAX_BATCH} messages`,
      headers: batchHeaders,
      body: z
        .array(asItComes(newEmail))
        .min(1)
        .max(MAX_BATCH)
        .meta({ examples: [[example]] }),
      responses: {
        200: {
          description: 'The ids of those accepted, in their order; where that was asked for, the others.',
          body: z.strictObject({
            data: z.array(idOnly),
            errors: z
              .array(z.strictObject({ index: z.int(), message: z.string() }))
              .optional()
              .describe('with `permissive` only'),
          }),
        },
      },
      handle: async ({ body }, context) => {
        const isAtomic = context.header('x-batch-validation') !== 'permissive';
        const answered = await sendTranslatedBatch(intake, 'vendor-a', body, context, { isAtomic, toNative });
        const items = answered.body as readonly (SendAnswer | ItemRefusal)[];
        const data = items.flatMap((item) => (isRefusal(item) ? [] : [{ id: item.id }]));
        const errors = items.flatMap((item, index) =>
          isRefusal(item) ? [{ index, message: asVendorA(item as Refusal).message }] : [],
        );
        return {
          status: 200,
          body: isAtomic ? { data } : { data, errors },
          headers: replayHeaders(answered.replayed),
        };
      },
    }),
  ];
};

const messageID = z
  .string()
  .max(200)
  .meta({ examples: ['0198c5b2-6c9e-7d21-9f6f-3a1d5b0e7c44'] });

const lookupRoutes = ({ files }: IntakeContext, shape: ForeignShape): Route[] => {
  const shared = { method: 'get', shape, tag: TAG, access: 'messages.view', stability: 'stable' } as const;
  /** Some of that API's paths have a word in the place of the id. */
  const idIn = (given: string): string => {
    const hint = shape.insteadOf(`/emails/${given}`);
    if (hint !== undefined) throw new AppError('not_found', say`There is nothing at this path.`, { hint });
    return validate(idSchema, given, 'params.id');
  };
  return [
    defineRoute({
      ...shared,
      path: `${shape.base}/emails`,
      id: 'vendoraListEmails',
      summary: 'Messages',
      query: pageQuery,
      errors: ['not_found'],
      responses: { 200: { description: 'Newest first.', body: listOf(listedEmail) } },
      handle: async ({ query: { limit, after, before } }, context) => {
        const { caller } = context;
        const { tenantId } = senderOf(context);
        const projects = caller.projects && [...caller.projects];
        const given = before ?? after;
        const start =
          given === undefined
            ? null
            : await files.read(tenantId, (db) => visibleMessage(db, given, caller).seq);
        const { data, has_more } = await pageOf(start, limit, (from, wanted) =>
          files.read(tenantId, (db) => {
            const store = messageSearchStore(db);
            const older = () => store.find({ ...everyMessage, projects }, from, wanted);
            const page =
              before === undefined || from === null ? older() : store.newer(from, projects, wanted);
            const items = page.rows.map((row) => presentListed(presentSummary(db, row)));
            return { items, next: 'after' in page ? page.after : page.before };
          }),
        );
        return { status: 200, body: list(before === undefined ? data : data.toReversed(), has_more) };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/emails/{messageID}`,
      id: 'vendoraGetEmail',
      summary: 'One message',
      params: z.strictObject({ messageID }),
      responses: { 200: { description: 'As it is now.', body: email } },
      handle: async ({ params }, context) => {
        const id = idIn(params.messageID);
        const { caller } = context;
        return {
          status: 200,
          body: await files.read(senderOf(context).tenantId, (db) =>
            presentEmail(presentMessage(db, visibleMessage(db, id, caller), caller)),
          ),
        };
      },
    }),
  ];
};

const domainRoutes = (
  { files }: IntakeContext,
  { sendingHosts }: Pick<Domains, 'sendingHosts'>,
  shape: ForeignShape,
): Route[] => {
  const shared = { method: 'get', shape, tag: TAG, access: 'messages.view', stability: 'stable' } as const;
  return [
    defineRoute({
      ...shared,
      path: `${shape.base}/domains`,
      id: 'vendoraListDomains',
      summary: 'Sending hosts',
      responses: {
        200: {
          description: 'The managed host, the custom domain, and one that is pending.',
          body: listOf(listedDomain),
        },
      },
      handle: async (_, context) => {
        const hosts = await files.read(senderOf(context).tenantId, sendingHosts);
        return { status: 200, body: list(hosts.map(presentListedDomain), false) };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/domains/{domainID}`,
      id: 'vendoraGetDomain',
      summary: 'A sending host with its records',
      params: z.strictObject({ domainID: z.string().max(253).toLowerCase().describe('its name') }),
      responses: { 200: { description: 'With the records that the practice publishes.', body: domain } },
      handle: async ({ params }, context) => {
        const hosts = await files.read(senderOf(context).tenantId, sendingHosts);
        const found = hosts.find(({ host }) => host === params.domainID);
        if (!found) throw new AppError('not_found', say`There is no such domain.`);
        return { status: 200, body: presentDomain(found) };
      },
    }),
  ];
};

/** What is scheduled in that API; here nothing that came in this form is. */
const schedulingRoutes = (shape: ForeignShape): Route[] => {
  const shared = {
    shape,
    tag: TAG,
    access: 'messages.send',
    audit: { none: 'it changes nothing' },
    stability: 'stable',
    params: z.strictObject({ messageID }),
    description: 'Always refused, with what to use instead.',
    responses: {},
    errors: ['invalid_request'],
    handle: () => {
      throw scheduleRefused('body.scheduled_at');
    },
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'patch',
      path: `${shape.base}/emails/{messageID}`,
      id: 'vendoraRescheduleEmail',
      summary: 'Reschedule a message',
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${shape.base}/emails/{messageID}/cancel`,
      id: 'vendoraCancelEmail',
      summary: 'Cancel a scheduled message',
    }),
  ];
};

export const vendorARoutes = (
  intake: IntakeContext,
  domains: Pick<Domains, 'sendingHosts'>,
  shape: ForeignShape,
): Route[] => [
  ...sendRoutes(intake, shape),
  ...lookupRoutes(intake, shape),
  ...domainRoutes(intake, domains, shape),
  ...schedulingRoutes(shape),
];
