// The fields of a send, each with its bound. Counts that a user may reach are checked by gates, which have codes of their
// own.
import { z } from 'zod';
import { mergeDataSchema } from '#src/intake/templates/schema.ts';
import { type FileFields, FileOctets, idSchema, isBase64 } from '#src/kernel/fields.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { say } from '#src/kernel/say.ts';
import { because } from '#src/kernel/validate.ts';
import { kindSchema } from '#src/messages/schema.ts';

const MAX_ADDRESS_TEXT = 65_536;
const MAX_ADDRESS_ITEMS = 1_000;
const MAX_SUBJECT = 998;
const MAX_TAGS = 20;
const MAX_TAG = 256;
const MAX_METADATA = 50;
const MAX_METADATA_KEY = 100;
const MAX_METADATA_VALUE = 1_000;
const MAX_HEADERS = 50;
const MAX_IDEMPOTENCY_KEY = 256;
/** More than the policy allows, so that the gate refuses too many by its own code. */
const MAX_ATTACHMENT_ITEMS = 100;
const MAX_CALENDAR_LINE = 500;
const MAX_CALENDAR_TEXT = 10_000;
const MAX_TEMPLATE_NAME = 200;
/** Composing blocks the event loop some 50 ms per million, for each recipient; large content belongs in attachments. */
export const MAX_TEXT = 5_000_000;

export const oneLine = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\r\n\0]*$/, 'expected one line: a line break or NUL is not allowed');

const noNul = (text: string | undefined): boolean => text === undefined || !text.includes('\0');
const lines = (max: number) => z.string().max(max).refine(noNul, 'NUL characters are not allowed');

/** Other APIs take objects here. */
const AS_TEXT = 'must be text, such as `Erika Muster <erika@example.org>`';
const asText = ({ input }: { readonly input?: unknown }) =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? AS_TEXT : undefined;
const address = z.string({ error: asText }).max(MAX_ADDRESS_TEXT);

export const addresses = z
  .union([address, z.array(address).max(MAX_ADDRESS_ITEMS)], { error: asText })
  .describe('one address, several separated by commas, or an array; `Name <address>` or the bare address')
  .meta({ id: 'Addresses' });

export const from = address;
export const subject = oneLine(MAX_SUBJECT).min(1);
export const bodyText = lines(MAX_TEXT);
export const routeName = z.string().min(1).max(63).toLowerCase();
export const tag = oneLine(MAX_TAG).min(1);

export const metadata = z
  .record(z.string().max(MAX_METADATA_KEY), z.string().max(MAX_METADATA_VALUE))
  .refine(
    (record) => Object.keys(record).length <= MAX_METADATA,
    because(say`at most ${MAX_METADATA} entries`),
  )
  .meta({ id: 'Metadata' });

const MANY_HEADERS = because(say`at most ${MAX_HEADERS} headers`);
const headers = z
  .union([
    z
      .record(z.string(), z.string())
      .refine((record) => Object.keys(record).length <= MAX_HEADERS, MANY_HEADERS),
    z.array(z.strictObject({ name: z.string(), value: z.string() })).max(MAX_HEADERS),
  ])
  .meta({ id: 'Headers' });

const BASE64 = {
  type: 'string',
  format: 'base64',
  contentEncoding: 'base64',
  description: 'base64 with padding, without line breaks',
} as const;
const NOT_BASE64 = 'must be base64 with its padding, without line breaks';
export const filename = z.string().min(1).max(1_000);
export const base64 = z.string().refine(isBase64, NOT_BASE64).meta(BASE64);
/** The same, of which the server may have decoded large ones. */
export const fileContent = z
  .custom<string | FileOctets>()
  .check(({ value: input, issues }) => {
    if (input instanceof FileOctets) return;
    if (typeof input !== 'string') issues.push({ code: 'invalid_type', expected: 'string', input });
    else if (!isBase64(input)) issues.push({ code: 'custom', input, message: NOT_BASE64 });
  })
  .meta(BASE64);
/** Natively, and as in `pascalFields`. */
export const FILE_FIELDS: FileFields = [
  ['content', 'filename'],
  ['Content', 'Name'],
];
export const mediaType = z
  .string()
  .max(127)
  .regex(/^[a-z0-9.+-]+\/[a-z0-9.+-]+$/i, 'expected type/subtype without parameters');
