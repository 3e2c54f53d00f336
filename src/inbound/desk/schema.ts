// Conversations, notes and saved replies, as the API takes and shows them.
import { z } from 'zod';
import { idSchema } from '#src/kernel/fields.ts';
import { nameSchema } from '#src/mail/line-schema.ts';

const MAX_NOTE = 5_000;
const MAX_REPLY = 20_000;

const writtenText = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}]*(?:\r?\n[^\p{Cc}]*)*$/u, 'expected text without control characters');

export const assigneeSchema = z
  .strictObject({ id: idSchema, email: z.string() })
  .meta({ id: 'InboundAssignee' });

/** What a list shows of the conversation of a mail. */
export const threadMark = z
  .strictObject({
    assignee: assigneeSchema.nullable().describe('the member who has the conversation; null: no one'),
    done: z.boolean().describe('a mail that comes to it opens it again'),
    notes: z.int(),
  })
  .meta({ id: 'InboundThreadMark' });

export const noteSchema = z
  .strictObject({
    id: idSchema,
    author: z.string().describe('the address of a member, or the name of a token'),
    text: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'InboundNote' });

export const threadSchema = z
  .strictObject({
    id: z.uuid(),
    assignee: assigneeSchema.nullable(),
    done_at: z.iso.datetime().nullable().describe('null: it is open'),
    notes: z.array(noteSchema).describe('for members alone, never sent; oldest first'),
  })
  .meta({ id: 'InboundThread' });

export const changeThreadBody = z
  .strictObject({
    assignee_id: idSchema.nullable().describe('an active member who may see mail received; null: no one'),
    done: z.boolean(),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ id: 'InboundThreadChange', examples: [{ done: true }] });

export const noteBody = z
  .strictObject({ text: writtenText(MAX_NOTE) })
  .meta({ id: 'NewInboundNote', examples: [{ text: 'Ich rufe morgen an.' }] });

const replyShape = {
  name: nameSchema.describe('by which it is chosen'),
  text: writtenText(MAX_REPLY).describe(
    'may have `{{name}}` (of the person), `{{subject}}`, `{{date}}` (of the mail), `{{practice}}` and `{{me}}`, which who answers fills in',
  ),
};

export const savedReplySchema = z
  .strictObject({
    id: idSchema,
    ...replyShape,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'SavedReply' });

export const newReplyBody = z.strictObject(replyShape).meta({
  id: 'NewSavedReply',
  examples: [{ name: 'Rezept liegt bereit', text: 'Guten Tag {{name}},\n\nIhr Rezept liegt bereit.' }],
});

export const changeReplyBody = z
  .strictObject(replyShape)
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ id: 'SavedReplyChange', examples: [{ name: 'Rezept fertig' }] });
