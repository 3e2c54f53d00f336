// The messages that the API returns.
import { z } from 'zod';
import type { Caller } from '#src/kernel/access.ts';
import { idSchema, typedSchema } from '#src/kernel/fields.ts';
import { listQuery } from '#src/kernel/list.ts';
import { channels, kindNames } from './kinds.ts';
import { statuses } from './rules.ts';

export const statusSchema = z.enum(statuses).meta({ id: 'MessageStatus' });
export const kindSchema = z.enum(kindNames).meta({ id: 'MessageKind' });

const recipientSchema = z
  .strictObject({
    address: z.string(),
    name: z.string().nullable(),
    field: z.enum(['to', 'cc', 'bcc']),
    status: statusSchema,
    attempts: z.int(),
    next_attempt_at: z.iso.datetime().nullable(),
    smtp_code: z.int().nullable(),
    enhanced_code: z.string().nullable(),
    diagnostic: z.string().nullable().describe('text of the last reply of the upstream'),
    upstream: z.string().nullable(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Recipient' });

export const addressSchema = z
  .strictObject({ address: z.string(), name: z.string().nullable() })
  .meta({ id: 'Address' });

export const decisionSchema = z
  .strictObject({
    gate: z.string(),
    verdict: z.enum(['passed', 'suppressed', 'held', 'warned', 'blocked', 'refused']),
    facts: z.record(z.string(), z.unknown()).describe('the facts that the gate used'),
  })
  .meta({ id: 'Decision' });

export type Decision = Readonly<z.infer<typeof decisionSchema>>;

/**
 * The verdicts of the gates as a message's row stores them: lists without field names, because every message has some twenty
 * of them. `[gate, facts]` is a gate that passed; any other verdict is the third element.
 */
type Packed = readonly [gate: string, facts: Decision['facts'], verdict?: Decision['verdict']];

export const packDecisions = (decisions: readonly Decision[]): string =>
  JSON.stringify(
    decisions.map(
      ({ gate, verdict, facts }): Packed => (verdict === 'passed' ? [gate, facts] : [gate, facts, verdict]),
    ),
  );

export const unpackDecisions = (json: string): Decision[] =>
  (JSON.parse(json) as readonly Packed[]).map(([gate, facts, verdict = 'passed']) => ({
    gate,
    verdict,
    facts,
  }));

/** Facts that count the mail of all projects. */
const factsOfPractice: ReadonlySet<string> = new Set(['used', 'planned']);

/** For who is limited to `projects` (null: to none), without the numbers of the others. */
export const decisionsFor = <D extends Decision>(
  decisions: readonly D[],
  projects: Caller['projects'],
): D[] =>
  decisions.map((decision) =>
    projects === null
      ? decision
      : {
          ...decision,
          facts: Object.fromEntries(
            Object.entries(decision.facts).filter(([name]) => !factsOfPractice.has(name)),
          ),
        },
  );

export const messageSummarySchema = z
  .strictObject({
    id: z.uuid(),
    message_id: z.uuid(),
    internet_message_id: z.string(),
    project_id: z.uuid(),
    route: z.strictObject({ id: z.uuid(), slug: z.string() }),
    message_kind: kindSchema,
    channel: z.enum(channels),
    source: z
      .string()
      .describe('where the message came from, for example `api`; `system`: the service itself'),
    campaign_id: z.uuid().nullable().describe('the campaign that it is part of'),
    template_id: z
      .uuid()
      .nullable()
      .describe('the stored template that it was made from, which may have been deleted since'),
    from: addressSchema,
    to: z.array(addressSchema),
    cc: z.array(addressSchema),
    bcc: z.array(addressSchema),
    reply_to: z.array(addressSchema),
    subject: z.string(),
    tag: z.string().nullable(),
    tags: z.array(z.string()),
    metadata: z.record(z.string(), z.string()),
    status: statusSchema,
    held: z
      .boolean()
      .describe(
        'since a restore: a copy may have left before, and waits until a person sends or discards it',
      ),
    opened: z
      .boolean()
      .nullable()
      .describe('whether a recipient has the status `opened` or `clicked`; null where opens are not tracked'),
    score: z.int().nullable(),
    size_bytes: z.int(),
    recipients: z.array(recipientSchema),
    created_at: z.iso.datetime(),
    scheduled_at: z.iso.datetime().nullable(),
    personal_data_removed: z
      .boolean()
      .describe(
        'keyed hashes have taken the place of subject, addresses, tags and metadata, because their retention period is over',
      ),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'MessageSummary' });

const calendarSchema = z.strictObject({
  summary: z.string(),
  starts_at: z.string().describe('as the sender wrote it: with an offset, or local time in `time_zone`'),
  ends_at: z.string(),
  location: z.string().nullable(),
  description: z.string().nullable(),
  time_zone: z.string(),
  uid: z.string().optional().describe('where the invitation was sent again: that of the first one'),
});

const contentShape = {
  text: z.string().nullable().describe('null also where `source` is `system`: no one may read that content'),
  html: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  attachments: z.array(
    z.strictObject({
      filename: z.string(),
      content_type: z.string(),
      size: z.int(),
      content_id: z.string().nullable(),
    }),
  ),
  calendar: calendarSchema.nullable().describe('the appointment to which the recipients are invited'),
};

export const messageSchema = z
  .strictObject({
    ...messageSummarySchema.shape,
    decisions: z.array(decisionSchema).describe("each gate's verdict and the facts it used"),
    content_removed: z
      .boolean()
      .describe('text, HTML and headers have been removed, because their retention period is over'),
    attachments_removed: z
      .boolean()
      .describe('it had attachments, which have been removed, because their retention period is over'),
    ...z.strictObject(contentShape).partial().describe('only with permission `messages.view_content`').shape,
  })
  .meta({ id: 'Message' });

export const timelineSchema = z
  .strictObject({
    data: z.array(
      z.strictObject({
        at: z.iso.datetime(),
        status: statusSchema.nullable().describe('null: a reply has been received, which changes none'),
        recipient: z.string().nullable().describe('address; null: the whole message'),
        inbound_id: z
          .uuid()
          .nullable()
          .describe('of the reply, for `GET …/inbound/messages/{messageID}`; null once it is no longer kept'),
        detail: z
          .string()
          .nullable()
          .describe(
            "the other server's reply; else the suppression's reason, or the rule that classified a bounce",
          ),
      }),
    ),
  })
  .meta({ id: 'Timeline' });

/** Name and value of 256 characters each, with a colon. */
const TAG_LENGTH = 513;

export const timeOrDay = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

const SLUG_LENGTH = 63;

/** What messages are searched for by; all that are given must fit. */
const filterShape = {
  q: typedSchema
    .optional()
    .describe(
      "words, each the beginning of one of a recipient's address or name, the subject or a tag: `muller gmx` finds the mail to " +
        'Frau Müller <h.mueller@gmx.de>. Case and marks make no difference, nor does an umlaut written with an e; "words in quotes" ' +
        'are a phrase. A whole address, id or Message-ID is found too. Words of one or two characters are searched without an ' +
        'index, so pages may be short',
    )
    .meta({ examples: ['muster'] }),
  tag: z.string().max(TAG_LENGTH).optional().describe('a tag as a whole, without regard to case'),
  route: z.string().max(SLUG_LENGTH).toLowerCase().optional().describe('UUID or slug'),
  kind: kindSchema.optional(),
  template_id: idSchema.optional().describe('made from this stored template'),
  campaign_id: idSchema.optional().describe('messages of this campaign'),
  from: timeOrDay.optional().describe('created at or after; a day begins at midnight UTC'),
  to: timeOrDay.optional().describe('created before; a day is included whole, in UTC'),
};

export const countQuery = z.strictObject(filterShape);

export const exportQuery = countQuery.extend({
  status: z
    .union([statusSchema, z.array(statusSchema).max(statuses.length)])
    .transform((given) => [...new Set([given].flat())])
    .optional()
    .describe('only those with this status; may be given several times'),
});

export const searchQuery = exportQuery.extend(listQuery);

export const statusCountsSchema = z
  .strictObject({
    data: z.array(
      z.strictObject({
        status: statusSchema,
        count: z.int(),
        at_least: z.boolean().describe('there may be more: it was not counted to the end'),
      }),
    ),
  })
  .meta({ id: 'MessageStatusCounts' });