export const contentId = z
  .string()
  .max(200)
  .regex(
    /^(?:<[\w.!#$%&'*+/^`{|}~@-]+>|(?:cid:)?[\w.!#$%&'*+/^`{|}~@-]+)$/i,
    'expected an id without spaces',
  );

const attachment = z
  .strictObject({
    filename,
    content: fileContent,
    content_type: mediaType
      .optional()
      .describe("from the file name's extension where absent or application/octet-stream"),
    content_id: contentId
      .optional()
      .describe('inline: the HTML shows it by `cid:<id>`; bare, in angle brackets or with `cid:` before it'),
  })
  .meta({ id: 'Attachment' });

export const attachments = z.array(attachment).max(MAX_ATTACHMENT_ITEMS);
export const MAX_ATTACHMENTS_GIVEN = MAX_ATTACHMENT_ITEMS;
export const MAX_HEADERS_GIVEN = MAX_HEADERS;

/** Calendars disagree on how years outside this range are written. */
const isInCalendars = (text: string): boolean => text >= '1970' && text < '2200';
const moment = z.iso
  .datetime({ offset: true, local: true, abort: true })
  .refine(isInCalendars, 'expected a year from 1970 to 2199')
  .meta({ id: 'CalendarTime' });

/** An appointment to invite to. */
export const calendar = z
  .strictObject({
    summary: oneLine(MAX_CALENDAR_LINE).regex(/\S/, 'must not be empty'),
    starts_at: moment.describe('with an offset, or local time in `time_zone`'),
    ends_at: moment.optional().describe('30 minutes after `starts_at` where absent'),
    location: oneLine(MAX_CALENDAR_LINE).optional(),
    description: lines(MAX_CALENDAR_TEXT).optional(),
    time_zone: z.string().min(1).max(64).optional().describe('IANA name; `Europe/Berlin` where absent'),
  })
  .meta({ id: 'Invitation' });

export const settings = z
  .strictObject({
    track_opens: z
      .boolean()
      .describe('as the route says where absent; off for the kinds termin, recall, doi, quality and test'),
    track_clicks: z
      .boolean()
      .describe(
        'like `track_opens`, of the first 500 links in the HTML; those marked `data-no-track` are left as they are',
      ),
    plain_text_fallback: z.boolean().describe('whether a text is made from the HTML where there is none'),
  })
  .partial()
  .meta({ id: 'MessageSettings' });

export const idempotencyKey = oneLine(MAX_IDEMPOTENCY_KEY).min(1);

export const CONTENT_REQUIRED = 'one of text, html and template is required';

export const sendFields = {
  from: from.optional().describe("the practice's default From where absent"),
  to: addresses,
  cc: addresses.optional(),
  bcc: addresses.optional(),
  reply_to: addresses.optional(),
  subject: subject.optional().describe('required unless `template` is given'),
  text: bodyText.optional().describe(CONTENT_REQUIRED),
  text_body: bodyText.optional().describe('alias of text'),
  html: bodyText
    .optional()
    .describe('`{{unsubscribe_url}}` becomes the link of each copy; else the footer has it'),
  html_body: bodyText.optional().describe('alias of html'),
  template: z
    .string()
    .min(1)
    .max(MAX_TEMPLATE_NAME)
    .optional()
    .describe('name or id of a stored template, in the place of subject, text and html'),
  template_version: z.int().min(1).optional().describe('the current one where absent'),
  data: mergeDataSchema.optional().describe("values for the template's placeholders"),
  route: routeName.optional().describe("slug or UUID; the practice's default route where absent"),
  project_id: idSchema
    .optional()
    .describe(
      "the credential's own where it has one, else the practice's default project, which the practice's id names too",
    ),
  message_kind: kindSchema
    .optional()
    .describe('`transactional` or, on a marketing route, `newsletter` where absent'),
  tag: tag.optional().describe('comes before those in `tags`; search filters by it'),
  tags: z
    .array(z.union([tag, z.strictObject({ name: tag, value: tag })]))
    .max(MAX_TAGS)
    .meta({ id: 'Tags' })
    .optional()
    .describe('each once, in whatever case; an object becomes `name:value`'),
  metadata: metadata.optional().describe('kept with the message and handed on with its events'),
  headers: headers
    .optional()
    .describe(
      'X-*, except those by which relays take orders, and a few standard headers: an object of values by name, or a list of {name, value}',
    ),
  attachments: attachments
    .optional()
    .describe('as `attachment_policy` of GET /api/meta allows: by name, type and content'),
  settings: settings.optional().describe("overrides of the route's defaults"),
  calendar: calendar.optional().describe('attaches an invitation that calendar programs read'),
  scheduled_at: z.iso
    .datetime({ offset: true })
    .describe(
      `at most ${defaultLimits.days_ahead} days ahead; a time that passed in the last 5 minutes means at once, an older one is refused`,
    )
    .optional(),
  idempotency_key: idempotencyKey.optional().describe('the header Idempotency-Key wins'),
};
