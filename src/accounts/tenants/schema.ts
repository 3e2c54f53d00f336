// Practices, projects and routes as the API takes and shows them.
import { z } from 'zod';
import type { Caller } from '#src/kernel/access.ts';
import { httpsUrlSchema, idSchema, nameSchema } from '#src/kernel/fields.ts';
import { languages } from '#src/kernel/language.ts';
import { streams } from '#src/kernel/stream.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { replyAddressSchema } from '#src/mail/email.ts';
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
    legal: z.strictObject({
      street: z.string().nullable(),
      city: z.string().nullable(),
      privacy_url: z.string().nullable(),
    }),
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

export const complianceBody = z
  .strictObject({
    street: nameSchema.nullable().describe('with the house number'),
    city: nameSchema.nullable().describe('with the postal code'),
    privacy_url: httpsUrlSchema.nullable(),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({
    examples: [
      { street: 'Am Markt 1', city: '20095 Hamburg', privacy_url: 'https://praxis.example/datenschutz' },
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
    legal: { street: row.legal_street, city: row.legal_city, privacy_url: row.legal_privacy_url },
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
