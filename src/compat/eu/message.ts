// A stored message as the EU shape shows it.
import { z } from 'zod';
import type { messageSchema } from '#src/messages/schema.ts';

const mailbox = z.strictObject({ email: z.string(), name: z.string().nullable() });
const tag = z.strictObject({ name: z.string(), value: z.string() });

export const euMessage = z
  .strictObject({
    id: z.uuid(),
    type: z.literal('outbound'),
    status: z.string().describe('the native status, but for two that this shape does not have'),
    status_changed_at: z.iso.datetime(),
    scheduled_at: z.iso.datetime().nullable(),
    tag: z.string().nullable(),
    tags: z.array(tag).describe('those that have a name and a value'),
    from_email: z.string(),
    from_name: z.string().nullable(),
    reply_to: z.array(z.string()),
    subject: z.string(),
    to: z.array(mailbox),
    cc: z.array(mailbox),
    bcc: z.array(mailbox),
    attachments: z
      .array(
        z.strictObject({
          size: z.int(),
          filename: z.string(),
          content_id: z.string().nullable(),
          content_type: z.string(),
        }),
      )
      .nullable()
      .describe('with permission `messages.view_content`'),
    metadata: z.record(z.string(), z.string()),
    spam_score: z.int().nullable(),
    route_id: z.uuid(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'EuMessage' });

type Native = z.infer<typeof messageSchema>;

/** The statuses that this shape does not have. */
const statuses: Readonly<Partial<Record<Native['status'], string>>> = {
  delivery_delayed: 'queued',
  auto_replied: 'delivered',
};

const toMailbox = ({ address, name }: Native['from']) => ({ email: address, name });

/** `name:value`, as a send stores it. */
const toTag = (text: string): { name: string; value: string }[] => {
  const [name = '', ...rest] = text.split(':');
  return name === '' || rest.length === 0 ? [] : [{ name, value: rest.join(':') }];
};

export const presentEuMessage = (message: Native): z.infer<typeof euMessage> => ({
  id: message.id,
  type: 'outbound',
  status: statuses[message.status] ?? message.status,
  status_changed_at: message.updated_at,
  scheduled_at: message.scheduled_at,
  tag: message.tag,
  tags: message.tags.flatMap(toTag),
  from_email: message.from.address,
  from_name: message.from.name,
  reply_to: message.reply_to.map(({ address }) => address),
  subject: message.subject,
  to: message.to.map(toMailbox),
  cc: message.cc.map(toMailbox),
  bcc: message.bcc.map(toMailbox),
  attachments: message.attachments ?? null,
  metadata: message.metadata,
  spam_score: message.score,
  route_id: message.route.id,
  created_at: message.created_at,
});
