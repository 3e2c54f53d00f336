// A message as vendor A's API shows it. Pure.
import { z } from 'zod';
import type { messageSchema, messageSummarySchema } from '#src/messages/schema.ts';
import { mailboxText } from '../known-fields.ts';

type Summary = z.infer<typeof messageSummarySchema>;

const addresses = z.array(z.string());

export const listedEmail = z
  .strictObject({
    id: z.uuid(),
    message_id: z.string().describe('the Message-ID, in angle brackets'),
    from: z.string(),
    to: addresses,
    cc: addresses.nullable(),
    bcc: addresses.nullable(),
    reply_to: addresses.nullable(),
    subject: z.string(),
    created_at: z.iso.datetime(),
    last_event: z.enum([
      'scheduled',
      'queued',
      'sent',
      'delivery_delayed',
      'delivered',
      'opened',
      'clicked',
      'bounced',
      'complained',
      'suppressed',
      'failed',
    ]),
    scheduled_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'VendorAListedEmail' });

export const email = z
  .strictObject({
    object: z.literal('email'),
    ...listedEmail.shape,
    html: z.string().nullable().describe('null also without `messages.view_content`'),
    text: z.string().nullable(),
    tags: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  })
  .meta({ id: 'VendorAEmail' });

type LastEvent = z.infer<typeof listedEmail>['last_event'];

const lastEvents: Readonly<Record<Summary['status'], LastEvent>> = {
  pending: 'queued',
  queued: 'queued',
  delivery_delayed: 'delivery_delayed',
  processed: 'sent',
  delivered: 'delivered',
  auto_replied: 'delivered',
  unsubscribed: 'delivered',
  opened: 'opened',
  clicked: 'clicked',
  soft_bounced: 'bounced',
  hard_bounced: 'bounced',
  spam_complaint: 'complained',
  failed: 'failed',
  suppressed: 'suppressed',
};

const textsOrNull = (mailboxes: Summary['to']): string[] | null =>
  mailboxes.length === 0 ? null : mailboxes.map(mailboxText);

export const presentListed = (message: Summary): z.infer<typeof listedEmail> => ({
  id: message.id,
  message_id: message.internet_message_id,
  from: mailboxText(message.from),
  to: message.to.map(mailboxText),
  cc: textsOrNull(message.cc),
  bcc: textsOrNull(message.bcc),
  reply_to: textsOrNull(message.reply_to),
  subject: message.subject,
  created_at: message.created_at,
  last_event:
    message.status === 'pending' && message.scheduled_at !== null ? 'scheduled' : lastEvents[message.status],
  scheduled_at: message.scheduled_at,
});

/** Natively a tag is one text; those that came in this form have a colon between name and value. */
const tagOf = (tag: string) => {
  const [name = '', ...value] = tag.split(':');
  return { name, value: value.join(':') };
};

export const presentEmail = (message: z.infer<typeof messageSchema>): z.infer<typeof email> => ({
  object: 'email',
  ...presentListed(message),
  html: message.html ?? null,
  text: message.text ?? null,
  tags: message.tags.map(tagOf),
});
