// Stored templates as the API takes and shows them: shapes, and rows in those shapes.

import { z } from 'zod';
import { idSchema, UUID } from '#src/kernel/fields.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { because } from '#src/kernel/validate.ts';
import { type Document, documentSchema } from '#src/mail/document/schema.ts';
import { replyAddressSchema } from '#src/mail/email.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { imageModes } from '#src/messages/image-types.ts';
import { kindSchema } from '#src/messages/schema.ts';
import type { WrittenContent } from '../documents/write-content.ts';
import { MAX_DATA, MAX_DATA_NAME, MAX_SUBJECT } from './render.ts';
import type { TemplateHead, TemplateRow, VersionHead, VersionRow } from './store.ts';

/** Ten times what a mailbox shows of a message; every copy is composed from it. */
const MAX_CONTENT = 1_000_000;
const MAX_NAME = 100;
const MAX_DESCRIPTION = 500;
const MAX_DATA_VALUE = 10_000;

/** Requests give an id or a name in the same place: a name must not look like an id. */
export const templateName = z
  .string()
  .max(MAX_NAME)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'expected letters, digits, dots, hyphens and underscores, a letter or digit first',
  )
  .refine((name) => !UUID.test(name), 'expected a name, not an id');

const withoutNul = (text: string): boolean => !text.includes('\0');
export const templateSubject = z
  .string()
  .min(1)
  .max(MAX_SUBJECT)
  .regex(/^[^\r\n\0]*$/, 'expected one line: a line break or NUL is not allowed')
  .refine((subject) => subject.trim() !== '', 'must not be empty')
  .describe('with `{{placeholders}}`');
export const templateText = z
  .string()
  .max(MAX_CONTENT)
  .refine(withoutNul, 'NUL characters are not allowed')
  .describe('with `{{placeholders}}`; values are put in as they are');
export const templateHtml = z
  .string()
  .max(MAX_CONTENT)
  .refine(withoutNul, 'NUL characters are not allowed')
  .describe('with `{{placeholders}}` in text, in quoted attributes and in links; values are escaped');

/** Characters: the worst of that length takes half a second. */
const MAX_MJML = 100_000;
export const templateMjml = z
  .string()
  .max(MAX_MJML)
  .refine(withoutNul, 'NUL characters are not allowed')
  .describe('MJML with `{{placeholders}}`, of which the HTML is made');
export const templateDocument = documentSchema
  .nullable()
  .describe('in the place of text and HTML, which are made of it; null makes source of one, for good');

const dataValue = z.union([
  z.string().max(MAX_DATA_VALUE).refine(withoutNul, 'NUL characters are not allowed'),
  z.number(),
  z.boolean(),
]);

/** Values of placeholders: `{{practice.city}}` takes that of the name with the dot in it. */
export const mergeDataSchema = z
  .record(z.string().max(MAX_DATA_NAME), dataValue)
  .refine((data) => Object.keys(data).length <= MAX_DATA, because(say`at most ${MAX_DATA} values`));

/** Placeholders take text, so numbers and flags become text. */
export const toMergeData = (data: z.infer<typeof mergeDataSchema>): MergeData =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]));

const kind = kindSchema.describe(
  'what it is made for: sends that name no kind take it, and a route of its stream',
);
const tracking = z.boolean().nullable().describe('null: as the route says');

export const imagesSchema = z
  .enum(imageModes)
  .describe('`linked`: mails load the uploaded images that the HTML shows; `inline`: they carry them');

const attributes = {
  description: z.string().max(MAX_DESCRIPTION).nullable(),
  message_kind: kind,
  track_opens: tracking,
  track_clicks: tracking,
  reply_to: replyAddressSchema.describe('of sends that name none; null: as the route says'),
  images: imagesSchema,
};
const content = {
  subject: templateSubject,
  text: templateText.nullable(),
  html: templateHtml.nullable(),
  document: templateDocument,
  mjml: templateMjml.nullable(),
};
const bodies = ['text', 'html', 'document', 'mjml'] as const;
const hasBody = (given: { readonly [Name in (typeof bodies)[number]]?: unknown }): boolean =>
  bodies.some((name) => (given[name] ?? null) !== null);

