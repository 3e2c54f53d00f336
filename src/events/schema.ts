// Events as the API shows them.
import { z } from 'zod';
import { toIso } from '#src/kernel/time.ts';
import { eventTypes } from './catalogue.ts';
import type { EventData, EventRow } from './store.ts';

export const eventSchema = z
  .strictObject({
    id: z.uuid(),
    type: z.enum(eventTypes),
    recipient: z.string().nullable().describe('address; null where the event is about the whole message'),
    inbound_id: z
      .uuid()
      .nullable()
      .describe('of the reply, where the event is one; null also once that is no longer kept'),
    at: z.iso.datetime(),
    smtp_code: z.int().nullable(),
    enhanced_code: z.string().nullable(),
    diagnostic: z.string().nullable().describe("the other side's words"),
    upstream: z.string().nullable(),
    rule: z
      .string()
      .nullable()
      .describe('the rule that classified a bounce, recognised a machine, or left a complaint uncounted'),
    ip: z
      .string()
      .nullable()
      .describe('of an open, click or unsubscription, without its last octet (IPv6: 80 bits)'),
    user_agent: z.string().nullable(),
    url: z.string().nullable(),
    bot: z.boolean().describe('a machine opened it or followed the link: counted in no rate'),
    counted: z
      .boolean()
      .describe(
        'false of a complaint whose sender is not proven: it suppresses the address, and counts in no rate',
      ),
  })
  .meta({ id: 'Event' });

export const presentEvent = (row: EventRow): z.infer<typeof eventSchema> => {
  const data: EventData = row.data_json === null ? {} : JSON.parse(row.data_json);
  return {
    id: row.id,
    type: row.type,
    recipient: row.recipient,
    inbound_id: row.inbound_id,
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
    counted: data.counted !== false,
  };
};
