// The recipients of a campaign by what happened to them, as pages and as a file.
import { z } from 'zod';
import type { EventType } from '#src/events/catalogue.ts';
import type { Caller } from '#src/kernel/access.ts';
import { type CsvReading, csvTable } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { toIso } from '#src/kernel/time.ts';
import { statusSchema } from '#src/messages/schema.ts';
import { campaignResultsStore, type LeftOutResult, type RecipientResult } from './results-store.ts';

const LEFT_OUT = 'left_out';

/** What the log must have of them. A click implies an open. */
const eventsOf = {
  sent: ['message.sent'],
  delivered: ['message.delivered'],
  opened: ['message.opened', 'message.clicked'],
  clicked: ['message.clicked'],
  unsubscribed: ['message.unsubscribed'],
  bounced: ['message.soft_bounced', 'message.hard_bounced'],
  complained: ['message.spam_complaint'],
  failed: ['message.failed'],
  suppressed: ['message.suppressed'],
} as const satisfies Record<string, readonly EventType[]>;

const states = [...(Object.keys(eventsOf) as (keyof typeof eventsOf)[]), LEFT_OUT] as const;
export const recipientState = z
  .enum(states)
  .optional()
  .describe(
    'those to whom that happened, caused by no machine; `left_out`: those who got no message. All for whom a message was made where absent',
  );
export type RecipientState = z.output<typeof recipientState>;

export const recipientSchema = z
  .strictObject({
    address: z
      .string()
      .nullable()
      .describe('a keyed hash once it is no longer kept; null where it was erased'),
    message_id: z.uuid().nullable(),
    subscriber_id: z.uuid().nullable().describe('of those left out'),
    status: statusSchema.nullable(),
    reason: z.string().nullable().describe('why they were left out'),
    smtp_code: z.int().nullable(),
    enhanced_code: z.string().nullable(),
    diagnostic: z.string().nullable(),
    updated_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'CampaignRecipient' });
type Presented = z.infer<typeof recipientSchema>;

const presentRecipient = (row: RecipientResult): Presented => ({
  address: row.address,
  message_id: row.message_id,
  subscriber_id: null,
  status: row.status,
  reason: null,
  smtp_code: row.smtp_code,
  enhanced_code: row.enhanced_code,
  diagnostic: row.diagnostic,
  updated_at: toIso(row.updated_at),
});

const presentLeftOut = ({ address, subscriber_id, reason }: LeftOutResult): Presented => ({
  address,
  message_id: null,
  subscriber_id,
  status: null,
  reason,
  smtp_code: null,
  enhanced_code: null,
  diagnostic: null,
  updated_at: null,
});

export interface RecipientPage {
  readonly data: Presented[];
  /** The place at which the next page continues; null at the end. */
  readonly next: number | null;
}

export const recipientPage = (
  db: TenantDb,
  campaignSeq: number,
  state: RecipientState,
  after: number,
  limit: number,
): RecipientPage => {
  const store = campaignResultsStore(db);
  if (state === LEFT_OUT) {
    const { rows, next } = store.leftOut(campaignSeq, after, limit);
    return { data: rows.map(presentLeftOut), next };
  }
  const types = state === undefined ? null : eventsOf[state];
  const { rows, next } = store.recipients(campaignSeq, types, after, limit);
  return { data: rows.map(presentRecipient), next };
};

const COLUMNS = [
  'address',
  'status',
  'reason',
  'smtp_code',
  'enhanced_code',
  'diagnostic',
  'updated_at',
  'message_id',
  'subscriber_id',
] as const;

const ROWS_PER_PAGE = 500;

/** CSV. `require` throws where the caller may not see them. */
export const exportRecipients = (
  reading: CsvReading,
  campaignSeq: number,
  state: RecipientState,
  require: (caller: Caller) => void,
): AsyncGenerator<string> =>
  csvTable(reading, COLUMNS, (db, after, caller) => {
    require(caller);
    const { data, next } = recipientPage(db, campaignSeq, state, after, ROWS_PER_PAGE);
    return { made: data.map((row) => COLUMNS.map((column) => row[column])), next };
  });
