// Campaigns as the API shows them.

import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { CounterName } from '#src/audience/log/rules.ts';
import { deliveriesOf, messagesOf, rate } from '#src/feedback/reputation/rules.ts';
import * as fields from '#src/intake/send-fields.ts';
import { practiceValues } from '#src/intake/templates/practice-values.ts';
import { compileContent } from '#src/intake/templates/render.ts';
import { imagesSchema, shownContent } from '#src/intake/templates/schema.ts';
import { explainCodes } from '#src/kernel/code-words.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Speak } from '#src/kernel/say.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { kindSchema } from '#src/messages/schema.ts';
import { valuesOf } from './filter.ts';
import { peopleStore } from './people-store.ts';
import { STALLED, waitsUntil } from './rules.ts';
import { type CampaignContent, filterSchema } from './schema.ts';
import { listsOf } from './selection.ts';
import { type CampaignHead, type CampaignRow, campaignStatuses, campaignStore, EXCLUDED } from './store.ts';

const counted = [
  'sent',
  'refused',
  'delivered',
  'opened',
  'clicked',
  'unsubscribed',
  'soft_bounced',
  'hard_bounced',
  'complained',
  'failed',
  'suppressed',
] as const satisfies readonly CounterName[];

const count = z.int();
const countsSchema = z
  .strictObject({
    handed_over: count.describe('people for whom a message was made'),
    queued: count.describe('of those, messages that have not left yet'),
    sent: count.describe('accepted by the upstream'),
    refused: count.describe('refused by the upstream, so never sent'),
    delivered: count.describe('as far as the upstream reports deliveries'),
    opened: count.describe('machines are not counted'),
    clicked: count.describe('followed a link; machines are not counted'),
    unsubscribed: count,
    soft_bounced: count,
    hard_bounced: count,
    complained: count,
    failed: count,
    suppressed: count.describe('suppressed after their message was made'),
  } satisfies Record<(typeof counted)[number] | 'handed_over' | 'queued', z.ZodType>)
  .describe('people, each once')
  .meta({ id: 'CampaignCounts' });

const share = z.number().nullable();
const ratesSchema = z
  .strictObject({
    bounce_rate: share.describe('hard bounces divided by sent and refused'),
    complaint_rate: share,
    open_rate: share,
    click_rate: share,
    unsubscribe_rate: share,
  })
  .describe('divided by sent and refused less all bounces, but for bounces; null before any was sent')
  .meta({ id: 'CampaignRates' });

const time = z.iso.datetime();

export const campaignHeadSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    list_id: z.uuid().describe('the first of `list_ids`'),
    list_ids: z.array(z.uuid()),
    filter: filterSchema,
    project_id: z.uuid(),
    route: z.strictObject({ id: z.uuid(), slug: z.string() }),
    message_kind: kindSchema,
    subject: z.string(),
    status: z.enum(campaignStatuses),
    reason: z
      .string()
      .nullable()
      .describe(
        'why it is paused or has failed, or waits while it is sending: the code of a refusal, or `bounces` and `complaints` (it has paused itself: clean the list, then resume it; addresses that do not exist are suppressed already), `restored`, `deferred`, `stalled`',
      ),
    waiting: z
      .strictObject({ until: time })
      .nullable()
      .describe('while it is sending: something holds it back, and it goes on by itself then'),
    schedule_at: time.nullable(),
    time_zone: z.string().nullable(),
    max_per_hour: count.nullable(),
    progress: z.number().min(0).max(1).describe('share of the people of its lists whose turn has come'),
    counts: countsSchema,
    rates: ratesSchema,
    left_out: z.record(z.string(), count).describe('people who got no message, by reason'),
    created_at: time,
    updated_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
  })
  .meta({ id: 'CampaignSummary' });

export const campaignSchema = z
  .strictObject({
    ...campaignHeadSchema.shape,
    segment_id: z.uuid().nullable().describe('the segment whose lists and conditions it took'),
    from: z.string().nullable().describe("null: the practice's default From"),
    reply_to: fields.addresses.nullable(),
    ...shownContent,
    template: z
      .strictObject({ id: z.uuid(), name: z.string(), version: z.int() })
      .nullable()
      .describe('of which the content was copied'),
    tags: fields.sendFields.tags.unwrap(),
    metadata: fields.metadata,
    values: z.record(z.string(), z.string()).describe('of placeholders, for all its people'),
    headers: fields.sendFields.headers.unwrap(),
    settings: fields.settings,
    images: imagesSchema,
    refusals: z
      .record(z.string(), z.strictObject({ brief: z.string(), hint: z.string() }))
      .describe('what the codes in `reason` and `left_out` are, in German or English by Accept-Language'),
    unknown_fields: z
      .array(z.string())
      .describe(
        'placeholders that have a value neither for all nor for one of the newest 1,000 subscribers of its lists',
      ),
  })
  .meta({ id: 'Campaign' });

