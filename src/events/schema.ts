// Shape of what stands in the log.
import { z } from 'zod';
import { toIso } from '#src/kernel/time.ts';
import { eventTypes } from './catalogue.ts';
import type { EventRow } from './store.ts';

/** What is known beside type, recipient and time. */
export interface EventData {
  /** Where the recipient stands after it, where the event by itself would say something else. */
  readonly status?: string;
  readonly smtp_code?: number | null;
  readonly enhanced_code?: string | null;
  readonly diagnostic?: string | null;
  readonly upstream?: string | null;
  /** The rule that classified a bounce, or told a machine from a person. */
  readonly rule?: string;
  /** Number of our own attempt that it comes of; absent where somebody told us. */
  readonly attempt?: number;
  /** How they told: `dsn`, `arf`, `auto_reply`, `bounce` (a notice in no standard form), `http` (an upstream's report). */
  readonly via?: string;
  /** Where an open or click came from, cut to the network. */
  readonly ip?: string | null;
  readonly user_agent?: string | null;
  /** The link that was followed. */
  readonly url?: string;
  /** A machine opened or followed it. */
  readonly bot?: boolean;
  /** A delay that was told before: followers pass it over. */
  readonly repeated?: boolean;
  /** Ids of what blocked the content. */
  readonly content_reasons?: readonly string[];
  /** Which one keeps mail from the recipient, or was added or removed. */
  readonly suppression?: {
    readonly id: string;
    readonly address: string | null;
    readonly scope: string;
    readonly project_id: string | null;
    readonly route_id: string | null;
    readonly project_slug: string | null;
    readonly route_slug: string | null;
    readonly reason: string;
  };
  /** The message that a suppression came from, where it came from one. */
  readonly source_message_id?: string;
}

export const eventSchema = z.strictObject({
  id: z.uuid(),
  type: z.enum(eventTypes),
  recipient: z.string().nullable().describe('address; null where the event is about the whole message'),
  at: z.iso.datetime(),
  smtp_code: z.int().nullable(),
  enhanced_code: z.string().nullable(),
  diagnostic: z.string().nullable().describe("the other side's words"),
  upstream: z.string().nullable(),
  rule: z.string().nullable().describe('the rule that classified a bounce, or told a machine from a person'),
  ip: z.string().nullable().describe('of an open or click, without its last octet (IPv6: 80 bits)'),
  user_agent: z.string().nullable(),
  url: z.string().nullable(),
  bot: z.boolean().describe('a machine opened it or followed the link: counted in no rate'),
});

export const presentEvent = (row: EventRow): z.infer<typeof eventSchema> => {
  const data: EventData = row.data_json === null ? {} : JSON.parse(row.data_json);
  return {
    id: row.id,
    type: row.type,
    recipient: row.recipient,
    at: toIso(row.at),
    smtp_code: data.smtp_code ?? null,
    enhanced_code: data.enhanced_code ?? null,
    diagnostic: data.diagnostic ?? null,
    upstream: data.upstream ?? null,
    rule: data.rule ?? null,
    ip: data.ip ?? null,
    user_agent: data.user_agent ?? null,
    url: data.url ?? null,
    bot: data.bot === true,
  };
};
