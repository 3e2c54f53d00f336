// A message and what happened to it, in vendor B's form.
import { z } from 'zod';
import type { EventRow } from '#src/events/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { toIso } from '#src/kernel/time.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { shownBody } from '#src/messages/present.ts';
import type { Status } from '#src/messages/rules.ts';
import type { MessageSettings } from '#src/messages/settings.ts';
import { type BodyRow, type MessageRow, messageStore } from '#src/messages/store.ts';
import { streamOfRoute } from '../streams.ts';
import { bounceTypeOf, bounceTypes } from './bounce-types.ts';

const party = z.strictObject({ Email: z.string(), Name: z.string().nullable() });

const outboundShape = {
  MessageID: z.uuid(),
  MessageStream: z.string(),
  Tag: z.string().nullable(),
  To: z.array(party),
  Cc: z.array(party),
  Bcc: z.array(party),
  Recipients: z.array(z.string()),
  ReceivedAt: z.iso.datetime(),
  From: z.string(),
  Subject: z.string(),
  Attachments: z.array(z.string()),
  Status: z.enum(['Queued', 'Sent']).describe('`Queued` while it waits to be sent'),
  TrackOpens: z.boolean(),
  TrackLinks: z.enum(['None', 'HtmlOnly']),
  Metadata: z.record(z.string(), z.string()),
  Sandboxed: z.literal(false),
};
export const outboundMessage = z.strictObject(outboundShape).meta({ id: 'VendorBOutboundMessage' });

export const outboundDetails = z
  .strictObject({
    ...outboundShape,
    TextBody: z.string().nullable().describe('null without `messages.view_content`'),
    HtmlBody: z.string().nullable(),
    Body: z.literal('').describe('the dump has the source'),
    MessageEvents: z.array(
      z.strictObject({
        Recipient: z.string(),
        Type: z.enum(['Delivered', 'Transient', 'Opened', 'LinkClicked', 'Bounced', 'SubscriptionChanged']),
        ReceivedAt: z.iso.datetime(),
        Details: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'VendorBMessageDetails' });

export const waiting: readonly Status[] = ['pending', 'queued', 'delivery_delayed'];

const mailboxes = (json: string): readonly Mailbox[] => JSON.parse(json);
const partyOf = ({ address, name }: Mailbox) => ({ Email: address, Name: name ?? null });

export const shownFrom = ({ from_json }: Pick<MessageRow, 'from_json'>): string => {
  const { address, name }: Mailbox = JSON.parse(from_json);
  return name === undefined ? address : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
};

export const recipientsOf = ({ to_json, cc_json, bcc_json }: MessageRow): string[] =>
  [to_json, cc_json, bcc_json].flatMap(mailboxes).map(({ address }) => address);

export const presentOutbound = (db: TenantDb, row: MessageRow): z.infer<typeof outboundMessage> => {
  const settings: MessageSettings = JSON.parse(row.settings_json);
  return {
    MessageID: row.id,
    MessageStream: streamOfRoute(db, row.route_id),
    Tag: row.tag,
    To: mailboxes(row.to_json).map(partyOf),
    Cc: mailboxes(row.cc_json).map(partyOf),
    Bcc: mailboxes(row.bcc_json).map(partyOf),
    Recipients: recipientsOf(row),
    ReceivedAt: toIso(row.created_at),
    From: shownFrom(row),
    Subject: row.subject,
    Attachments: messageStore(db)
      .attachmentRecords(row.seq)
      .map(({ filename }) => filename),
    Status: waiting.includes(row.status) ? 'Queued' : 'Sent',
    TrackOpens: settings.track_opens === true,
    TrackLinks: settings.track_clicks ? 'HtmlOnly' : 'None',
    Metadata: JSON.parse(row.metadata_json),
    Sandboxed: false,
  };
};

/** What may be shown of the content; undefined where retention has removed it. */
const contentOf = (db: TenantDb, row: MessageRow): BodyRow | undefined => {
  const body = messageStore(db).body(row.seq);
  return body && body.sealed === null ? shownBody(row, body) : undefined;
};

type Details = z.infer<typeof outboundDetails>;
type MessageEvent = Pick<Details['MessageEvents'][number], 'Type' | 'Details'>;

const deliveryOf = ({ diagnostic, upstream }: { diagnostic?: string | null; upstream?: string | null }) => ({
  DeliveryMessage: diagnostic ?? '',
  DestinationServer: upstream ?? '',
  DestinationIP: '',
});

const eventOf = ({ seq, type, data_json }: EventRow): MessageEvent | null => {
  const data = data_json === null ? {} : JSON.parse(data_json);
  if (data.bot) return null;
  switch (type) {
    case 'message.delivered':
      return { Type: 'Delivered', Details: deliveryOf(data) };
    case 'message.delivery_delayed':
      return data.repeated ? null : { Type: 'Transient', Details: deliveryOf(data) };
    case 'message.opened':
      return { Type: 'Opened', Details: { Summary: `Opened by ${data.user_agent ?? 'an unknown program'}` } };
    case 'message.clicked':
      return {
        Type: 'LinkClicked',
        Details: { Summary: `Link followed: ${data.url}`, Link: data.url ?? '', ClickLocation: 'HTML' },
      };
    case 'message.unsubscribed':
      return { Type: 'SubscriptionChanged', Details: { Origin: 'Recipient', SuppressSending: 'True' } };
    default: {
      const name = bounceTypeOf(type, data);
      if (name === null) return null;
      const Summary = data.diagnostic ?? bounceTypes[name].description;
      return { Type: 'Bounced', Details: { Summary, BounceID: seq } };
    }
  }
};

export const presentDetails = (
  db: TenantDb,
  row: MessageRow,
  events: readonly EventRow[],
  caller: Caller,
): Details => {
  const body = caller.permissions.has('messages.view_content') ? contentOf(db, row) : undefined;
  return {
    ...presentOutbound(db, row),
    TextBody: body?.text ?? null,
    HtmlBody: body?.html ?? null,
    Body: '',
    MessageEvents: events.flatMap((event) => {
      const found = eventOf(event);
      return found === null
        ? []
        : [{ Recipient: event.recipient ?? '', ReceivedAt: toIso(event.at), ...found }];
    }),
  };
};
