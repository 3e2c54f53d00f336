// A send as it is asked for over HTTP, and what is answered.
import { z } from 'zod';
import { idSchema } from '#src/kernel/fields.ts';
import { kindNames } from '#src/messages/kinds.ts';
import { statuses } from '#src/messages/rules.ts';

/** Bounds of what one field may hold; the counts that a user may meet are gates, with codes of their own. */
const MAX_ADDRESS_TEXT = 65_536;
const MAX_ADDRESS_ITEMS = 1_000;
const MAX_SUBJECT = 998;
const MAX_TAGS = 20;
const MAX_TAG = 100;
const MAX_METADATA = 50;
const MAX_METADATA_KEY = 100;
const MAX_METADATA_VALUE = 1_000;
const MAX_HEADERS = 50;
const MAX_IDEMPOTENCY_KEY = 256;
/** More than the policy allows, so that too many are refused by the gate that says so. */
const MAX_ATTACHMENT_ITEMS = 100;

const oneLine = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\r\n\0]*$/, 'expected one line: a line break or NUL is not allowed');

const addresses = z
  .union([z.string().max(MAX_ADDRESS_TEXT), z.array(z.string().max(MAX_ADDRESS_TEXT)).max(MAX_ADDRESS_ITEMS)])
  .describe('one address, several separated by commas, or an array; `Name <address>` or the bare address');

const tag = oneLine(MAX_TAG).min(1);

const attachment = z.strictObject({
  filename: z.string().min(1).max(1_000),
  content: z.base64().describe('base64'),
  content_type: z
    .string()
    .max(127)
    .regex(/^[a-z0-9.+-]+\/[a-z0-9.+-]+$/i, 'expected type/subtype without parameters')
    .optional()
    .describe("from the file name's extension where absent"),
  content_id: z
    .string()
    .max(200)
    .regex(/^<?[\w.!#$%&'*+/^`{|}~@-]+>?$/, 'expected an id without spaces')
    .optional()
    .describe('inline: the HTML shows it by `cid:<id>`'),
});

const noNul = (text: string | undefined): boolean => text === undefined || !text.includes('\0');
/** Composing blocks the event loop some 50 ms per million, for each recipient; large content belongs in attachments. */
const MAX_TEXT = 5_000_000;
const bodyText = z.string().max(MAX_TEXT).refine(noNul, 'NUL characters are not allowed');

export const sendBody = z.strictObject({
  from: z.string().max(MAX_ADDRESS_TEXT).optional().describe("the practice's default From where absent"),
  to: addresses,
  cc: addresses.optional(),
  bcc: addresses.optional(),
  reply_to: addresses.optional(),
  subject: oneLine(MAX_SUBJECT).min(1),
  text: bodyText.optional().describe('one of text and html is required'),
  text_body: bodyText.optional().describe('alias of text'),
  html: bodyText.optional(),
  html_body: bodyText.optional().describe('alias of html'),
  route: z
    .string()
    .min(1)
    .max(63)
    .toLowerCase()
    .optional()
    .describe("slug or UUID; the practice's default route where absent"),
  project_id: idSchema
    .optional()
    .describe("the credential's own where it has one, else the practice's default project"),
  message_kind: z.enum(kindNames).optional(),
  tag: tag.optional(),
  tags: z
    .array(z.union([tag, z.strictObject({ name: tag, value: tag })]))
    .max(MAX_TAGS)
    .optional(),
  metadata: z
    .record(z.string().max(MAX_METADATA_KEY), z.string().max(MAX_METADATA_VALUE))
    .refine((record) => Object.keys(record).length <= MAX_METADATA, `at most ${MAX_METADATA} entries`)
    .optional(),
  headers: z
    .record(z.string(), z.string())
    .refine((record) => Object.keys(record).length <= MAX_HEADERS, `at most ${MAX_HEADERS} headers`)
    .optional()
    .describe('X-* and a few standard headers'),
  attachments: z.array(attachment).max(MAX_ATTACHMENT_ITEMS).optional(),
  settings: z
    .strictObject({ track_opens: z.boolean(), track_clicks: z.boolean() })
    .partial()
    .optional()
    .describe("overrides of the route's defaults"),
  idempotency_key: oneLine(MAX_IDEMPOTENCY_KEY).min(1).optional().describe('the header Idempotency-Key wins'),
});

export type SendBody = z.output<typeof sendBody>;

export const idempotencyKey = oneLine(MAX_IDEMPOTENCY_KEY).min(1);

export const sendAnswer = z.strictObject({
  id: z.uuid(),
  message_id: z.uuid(),
  status: z.enum(statuses),
  scheduled_at: z.iso.datetime().optional().describe('while it waits for that time'),
  code: z
    .enum(['recipient_suppressed', 'recipients_suppressed'])
    .optional()
    .describe('where all or some recipients are suppressed'),
  hint: z.string().optional(),
  suppressed: z.array(z.string()).optional().describe('recipients who get nothing'),
  content_warnings: z
    .array(z.strictObject({ id: z.string(), why: z.string(), advice: z.string() }))
    .optional()
    .describe('what filters may take offence at'),
});

export type SendAnswer = z.infer<typeof sendAnswer>;