const ratesOf = (counts: Readonly<Record<(typeof counted)[number], number>>) => {
  const deliveries = deliveriesOf(counts);
  return {
    bounce_rate: rate(counts.hard_bounced, messagesOf(counts)),
    complaint_rate: rate(counts.complained, deliveries),
    open_rate: rate(counts.opened, deliveries),
    click_rate: rate(counts.clicked, deliveries),
    unsubscribe_rate: rate(counts.unsubscribed, deliveries),
  };
};

const ENDED: ReadonlySet<string> = new Set(['sent', 'failed', 'cancelled']);
const HASH_BITS = 32;

/** People are taken in the order of their hashes, which are evenly spread. */
const progressOf = ({ status, after_hash }: CampaignRow): number => {
  if (status === 'sent') return 1;
  return after_hash === null || after_hash.length < HASH_BITS / 8
    ? 0
    : after_hash.readUInt32BE(0) / 2 ** HASH_BITS;
};

export const presentHead = (db: TenantDb, row: CampaignHead): z.infer<typeof campaignHeadSchema> => {
  const counters = campaignStore(db).counters(row.seq);
  const counterOf = (name: string): number => counters.get(name) ?? 0;
  const counts = Object.fromEntries(counted.map((name) => [name, counterOf(name)])) as Record<
    (typeof counted)[number],
    number
  >;
  const handed_over = counterOf('handed_over');
  const { sent, refused, failed, suppressed } = counts;
  const list_ids: string[] = JSON.parse(row.list_ids_json);
  const isWaiting =
    row.status === 'sending' && row.reason !== null && row.reason !== STALLED && row.due_at !== null;
  return {
    id: row.id,
    name: row.name,
    list_id: list_ids[0] ?? '',
    list_ids,
    filter: JSON.parse(row.filter_json),
    project_id: row.project_id,
    route: { id: row.route_id, slug: tenantStore(db).route(row.route_id)?.slug ?? '' },
    message_kind: row.message_kind,
    subject: row.subject,
    status: row.status,
    reason: row.reason,
    waiting: isWaiting ? { until: toIso(waitsUntil(row.reason ?? '', row.due_at ?? 0)) } : null,
    schedule_at: toIsoOrNull(row.schedule_at),
    time_zone: row.time_zone,
    max_per_hour: row.max_per_hour,
    progress: progressOf(row),
    counts: {
      handed_over,
      // The counters follow the log, so for a moment more may be known of one than of the other.
      queued: Math.max(0, handed_over - sent - refused - failed - suppressed),
      ...counts,
    },
    rates: ratesOf(counts),
    left_out: Object.fromEntries(
      [...counters].flatMap(([name, n]) =>
        name.startsWith(EXCLUDED) ? [[name.slice(EXCLUDED.length), n]] : [],
      ),
    ),
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
    started_at: toIsoOrNull(row.started_at),
    finished_at: toIsoOrNull(row.finished_at),
  };
};

/** A few milliseconds. */
const SUBSCRIBERS_LOOKED_AT = 1_000;

/** Nothing is unknown where the lists are empty. */
const unknownFields = (db: TenantDb, row: CampaignRow, content: CampaignContent): string[] => {
  const known = { ...practiceValues(tenantStore(db).practice()), ...content.values };
  const unknown = new Set(compileContent(content).missing(known));
  const lists = listsOf(db, row);
  const each = Math.ceil(SUBSCRIBERS_LOOKED_AT / Math.max(1, lists.length));
  let isEmpty = true;
  for (const { seq } of lists) {
    if (unknown.size === 0) break;
    for (const subscriber of peopleStore(db).newest(seq, each)) {
      isEmpty = false;
      for (const name of Object.keys(valuesOf(subscriber))) unknown.delete(name);
    }
  }
  return isEmpty ? [] : [...unknown];
};

export const contentOf = (db: TenantDb, { seq }: Pick<CampaignRow, 'seq'>): CampaignContent =>
  JSON.parse(campaignStore(db).content(seq)) as CampaignContent;

export const presentCampaign = (
  db: TenantDb,
  row: CampaignRow,
  speak: Speak,
): z.infer<typeof campaignSchema> => {
  const content = contentOf(db, row);
  const { from = null, reply_to = null, tags = [], metadata = {}, headers = {}, settings = {} } = content;
  const {
    subject,
    text,
    html,
    document = null,
    mjml = null,
    template,
    values = {},
    segment_id = null,
    images = 'linked',
  } = content;
  const head = presentHead(db, { ...row, subject });
  const reasons = [row.reason ?? '', ...Object.keys(head.left_out)];
  return {
    ...head,
    refusals: explainCodes(
      reasons.map((reason) => reason.replace(/^refused:/, '')),
      speak,
    ),
    ...{
      segment_id,
      from,
      reply_to,
      text,
      html,
      document,
      mjml,
      template,
      tags,
      metadata,
      values,
      headers,
      settings,
      images,
    },
    unknown_fields: ENDED.has(row.status) ? [] : unknownFields(db, row, content),
  };
};
