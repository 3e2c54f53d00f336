// Mail received, as the API shows it, and what is asked of it.
import { z } from 'zod';
import { idSchema, typedSchema } from '#src/kernel/fields.ts';
import { listQuery } from '#src/kernel/list.ts';
import { addressSchema, timeOrDay } from '#src/messages/schema.ts';
import { threadMark } from '../desk/schema.ts';
import { mailNotes } from '../reading/read.ts';

const stateSchema = z.enum(['inbox', 'held', 'quarantined']).meta({ id: 'InboundMessageState' });

/** RFC 8601 §2.7 */
const result = z.string();
const domain = z.string().nullable();

const authSchema = z
  .strictObject({
    spf: z.strictObject({ result, domain }),
    dkim: z.array(z.strictObject({ result, domain: z.string(), selector: z.string() })),
    dmarc: z.strictObject({
      result,
      domain,
      policy: z.enum(['none', 'quarantine', 'reject']).nullable().describe('null where there is no record'),
    }),
    arc: z.strictObject({ result }),
    iprev: z
      .strictObject({ result, name: z.string().nullable() })
      .describe('whether the name of the client’s address leads back to it'),
  })
  .meta({ id: 'InboundAuth' });

const summaryShape = {
  id: z.uuid().describe('made by this service; never the Message-ID, which anyone can write'),
  thread_id: z.uuid().describe('the id of the first message of the conversation, sent or received'),
  state: stateSchema,
  state_reason: z.string().nullable().describe('why it is held or quarantined'),
  read: z.boolean(),
  from: addressSchema.nullable().describe('null where the mail names none'),
  to: z.array(addressSchema),
  cc: z.array(addressSchema),
  subject: z.string(),
  date: z.iso.datetime().nullable().describe('as the sender wrote it'),
  internet_message_id: z.string().nullable(),
  in_reply_to: z.string().nullable(),
  references: z.array(z.string()),
  reply_to_message_id: z.uuid().nullable().describe('the message of this practice that it answers'),
  mail_from: z.string().describe('the sender of the envelope; empty for automatic mail'),
  recipients: z
    .array(z.string())
    .describe('of the envelope, those of this practice; a return path without its token'),
  original_recipient: z.string().describe('the first of them'),
  plus: z.string().nullable().describe('of a recipient such as `info+shop@…` the part behind the plus'),
  auth: authSchema,
  spam: z.strictObject({
    verdict: z.enum(['clean', 'spam', 'virus', 'not_scanned']),
    score: z.number().nullable().describe('0 to 100'),
    reasons: z.array(z.string()),
  }),
  size_bytes: z.int(),
  received_at: z.iso.datetime(),
};

export const inboundSummarySchema = z.strictObject(summaryShape).meta({ id: 'InboundMessageSummary' });
/** What lists show of it to members, who answer. */
export const listedMailSchema = z
  .strictObject({ ...summaryShape, thread: threadMark })
  .meta({ id: 'InboundListedMessage' });

const attachmentSchema = z
  .strictObject({
    index: z.int().describe('its place in the mail, by which it is downloaded'),
    filename: z.string(),
    content_type: z.string().describe('as the sender says'),
    content_id: z.string().nullable(),
    size: z.int().describe('bytes of its content'),
    inline: z.boolean().describe('the HTML shows it in its text, by `cid:` and its `content_id`'),
    method: z.string().nullable().describe('of an invitation: `REQUEST`, `CANCEL`, …'),
  })
  .meta({ id: 'InboundAttachment' });

export const mailContentShape = {
  text: z.string().nullable().describe('made of the HTML where the mail has no text'),
  html: z
    .string()
    .nullable()
    .describe('made harmless for display: no scripts, and nothing that is loaded from elsewhere'),
  reply_text: z.string().nullable().describe('the text without what it quotes'),
  attachments: z.array(attachmentSchema),
  notes: z
    .array(z.enum(mailNotes))
    .describe(
      '`truncated`: not all of the text, the HTML or the list is here; `unreadable`: the parts of the mail cannot be found. The source has all',
    ),
};

export const inboundMessageSchema = z
  .strictObject({
    ...summaryShape,
    thread: threadMark,
    form: z
      .strictObject({
        id: idSchema,
        name: z.string(),
        proved: z.boolean().describe('whoever filled it in has proved the address that was typed'),
      })
      .nullable()
      .describe(
        'the form of a website by which it was written; then `from` is who filled it in, as typed, and From in the source the practice’s own mailbox',
      ),
    forwards: z.array(
      z.strictObject({
        to: z.string(),
        status: z.enum(['pending', 'sent', 'failed', 'suppressed']),
        diagnostic: z.string().nullable().describe('the last reply, or why it was not sent'),
        at: z.iso.datetime().describe('when that was so'),
      }),
    ),
    reply_to: z
      .array(addressSchema)
      .optional()
      .describe('where its sender wants answers; with permission `messages.view_content`'),
    ...z.strictObject(mailContentShape).partial().describe('only with permission `messages.view_content`')
      .shape,
  })
  .meta({ id: 'InboundMessage' });

const words = (what: string) =>
  typedSchema.optional().describe(`words of ${what}, as \`q\` of the search of messages takes them`);

export const findQuery = z.strictObject({
  ...listQuery,
  q: words('an address, a name or the subject').meta({ examples: ['muster'] }),
  from: words('the sender’s address or name'),
  to: words('a recipient’s address or name'),
  state: stateSchema.optional(),
  read: z.enum(['true', 'false']).optional(),
  thread_id: idSchema.optional(),
  assignee: z
    .union([z.enum(['me', 'none']), idSchema])
    .optional()
    .describe('the member who has the conversation; `me`: who asks; `none`: no one has it')
    .meta({ examples: ['none'] }),
  done: z.enum(['true', 'false']).optional().describe('whether the conversation is done'),
  reply_to_message_id: idSchema.optional().describe('a message of the practice'),
  received_after: timeOrDay.optional().describe('at or after; a day begins at midnight UTC'),
  received_before: timeOrDay.optional().describe('before; a day begins at midnight UTC'),
});

export const readBody = z.strictObject({ read: z.boolean() }).meta({ examples: [{ read: true }] });
