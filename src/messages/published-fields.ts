// The fields of published events, each with its shape and its source. All of it is in the event or in columns of its message
// that never change: so an event that is sent again has the same bytes. Subject and content are not published, because they
// often speak of a person's health; a caller that may read them asks for the message. Pure.
import { z } from 'zod';
import type { FollowedEvent, FollowedMail } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import { suppressionReasons, suppressionScopes } from '#src/messages/suppression-rules.ts';
import { firstSignal, ownStatus, statusOf } from './rules.ts';
import { kindSchema, statusSchema } from './schema.ts';

/** `url`: of its record in the API. */
export type LinkedMail = FollowedMail & { readonly url: string };

export interface PublishedField {
  readonly schema: z.ZodType;
  readonly of: (row: FollowedEvent, data: EventData, mail: LinkedMail | null) => unknown;
}

/** Earlier versions recorded no status with the creation of a message; then its row says how it began. */
const statusOfRow = ({ type, created_at, scheduled_at }: FollowedEvent): string | null =>
  type === 'message.created' && created_at !== null
    ? statusOf(firstSignal({ created_at, scheduled_at }))
    : (ownStatus.get(type) ?? null);

const parsed = (json: string | null, otherwise: unknown): unknown =>
  json === null ? otherwise : JSON.parse(json);

export const ofEvent = {
  event_id: {
    schema: z.uuid().describe('id of the event: the same for all followers'),
    of: ({ id }) => id,
  },
} satisfies Record<string, PublishedField>;

/** Every event of a message has these fields. */
export const messageFields = {
  ...ofEvent,
  message_id: { schema: z.uuid(), of: (row) => row.message_id },
  status: {
    schema: statusSchema.describe(
      'status of the recipient after it: a late signal leaves a higher status as it is',
    ),
    of: (row, data) => data.status ?? statusOfRow(row),
  },
  recipient: {
    schema: z.string().nullable().describe('address; null where the event is about the whole message'),
    of: (row) => row.recipient,
  },
  project_id: { schema: z.uuid().describe('of the message'), of: (row) => row.project_id },
  project_slug: { schema: z.string(), of: (row) => row.project_slug },
  route_id: { schema: z.uuid().describe('of the message'), of: (row) => row.route_id },
  route_slug: { schema: z.string(), of: (row) => row.route_slug },
  message_kind: { schema: kindSchema, of: (row) => row.message_kind },
  tag: { schema: z.string().nullable().describe('the first of `tags`'), of: (row) => row.tag },
  tags: { schema: z.array(z.string()), of: (row) => parsed(row.tags_json, []) },
  metadata: {
    schema: z.record(z.string(), z.string()).describe('as it was given at the send call'),
    of: (row) => parsed(row.metadata_json, {}),
  },
} satisfies Record<string, PublishedField>;

/** The reply of the other server. */
export const replyFields = {
  smtp_code: { schema: z.int().nullable(), of: (_, data) => data.smtp_code ?? null },
  enhanced_code: {
    schema: z.string().nullable().describe('enhanced status code (RFC 3463)'),
    of: (_, data) => data.enhanced_code ?? null,
  },
  diagnostic: {
    schema: z.string().nullable().describe('text of the other server’s reply'),
    of: (_, data) => data.diagnostic ?? null,
  },
  upstream: {
    schema: z.string().nullable().describe('name of the relay'),
    of: (_, data) => data.upstream ?? null,
  },
} satisfies Record<string, PublishedField>;

export const ruleField = {
  rule: {
    schema: z.string().nullable().describe('the rule that classified the bounce'),
    of: (_, data) => data.rule ?? null,
  },
} satisfies Record<string, PublishedField>;

export const readerFields = {
  ip: {
    schema: z.string().nullable().describe('without its last octet (IPv6: 80 bits)'),
    of: (_, data) => data.ip ?? null,
  },
  user_agent: { schema: z.string().nullable(), of: (_, data) => data.user_agent ?? null },
  bot: {
    schema: z.boolean().describe('caused by a machine: `status` stays as it was, and nothing is counted'),
    of: (_, data) => data.bot === true,
  },
} satisfies Record<string, PublishedField>;

export const linkField = {
  url: {
    schema: z.string().nullable().describe('the link that was followed'),
    of: (_, data) => data.url ?? null,
  },
} satisfies Record<string, PublishedField>;

export const contentField = {
  content_reasons: {
    schema: z
      .array(z.string())
      .nullable()
      .describe('ids of the rules that blocked the content; null if the content was not the reason'),
    of: (_, data) => data.content_reasons ?? null,
  },
} satisfies Record<string, PublishedField>;

const scopeSchema = z.enum(suppressionScopes);

/** Every event of a suppression has these fields. */
export const suppressionFields = {
  ...ofEvent,
  suppression_id: { schema: z.uuid(), of: (_, data) => data.suppression?.id },
  address: {
    schema: z.string().nullable().describe('null where the person’s data had been erased'),
    of: (_, data) => data.suppression?.address,
  },
  scope: { schema: scopeSchema, of: (_, data) => data.suppression?.scope },
  project_id: {
    schema: z.uuid().nullable().describe('of a suppression with the scope `project`'),
    of: (_, data) => data.suppression?.project_id,
  },
  project_slug: { schema: z.string().nullable(), of: (_, data) => data.suppression?.project_slug },
  route_id: {
    schema: z.uuid().nullable().describe('of a suppression with the scope `route`'),
    of: (_, data) => data.suppression?.route_id,
  },
  route_slug: { schema: z.string().nullable(), of: (_, data) => data.suppression?.route_slug },
  reason: { schema: z.enum(suppressionReasons), of: (_, data) => data.suppression?.reason },
  source_message_id: {
    schema: z.uuid().nullable().describe('the message that caused the suppression; null if there was none'),
    of: (_, data) => data.source_message_id ?? null,
  },
} satisfies Record<string, PublishedField>;

const { suppression_id, address, scope, project_id, project_slug, route_id, route_slug, reason } =
  suppressionFields;

/** The suppression that an event of a message is about; its project and route are not the message's. */
export const suppressionField = {
  suppression: {
    schema: z
      .strictObject({
        id: suppression_id.schema,
        address: address.schema,
        scope: scope.schema,
        project_id: project_id.schema,
        route_id: route_id.schema,
        project_slug: project_slug.schema,
        route_slug: route_slug.schema,
        reason: reason.schema,
      })
      .nullable(),
    of: (_, data) => data.suppression ?? null,
  },
} satisfies Record<string, PublishedField>;

/** A list that the recipient has joined or left by a link of the message. */
export const listField = {
  list: {
    schema: z.strictObject({ id: z.uuid(), status: z.enum(['active', 'unsubscribed']) }).nullable(),
    of: (_, data) => data.list ?? null,
  },
} satisfies Record<string, PublishedField>;

export const scopeField = {
  scope: {
    schema: scopeSchema
      .nullable()
      .describe(
        '`route`: no more mail of this route to the recipient; `team`: no more mail of this practice',
      ),
    of: (_, data) => data.suppression?.scope ?? null,
  },
} satisfies Record<string, PublishedField>;
