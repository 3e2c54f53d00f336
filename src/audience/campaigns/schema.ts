// Campaigns as they are asked for and kept.
import { z } from 'zod';
import type { WrittenContent } from '#src/intake/documents/write-content.ts';
import * as fields from '#src/intake/send-fields.ts';
import {
  imagesSchema,
  mergeDataSchema,
  templateDocument,
  templateHtml,
  templateMjml,
  templateSubject,
  templateText,
} from '#src/intake/templates/schema.ts';
import { EXAMPLE_ID, idSchema } from '#src/kernel/fields.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { DAY, MINUTE } from '#src/kernel/time.ts';
import { unfit } from '#src/kernel/validate.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { momentOf, zoneNamed } from '#src/mail/time-zone.ts';
import { kindSchema } from '#src/messages/schema.ts';
import { comparisons, dateOf, presences, readings, sinces } from './filter.ts';

const MAX_LISTS = 20;
const MAX_CONDITIONS = 10;
const MAX_FIELD = 100;
const MAX_VALUE = 500;
const MAX_PER_HOUR = 1_000_000;
/** What was read is kept no longer, whatever the installation keeps. */
export const MAX_DAYS_READ = 365;
/** Appointments and seasons are planned within a year. */
const MAX_DAYS_AHEAD = 400;
const LATE_MS = 5 * MINUTE;
const DEFAULT_ZONE = 'Europe/Berlin';

const field = z
  .string()
  .min(1)
  .max(MAX_FIELD)
  .describe("the name of one of the subscribers' values; `email` and `name` are theirs too");

const condition = z
  .discriminatedUnion('op', [
    z
      .strictObject({ field, op: z.enum(comparisons), value: z.string().min(1).max(MAX_VALUE) })
      .refine(({ op, value }) => !/^(?:before|after)$/.test(op) || !Number.isNaN(dateOf(value)), {
        path: ['value'],
        message: 'expected a date, such as 2026-12-24',
      }),
    z.strictObject({ field, op: z.enum(presences) }),
    z
      .strictObject({ op: z.enum(sinces), value: z.string().min(1).max(MAX_VALUE) })
      .refine(({ value }) => !Number.isNaN(dateOf(value)), {
        path: ['value'],
        message: 'expected a date, such as 2026-12-24',
      }),
    z.strictObject({ op: z.enum(readings), days: z.int().min(1).max(MAX_DAYS_READ) }),
  ])
  .meta({ id: 'CampaignCondition' });

export const filterSchema = z
  .array(condition)
  .max(MAX_CONDITIONS)
  .describe(
    'all must hold. Case does not matter; an empty value is missing; `is_not` also holds where the value is missing; `before` and `after` compare days; `subscribed_before` and `subscribed_after` the day since which someone is on the list; `opened`, `clicked` and `neither` are of mail to the list in the last `days` whose opens and clicks were recorded with their own consent: who was sent none fits none of the three',
  );

export const listIdsSchema = z.array(idSchema).min(1).max(MAX_LISTS);

const { sendFields } = fields;

const shape = {
  name: nameSchema.describe('for the senders, recipients do not see it; the subject where absent'),
  list_id: idSchema.describe('one list; or `list_ids`'),
  segment_id: idSchema.describe(
    'a saved segment, in the place of lists and `filter`, which are copied from it now',
  ),
  list_ids: listIdsSchema.describe('who is on several of them gets one message'),
  filter: filterSchema,
  route: fields.routeName.describe('slug or UUID of a marketing route; `broadcast` where absent'),
  project_id: idSchema.describe("the practice's default project where absent"),
  message_kind: kindSchema.describe(
    '`newsletter` for lists of the channel `newsletter`, `custom` for those of `other`, as they are where absent',
  ),
  from: sendFields.from.unwrap().nullable().describe("the practice's default From where absent or null"),
  reply_to: sendFields.reply_to.unwrap().nullable(),
  subject: templateSubject,
  text: templateText.nullable(),
  html: templateHtml.nullable(),
  document: templateDocument,
  mjml: templateMjml.nullable(),
  template: sendFields.template
    .unwrap()
    .describe(
      'name or id of a stored template, in the place of subject and content: its content is copied now',
    ),
  template_version: z.int().min(1).describe('the current one where absent'),
  tags: sendFields.tags.unwrap(),
  metadata: fields.metadata,
  values: mergeDataSchema.describe(
    "values of placeholders for all its people; a person's own win, unless they are empty. Of the practice, `practice.name`, `practice.address` and the fields of its legal block are known by themselves",
  ),
  headers: sendFields.headers.unwrap(),
  settings: fields.settings,
  images: imagesSchema,
  max_per_hour: z
    .int()
    .min(1)
    .max(MAX_PER_HOUR)
    .nullable()
    .describe('how many messages are handed over in an hour at most'),
  schedule_at: z.iso
    .datetime({ offset: true, local: true })
    .nullable()
    .describe('with an offset, or local time in `time_zone`; null: it begins when it is sent'),
  time_zone: z.string().min(1).max(64).describe(`IANA name; \`${DEFAULT_ZONE}\` where absent`),
};

/** The body of a new campaign and of a change: what is absent is as it was, or as the description says. */
export const campaignBody = z
  .strictObject(shape)
  .partial()
  .meta({
    id: 'CampaignFields',
    examples: [
      {
        name: 'Grippeschutz im Herbst',
        list_id: EXAMPLE_ID,
        subject: 'Grippeschutz ab sofort bei uns',
        text: 'Guten Tag {{name}},\nab sofort impfen wir gegen Grippe.',
      },
    ],
  });
export type CampaignBody = z.output<typeof campaignBody>;

export const scheduleBody = z
  .strictObject({ schedule_at: shape.schedule_at.unwrap(), time_zone: shape.time_zone.optional() })
  .meta({
    id: 'CampaignSchedule',
    examples: [{ schedule_at: '2026-12-24T09:00:00', time_zone: 'Europe/Berlin' }],
  });

/** What a campaign keeps as JSON of its content; text and HTML have their placeholders. */
export interface CampaignContent
  extends Pick<CampaignBody, 'tags' | 'metadata' | 'headers' | 'settings' | 'images'>,
    Partial<Pick<WrittenContent, 'document' | 'mjml'>> {
  readonly values?: MergeData | undefined;
  readonly from?: string | undefined;
  readonly reply_to?: string | string[] | undefined;
  /** Whose lists and conditions were copied. */
  readonly segment_id?: string | undefined;
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  /** The template from which it was copied. */
  readonly template: { readonly id: string; readonly name: string; readonly version: number } | null;
}

/** Throws `invalid_request` for a time that does not exist, has passed, or is too far away. */
export const scheduleOf = (
  {
    schedule_at,
    time_zone = DEFAULT_ZONE,
  }: { readonly schedule_at: string; readonly time_zone?: string | undefined },
  now: number,
): { readonly at: number; readonly zone: string } => {
  const refuse = (name: string, message: Text) => unfit([{ path: `body.${name}`, message }]);
  const zone = zoneNamed(time_zone);
  if (zone === null) throw refuse('time_zone', say`is not the name of a time zone, such as Europe/Berlin`);
  const at = momentOf(zone, schedule_at);
  if (at === null) throw refuse('schedule_at', say`is a time that clocks in ${zone} skip`);
  if (at < now - LATE_MS) throw refuse('schedule_at', say`has passed`);
  if (at > now + MAX_DAYS_AHEAD * DAY)
    throw refuse('schedule_at', say`is more than ${MAX_DAYS_AHEAD} days ahead`);
  return { at, zone };
};
