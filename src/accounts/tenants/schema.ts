// Practices, projects and routes as the API takes and shows them.
import { z } from 'zod';
import type { Caller } from '#src/kernel/access.ts';
import { httpsUrlSchema, idSchema } from '#src/kernel/fields.ts';
import { languages } from '#src/kernel/language.ts';
import { streams } from '#src/kernel/stream.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { parseEmail, replyAddressSchema } from '#src/mail/email.ts';
import { lineSchema, nameSchema } from '#src/mail/line-schema.ts';
import { type LegalField, legalFields, legalOf } from './legal.ts';
import { planNames, plans, warmupCaps, warmupDay } from './rules.ts';
import type { PracticeRow, ProjectRow, RouteRow } from './store.ts';

export const tenantParams = z.strictObject({ id: idSchema.describe('the practice') });

export const slugSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'expected lower-case letters, digits and inner hyphens, at most 63',
  );

export const practiceSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    status: z.enum(['active', 'paused']),
    pause: z
      .strictObject({
        reason: z.string(),
        by: z.enum(['guardrail', 'member', 'operator']),
        at: z.iso.datetime(),
      })
      .nullable(),
    domain: z.string().describe('the sending domain in use'),
    domain_kind: z.enum(['managed', 'custom']),
    pending_domain: z.string().nullable().describe('a custom domain whose DKIM has not been verified yet'),
    managed_host: z.string(),
    default_from: z.string(),
    plan: z.enum(planNames),
    monthly_cap: z.int(),
    safe_mode: z.boolean(),
    legal: z
      .strictObject(
        Object.fromEntries(legalFields.map((field) => [field, z.string().nullable()])) as Record<
          LegalField,
          z.ZodNullable<z.ZodString>
        >,
      )
      .describe('marketing and public lists need `street`, `city` and `privacy_url`')
      .meta({ id: 'LegalBlock' }),
    reply_address: replyAddressSchema.describe(
      'where answers to mail without `reply_to` go; null: to its mailbox here, while it receives mail',
    ),
    add_reply_to: z
      .boolean()
      .describe('false: mail without `reply_to` leaves without Reply-To, whatever route and project say'),
    warmup: z
      .strictObject({
        day: z.int().describe('UTC days since DKIM was first verified, from 1'),
        started_at: z.iso.datetime(),
        cap: z.int().nullable().describe('mails per stream today; null: none any more'),
        caps: z.array(z.int()).describe('of day 1, day 2, ...'),
      })
      .nullable()
      .describe('of the custom domain in use; null while mail goes out from the managed host'),
    approved_at: z.iso.datetime().nullable().describe('when the operator approved it for going live'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Practice' });

export const createPracticeBody = z
  .strictObject({
    name: nameSchema,
    domain: z
      .string()
      .max(253)
      .optional()
      .describe('a custom sending domain; in use once its DKIM has been verified'),
    owner_email: z
      .string()
      .max(300)
      .optional()
      .describe('of the first owner, who gets a mail; a member can only name himself'),
    language: z.enum(languages).optional().describe("of the mails to the owner; the request's where absent"),
    plan: z.enum(planNames).optional().describe('by the operator only; `test` where absent'),
  })
  .meta({ examples: [{ name: 'Praxis am Markt', owner_email: 'anna@praxis.example', language: 'de' }] });

const replyAddress = replyAddressSchema.describe(
  'where answers to mail without `reply_to` go; null: as what is above it says',
);

export const patchPracticeBody = z
  .strictObject({ name: nameSchema, reply_address: replyAddress, add_reply_to: z.boolean() })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ examples: [{ name: 'Praxis am Ring' }] });

const MAX_TYPED = 300;
const PHONE = /^\+?[\d\s()/.-]{5,40}$/;
/** Two letters of a member state (Greece: EL, Northern Ireland: XI), and 2 to 12 characters; and the Swiss and British forms. */
const VAT_ID =
  /^(?:(?:AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI|GB)(?=.*\d)[A-Z\d+*]{2,12}|CHE\d{9}(?:MWST|TVA|IVA)?)$/;
const plainVatId = (text: string): string => text.toUpperCase().replace(/[\s.-]/g, '');

const legalBody = {
  street: nameSchema.describe('with the house number'),
  city: nameSchema.describe('with the postal code'),
  privacy_url: httpsUrlSchema,
  email: z
    .string()
    .max(MAX_TYPED)
    .refine((text) => parseEmail(text) !== null, 'expected one e-mail address, such as praxis@example.org')
    .overwrite((text) => parseEmail(text)?.email ?? text),
  phone: lineSchema(40).regex(PHONE, 'expected a telephone number, such as +49 40 123456'),
  represented_by: nameSchema.describe('who acts for it: managing director, chair, owner'),
  register: nameSchema
    .describe('court and number: of companies, associations, partnerships')
    .meta({ examples: ['AG Köln, HRB 12345'] }),
  vat_id: lineSchema(30)
    .refine(
      (text) => VAT_ID.test(plainVatId(text)),
      'expected a VAT ID with its country, such as DE123456789',
    )
    .overwrite((text) => (VAT_ID.test(plainVatId(text)) ? plainVatId(text) : text)),
  authority: lineSchema(MAX_TYPED).describe('that supervises it, such as the chamber of physicians'),
  imprint_url: httpsUrlSchema.describe('the page that has the whole of it'),
} satisfies Record<LegalField, z.ZodType>;

