// The fields of `inbound.received`: what a list shows of the mail, but for its subject, and where the rest is. They are in columns
// of the mail's row that never change. Where the mail is no longer kept they are null. Pure.
import { z } from 'zod';
import type { FollowedMail } from '#src/events/follow-store.ts';
import { toIso } from '#src/kernel/time.ts';
import { messageFields, ofEvent, type PublishedField } from './published-fields.ts';

/** RFC 8601 §2.7 */
const authResult = z.string();

/** One signature that is valid proves what it signs, whatever the others are. */
const dkimResult = ({ auth: { dkim } }: FollowedMail): string =>
  (dkim.find(({ result }) => result === 'pass') ?? dkim[0])?.result ?? 'none';

const shortAuth = (mail: FollowedMail) => ({
  spf: mail.auth.spf.result,
  dkim: dkimResult(mail),
  dmarc: mail.auth.dmarc.result,
  arc: mail.auth.arc.result,
});

const { project_id, project_slug, route_id, route_slug } = messageFields;

const MIB = 1_024 * 1_024;

/** The bound for a whole mail in JSON: the content of its attachments, in all, before it is base64. */
export const WHOLE_MAIL_CONTENT_BYTES = 5 * MIB;

export const inboundFields = {
  ...ofEvent,
  inbound_id: {
    schema: z.uuid().nullable().describe('of the mail; null, as all about it, once it is no longer kept'),
    of: (_, __, mail) => mail?.id ?? null,
  },
  url: {
    schema: z.string().nullable().describe('its record, with subject, text and the names of attachments'),
    of: (_, __, mail) => mail?.url ?? null,
  },
  raw_url: {
    schema: z.string().nullable().describe('its source'),
    of: (_, __, mail) => mail && `${mail.url}/raw`,
  },
  from: {
    schema: z
      .strictObject({ address: z.string(), name: z.string().nullable() })
      .nullable()
      .describe('the first address of From; null also where there is none'),
    of: (_, __, mail) => (mail?.from ? { address: mail.from.address, name: mail.from.name ?? null } : null),
  },
  to: {
    schema: z.array(z.string()).nullable().describe('addresses of this practice that it was sent to'),
    of: (_, __, mail) => mail?.to ?? null,
  },
  received_at: {
    schema: z.iso.datetime().nullable().describe('before `timestamp` where it was held or quarantined'),
    of: (_, __, mail) => mail && toIso(mail.received_at),
  },
  size_bytes: {
    schema: z.int().nullable().describe('of its source'),
    of: (_, __, mail) => mail?.size_bytes ?? null,
  },
  auth: {
    schema: z
      .strictObject({ spf: authResult, dkim: authResult, dmarc: authResult, arc: authResult })
      .nullable()
      .describe('results as RFC 8601 names them: `pass`, `fail`, `none`, …'),
    of: (_, __, mail) => mail && shortAuth(mail),
  },
  spam: {
    schema: z
      .strictObject({
        verdict: z.string(),
        score: z.number().nullable(),
      })
      .nullable()
      .describe('what the scanners say'),
    of: (_, __, mail) => mail && { verdict: mail.spam.verdict, score: mail.spam.score },
  },
  thread_id: {
    schema: z.uuid().nullable().describe('the same for all mail of a conversation'),
    of: (_, __, mail) => mail?.thread_id ?? null,
  },
  reply_to_message_id: {
    schema: z.uuid().nullable().describe('the message that it answers; null where it answers none'),
    of: ({ message_id }) => message_id,
  },
  project_id: {
    schema: z.uuid().nullable().describe('of the message that it answers, as the next three'),
    of: project_id.of,
  },
  project_slug: { schema: z.string().nullable(), of: project_slug.of },
  route_id: { schema: z.uuid().nullable(), of: route_id.of },
  route_slug: { schema: z.string().nullable(), of: route_slug.of },
  mail: {
    schema: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'null but for webhooks with `inbound_mail: whole`: what `GET …/inbound/messages/{messageID}` shows of the mail and its ' +
          `content, with \`headers\` and the \`content\` of attachments as base64, up to ${WHOLE_MAIL_CONTENT_BYTES / MIB} MiB in all; ` +
          'that of any other is null, and its `url` leads to it',
      ),
    of: () => null,
  },
} satisfies Record<string, PublishedField>;
