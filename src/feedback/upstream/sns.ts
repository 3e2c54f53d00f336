// What Amazon SNS sends: envelopes around a text, and the request to confirm the subscription of a topic. Pure.
import { z } from 'zod';
import { sesEvent } from './ses-events.ts';

const text = (most: number) => z.string().max(most);

/** Other fields are ignored; the secret of the route authenticates the sender. */
export const snsEnvelope = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), Message: text(262_144) }),
  z.object({
    Type: z.literal('SubscriptionConfirmation'),
    TopicArn: text(512).optional(),
    SubscribeURL: text(4_096),
  }),
  z.object({ Type: z.literal('UnsubscribeConfirmation'), TopicArn: text(512).optional() }),
]);

/** With "raw message delivery" the event comes without an envelope. */
export const snsBody = z.union([snsEnvelope, sesEvent]);

/** The notice of SES when a topic is configured; it is about no mail. */
export const isSetUpNotice = (text: string): boolean =>
  /^(?:Successfully validated SNS topic\b|\s{0,10}\{\s{0,10}"notificationType"\s{0,5}:\s{0,5}"AmazonSnsSubscriptionSucceeded")/.test(
    text,
  );

const HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/;

/** Whether a request to this URL can only confirm a subscription at SNS. */
export const isSubscribeUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password, searchParams } = new URL(text);
  return (
    protocol === 'https:' &&
    port === '' &&
    username === '' &&
    password === '' &&
    HOST.test(hostname) &&
    searchParams.get('Action') === 'ConfirmSubscription'
  );
};