export const complianceBody = z
  .strictObject(
    Object.fromEntries(
      Object.entries(legalBody).map(([field, schema]) => [field, schema.nullable()]),
    ) as unknown as Record<LegalField, z.ZodNullable<z.ZodString>>,
  )
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({
    examples: [
      {
        street: 'Am Markt 1',
        city: '20095 Hamburg',
        privacy_url: 'https://praxis.example/datenschutz',
        email: 'praxis@praxis.example',
        phone: '+49 40 123456',
        represented_by: 'Dr. Anna Weber',
        authority: 'Ärztekammer Hamburg',
      },
    ],
  });

export const projectSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    is_default: z.boolean(),
    archived_at: z.iso.datetime().nullable(),
    reply_address: replyAddressSchema.describe('null: as the practice says'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Project' });

export const createProjectBody = z
  .strictObject({
    name: nameSchema,
    slug: slugSchema.optional().describe('made from the name where absent'),
    reply_address: replyAddress.optional(),
  })
  .meta({ examples: [{ name: 'Recall' }] });

export const patchProjectBody = z
  .strictObject({ name: nameSchema, archived: z.boolean(), reply_address: replyAddress })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ examples: [{ name: 'Terminerinnerung' }] });

export const routeSchema = z
  .strictObject({
    id: z.uuid(),
    slug: z.string(),
    name: z.string(),
    type: z.enum(streams),
    project_id: z.uuid().nullable().describe('null: for all projects'),
    is_default: z.boolean(),
    track_opens: z.boolean(),
    track_clicks: z.boolean(),
    plain_text_fallback: z.boolean(),
    reply_address: replyAddressSchema.describe('null: as the project says'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Route' });

const routeSettings = {
  track_opens: z.boolean(),
  track_clicks: z.boolean(),
  plain_text_fallback: z.boolean().describe('make a text part from the HTML where `text` is omitted'),
  reply_address: replyAddress,
};

export const createRouteBody = z
  .strictObject({
    name: nameSchema,
    slug: slugSchema.optional().describe('made from the name where absent'),
    type: z.enum(streams),
    project_id: idSchema.optional(),
    ...z.strictObject(routeSettings).partial().shape,
  })
  .meta({ examples: [{ name: 'Termine', type: 'transactional' }] });

export const patchRouteBody = z
  .strictObject({ name: nameSchema, project_id: idSchema.nullable(), ...routeSettings })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({ examples: [{ track_opens: true }] });

/** The host in From: the custom domain once it is verified, else the managed one. */
export const sendingHost = (row: PracticeRow): string => row.custom_domain ?? row.managed_host;

export const defaultFrom = (row: PracticeRow): string => `noreply@${sendingHost(row)}`;

const presentWarmup = (row: PracticeRow, now: number): z.infer<typeof practiceSchema>['warmup'] => {
  if (row.custom_domain === null || row.warmup_started_at === null) return null;
  const day = warmupDay(row.warmup_started_at, now);
  return {
    day,
    started_at: toIso(row.warmup_started_at),
    cap: warmupCaps[day - 1] ?? null,
    caps: [...warmupCaps],
  };
};

/** `projects`: those to which the caller is limited; null: none. The guardrail's reason has the numbers of all projects. */
export const pauseReasonFor = (
  { pause_reason, pause_by }: PracticeRow,
  projects: Caller['projects'],
): string =>
  projects !== null && pause_by === 'guardrail'
    ? 'Too many hard bounces or complaints on one route.'
    : (pause_reason ?? '');

/** `projects` as of `pauseReasonFor`. */
export const presentPractice = (
  row: PracticeRow,
  now: number,
  projects: Caller['projects'] = null,
): z.infer<typeof practiceSchema> => {
  const domain = sendingHost(row);
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    status: row.paused_at === null ? 'active' : 'paused',
    pause:
      row.paused_at === null
        ? null
        : { reason: pauseReasonFor(row, projects), by: row.pause_by ?? 'operator', at: toIso(row.paused_at) },
    domain,
    domain_kind: domain === row.managed_host ? 'managed' : 'custom',
    pending_domain: row.pending_domain,
    managed_host: row.managed_host,
    default_from: defaultFrom(row),
    plan: row.plan,
    monthly_cap: plans[row.plan].monthlyCap,
    safe_mode: row.safe_mode === 1,
    legal: legalOf(row),
    reply_address: row.reply_address,
    add_reply_to: row.adds_reply_to === 1,
    warmup: presentWarmup(row, now),
    approved_at: toIsoOrNull(row.approved_at),
    created_at: toIso(row.created_at),
  };
};

export const presentProject = (row: ProjectRow): z.infer<typeof projectSchema> => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  is_default: row.is_default === 1,
  archived_at: toIsoOrNull(row.archived_at),
  reply_address: row.reply_address,
  created_at: toIso(row.created_at),
});

export const presentRoute = (row: RouteRow): z.infer<typeof routeSchema> => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  type: row.type,
  project_id: row.project_id,
  is_default: row.is_default === 1,
  track_opens: row.track_opens === 1,
  track_clicks: row.track_clicks === 1,
  plain_text_fallback: row.plain_text_fallback === 1,
  reply_address: row.reply_address,
  created_at: toIso(row.created_at),
});