export const createTemplateBody = z
  .strictObject({
    name: templateName,
    ...attributes,
    ...content,
  })
  .partial({
    description: true,
    track_opens: true,
    track_clicks: true,
    reply_to: true,
    images: true,
    text: true,
    html: true,
    document: true,
    mjml: true,
  })
  .extend({ message_kind: kind.default('transactional') })
  .refine(hasBody, { path: ['text'], message: 'one of text and html is required' })
  .meta({
    examples: [
      { name: 'erinnerung', subject: 'Ihr Termin am {{tag}}', text: 'Guten Tag {{name}}, bis {{tag}}!' },
    ],
  });

export const patchTemplateBody = z
  .strictObject({ name: templateName, ...attributes, ...content })
  .partial()
  .meta({ examples: [{ subject: 'Erinnerung an Ihren Termin' }] });

export const previewBody = z
  .strictObject({
    data: mergeDataSchema.default({}),
    version: z.int().min(1).optional().describe('the current one where absent'),
  })
  .meta({ examples: [{ data: { name: 'Frau Muster', tag: 'Montag' } }] });

export const templateIdSchema = z
  .string()
  .max(MAX_NAME)
  .describe('UUID or name')
  .meta({ examples: ['erinnerung'] });

const time = z.iso.datetime();
const variables = z
  .array(z.string())
  .describe('names of the placeholders; of those that begin with `practice.` the service knows the values');

/** How content is shown. */
export const shownContent = {
  text: z.string().nullable(),
  html: z.string().nullable(),
  document: documentSchema.nullable().describe('of which text and HTML were made; null: they are source'),
  mjml: z
    .string()
    .nullable()
    .describe('of which the HTML was made; null: it was given, or made of a document'),
};

/** A template without its content. */
export const templateHead = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    description: z.string().nullable(),
    message_kind: kindSchema,
    track_opens: z.boolean().nullable(),
    track_clicks: z.boolean().nullable(),
    reply_to: replyAddressSchema,
    images: z.enum(imageModes),
    version: z.int(),
    variables,
    subject: z.string(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'TemplateSummary' });

export const templateSchema = templateHead
  .extend({
    ...shownContent,
  })
  .meta({ id: 'Template' });

export const versionHead = z
  .strictObject({
    version: z.int(),
    subject: z.string(),
    variables,
    created_at: time,
    created_by: z.string().describe('member, token or operator'),
  })
  .meta({ id: 'TemplateVersionSummary' });

export const versionSchema = versionHead.extend(shownContent).meta({ id: 'TemplateVersion' });

export const previewSchema = z
  .strictObject({
    version: z.int(),
    subject: z.string(),
    text: z.string().nullable(),
    html: z.string().nullable(),
    missing: z
      .array(z.string())
      .describe('placeholders that the data have no value for; they are left in place'),
    problems: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .describe('for which a send with these data would be refused'),
  })
  .meta({ id: 'TemplatePreview' });

const flagOf = (value: 0 | 1 | null): boolean | null => (value === null ? null : value === 1);

/** The content of a version. */
export const writtenIn = ({ subject, text, html, document_json, mjml }: VersionRow): WrittenContent => ({
  subject,
  text,
  html,
  document: document_json === null ? null : (JSON.parse(document_json) as Document),
  mjml,
});

const presentContent = (row: VersionRow) => {
  const { subject: _, ...content } = writtenIn(row);
  return content;
};

/** The template as lists and the audit show it: without its content. */
export const presentHead = (row: TemplateHead) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  message_kind: row.message_kind,
  track_opens: flagOf(row.track_opens),
  track_clicks: flagOf(row.track_clicks),
  reply_to: row.reply_to,
  images: row.images,
  version: row.current_version,
  variables: JSON.parse(row.fields_json) as string[],
  subject: row.subject,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

/** `content` is its current version. */
export const presentTemplate = (row: TemplateRow, content: VersionRow) => ({
  ...presentHead({ ...row, subject: content.subject, fields_json: content.fields_json }),
  ...presentContent(content),
});

export const presentVersionHead = ({
  version,
  subject,
  fields_json,
  created_at,
  created_by,
}: VersionHead) => ({
  version,
  subject,
  variables: JSON.parse(fields_json) as string[],
  created_at: toIso(created_at),
  created_by,
});

export const presentVersion = (row: VersionRow) => ({
  ...presentVersionHead(row),
  ...presentContent(row),
});
