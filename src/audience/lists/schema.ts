// Lists as the API takes and shows them.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { formUrl } from '#src/audience/public/request.ts';
import { subscriberStatuses } from '#src/audience/subscribers/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defaultLanguage, languages } from '#src/kernel/language.ts';
import { listQuery } from '#src/kernel/list.ts';
import { toIso } from '#src/kernel/time.ts';
import { lineSchema, nameSchema } from '#src/mail/line-schema.ts';
import { channels } from '#src/messages/kinds.ts';
import { type ListRow, listStore, trackingConsents } from './store.ts';

const MAX_DESCRIPTION = 500;
const MAX_WORDING = 2_000;

const channel = z.enum(channels).describe('what consent is given to; fixed once there are subscribers');
const description = lineSchema(MAX_DESCRIPTION).nullable().describe('shown on its pages');
const language = z
  .enum(languages)
  .describe('of its confirmation mails, and of its pages where the browser asks for no language');
const wording = z
  .string()
  .trim()
  .min(1)
  .max(MAX_WORDING)
  .transform((text) => text.replace(/\r\n?/g, '\n'))
  .refine((text) => /^(?:\P{Cc}|\n)*$/u.test(text), 'control characters are not allowed')
  .describe('what people agree to; each change is kept in the consent ledger');
const isPublic = z.boolean().describe('whether strangers may subscribe by its form');
const twoSteps = z
  .boolean()
  .describe('whether the link of the confirmation mail shows a button instead of confirming at once');

const trackingConsent = z
  .enum(trackingConsents)
  .describe(
    'whether campaigns to it may record opens and clicks: `always`; `asked`: of people who agreed to that by a box of their own; `never`. Who objected is never tracked',
  );

export const listSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    channel,
    language,
    wording: z.string(),
    wording_version: z.int(),
    is_public: isPublic,
    two_steps: twoSteps,
    tracking_consent: trackingConsent,
    counts: z.strictObject(
      Object.fromEntries(subscriberStatuses.map((status) => [status, z.int()])) as Record<
        (typeof subscriberStatuses)[number],
        z.ZodInt
      >,
    ),
    form_url: z.url().nullable().describe('where strangers can subscribe; null: nowhere'),
    created_at: z.iso.datetime(),
    archived_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'List' });

export const createListBody = z
  .strictObject({
    name: nameSchema,
    description: description.default(null),
    channel: channel.default('newsletter'),
    language: language.default(defaultLanguage),
    wording: wording.optional().describe('one that names the practice and the list where absent'),
    is_public: isPublic.default(true),
    two_steps: twoSteps.default(false),
    tracking_consent: trackingConsent.default('always'),
  })
  .meta({
    examples: [{ name: 'Praxisbrief', description: 'Viermal im Jahr: Öffnungszeiten, neue Angebote' }],
  });

export const patchListBody = z
  .strictObject({
    name: nameSchema,
    description,
    channel,
    language,
    wording,
    is_public: isPublic,
    two_steps: twoSteps,
    tracking_consent: trackingConsent,
  })
  .partial()
  .meta({ examples: [{ two_steps: true }] });

export const listListsQuery = z.strictObject({
  ...listQuery,
  archived: z.stringbool().default(false).describe('those that are archived, instead of those in use'),
});

export const listParams = z.strictObject({ ...tenantParams.shape, listID: idSchema });

const shownList = (row: ListRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  channel: row.channel,
  language: row.language,
  wording: row.wording,
  wording_version: row.wording_version,
  is_public: row.is_public === 1,
  two_steps: row.two_steps === 1,
  tracking_consent: row.tracking_consent,
});

export const presentList = (
  db: TenantDb,
  links: Pick<AudienceContext, 'config' | 'linkKey'>,
  row: ListRow,
): z.infer<typeof listSchema> => {
  const counts = listStore(db).counts(row.seq);
  const count = (status: (typeof subscriberStatuses)[number]): number => counts.get(status) ?? 0;
  return {
    ...shownList(row),
    counts: {
      pending: count('pending'),
      active: count('active'),
      unsubscribed: count('unsubscribed'),
      bounced: count('bounced'),
      complained: count('complained'),
    },
    form_url:
      row.is_public === 1 && row.archived_at === null
        ? formUrl(links, tenantStore(db).practice().number, row)
        : null,
    created_at: toIso(row.created_at),
    archived_at: row.archived_at === null ? null : toIso(row.archived_at),
  };
};

/** The list without the numbers, which others change meanwhile. */
export const auditedList = (row: ListRow) => ({ ...shownList(row), is_archived: row.archived_at !== null });
