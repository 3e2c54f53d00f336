// Forms on a practice's website by which people write to it, as the API takes and shows them.
import { z } from 'zod';
import { attachmentPolicy } from '#src/content/attachment-policy.ts';
import { httpsUrlSchema, idSchema } from '#src/kernel/fields.ts';
import { languages } from '#src/kernel/language.ts';
import { lineSchema, nameSchema } from '#src/mail/line-schema.ts';

export const fieldTypes = [
  'name',
  'email',
  'phone',
  'text',
  'date',
  'choice',
  'long_text',
  'consent',
  'file',
] as const;
export type FieldType = (typeof fieldTypes)[number];

export const presetNames = ['contact', 'prescription', 'appointment', 'own'] as const;
export type PresetName = (typeof presetNames)[number];

/** The names of fields that take a file: a route declares them once for all forms. */
export const FILE_KEYS = ['file', 'file2', 'file3'] as const;
const MAX_FIELDS = 30;
const MAX_CHOICES = 30;
const MAX_LABEL = 200;
const MAX_CONSENT = 1_000;
const MAX_TEXT = 2_000;
const MAX_PER_DAY = 2_000;
const MIB = 1_024 * 1_024;

/** Names that a form has for itself: see html.ts. */
export const OWN_KEYS: ReadonlySet<string> = new Set(['website', 'opened', 'form', 'f']);

const textBlock = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}]*(?:\n[^\p{Cc}]*)*$/u, 'expected text without control characters');

export const formField = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,30}$/, 'a small letter, then small letters, digits and _')
      .describe(
        'the name of the field in the HTML; of a field for a file `file`, `file2` or `file3`. HTML that is embedded already stays right as long as keys stay',
      ),
    type: z.enum(fieldTypes),
    label: textBlock(MAX_CONSENT).describe('of a consent box the whole sentence'),
    required: z.boolean().default(false),
    choices: z
      .array(lineSchema(MAX_LABEL))
      .max(MAX_CHOICES)
      .nullable()
      .default(null)
      .describe('of a field of type `choice`'),
  })
  .meta({ id: 'WebsiteFormField' });
export type FormField = z.output<typeof formField>;

const isFileKey = (key: string): boolean => (FILE_KEYS as readonly string[]).includes(key);

const fieldsSchema = z
  .array(formField)
  .max(MAX_FIELDS)
  .refine((fields) => fields.length > 0, 'expected at least one field')
  .refine(
    (fields) => new Set(fields.map(({ key }) => key)).size === fields.length,
    'expected each `key` once',
  )
  .refine((fields) => fields.every(({ key }) => !OWN_KEYS.has(key)), 'a `key` is one that each form has')
  .refine(
    (fields) => fields.every(({ key, type }) => (type === 'file') === isFileKey(key)),
    'expected the keys file, file2 and file3 for files, and for nothing else',
  )
  .refine(
    (fields) =>
      fields.every(({ type, choices }) =>
        type === 'choice' ? choices !== null && choices.length > 0 : choices === null,
      ),
    'expected `choices` for fields of type choice, and for no others',
  )
  .refine(
    (fields) => fields.filter(({ type }) => type === 'email').length <= 1,
    'expected one e-mail address',
  )
  .refine((fields) => fields.filter(({ type }) => type === 'name').length <= 1, 'expected one name');

const shape = {
  name: nameSchema.describe('for the practice alone'),
  language: z.enum(languages).describe('of the form, its pages and its mails'),
  title: lineSchema(MAX_LABEL).describe('the heading of its page and the subject of its mails'),
  purpose: textBlock(MAX_TEXT)
    .nullable()
    .describe('what the answers are used for; shown above the fields, with a link to the privacy statement'),
  fields: fieldsSchema.describe('in their order'),
  proof: z
    .boolean()
    .describe(
      'what is written arrives only when the link in a mail to the address that was typed is followed; until then it is held for seven days',
    ),
  receipt: textBlock(MAX_TEXT)
    .nullable()
    .describe(
      'text of a mail that says to the address that was typed that all has arrived; it quotes nothing that was typed. Needs `proof`, so that no stranger gets it. null: none',
    ),
  thanks: textBlock(MAX_TEXT).nullable().describe('on the page after sending; null: a usual text'),
  redirect_url: httpsUrlSchema
    .nullable()
    .describe(
      'a page of the practice’s own site, to which the form there leads after sending; null: a page here',
    ),
  per_day: z
    .int()
    .min(1)
    .max(MAX_PER_DAY)
    .describe('after so many in 24 hours the form is closed until fewer were sent'),
  file_bytes: z
    .int()
    .min(1_024)
    .max(attachmentPolicy.max_bytes_each)
    .describe('the largest file; types and names are as for attachments of messages'),
  is_open: z.boolean(),
};

const agrees = ({
  fields,
  proof,
  receipt,
}: {
  fields: FormField[];
  proof: boolean;
  receipt: string | null;
}) => ({
  hasAddress: !proof || fields.some(({ type, required }) => type === 'email' && required),
  hasProof: receipt === null || proof,
});

/** The whole of a form's settings, as they are kept. */
export const formSettings = z
  .strictObject(shape)
  .refine((form) => agrees(form).hasAddress, {
    path: ['proof'],
    message: 'needs a required field of type email',
  })
  .refine((form) => agrees(form).hasProof, { path: ['receipt'], message: 'needs `proof`' })
  .meta({ id: 'WebsiteFormSettings' });
export type FormSettings = z.output<typeof formSettings>;

export const DEFAULTS = {
  proof: false,
  receipt: null,
  thanks: null,
  redirect_url: null,
  per_day: 200,
  file_bytes: 5 * MIB,
  is_open: true,
} as const;

export const createFormBody = z
  .strictObject({
    preset: z.enum(presetNames).describe('gives what is not named here'),
    ...z.strictObject(shape).partial().shape,
  })
  .meta({
    id: 'NewWebsiteForm',
    examples: [
      { preset: 'prescription', language: 'de' },
      { preset: 'contact', name: 'Kontakt' },
    ],
  });

export const changeFormBody = z
  .strictObject(shape)
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ id: 'WebsiteFormChange', examples: [{ title: 'Schreiben Sie uns', per_day: 50 }] });

export const closedReasons = [
  'closed',
  'safe_mode',
  'receiving_off',
  'sending',
  'bounces',
  'per_day',
  'full',
] as const;
export type ClosedReason = (typeof closedReasons)[number];

export const formSchema = z
  .strictObject({
    id: idSchema,
    ...shape,
    url: z.url().describe('the form on a page of its own'),
    html: z.string().describe('for a page of the practice; it needs no script'),
    state: z.enum(['open', 'closed']).describe('`closed`: nothing is taken, and a page says so'),
    reason: z.enum(closedReasons).nullable(),
    hint: z.string().nullable().describe('what to do about it'),
    sent_last_day: z.int().describe('in the last 24 hours'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'WebsiteForm' });
