// The service's own form of events, for relays whose messages can be configured. Strict, so that a field with a wrong name is not
// silently lost. Pure.
import { z } from 'zod';
import { classifyBounce } from '#src/mail/bounce-class.ts';
import type { Consequence } from '../rules.ts';
import { MAX_EVENTS, type RelayEvent, replyFrom } from './relay-event.ts';

const text = (most: number) => z.string().min(1).max(most);

const jsonEvent = z
  .strictObject({
    type: z.enum(['delivered', 'delayed', 'bounced', 'complained']),
    recipient: text(320).describe('address that the mail went to'),
    return_path: text(320).optional().describe('MAIL FROM of the mail: the best way to find it'),
    message_id: text(998).optional().describe('Message-ID of the mail, where there is no return_path'),
    smtp_code: z.int().min(200).max(599).optional().describe("the receiver's reply code"),
    enhanced_code: z
      .string()
      .regex(/^[245]\.\d{1,3}\.\d{1,3}$/, 'expected an enhanced status code such as 5.1.1')
      .optional(),
    diagnostic: z.string().max(4_096).optional().describe("the receiver's words"),
    at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('when it happened; the stored event has the time of this request'),
  })
  .refine(({ return_path, message_id }) => return_path !== undefined || message_id !== undefined, {
    path: ['return_path'],
    message: 'expected return_path or message_id: without them the mail cannot be found',
  })
  .meta({ id: 'UpstreamEvent' });
type JsonEvent = z.output<typeof jsonEvent>;

export const jsonEvents = z.union([jsonEvent, z.array(jsonEvent).max(MAX_EVENTS)]);

const meaningOf = ({ type, smtp_code, enhanced_code, diagnostic }: JsonEvent): Consequence => {
  const reply = replyFrom(diagnostic, enhanced_code, smtp_code);
  switch (type) {
    case 'delivered':
      return { signal: 'delivered', reply, rule: null };
    case 'delayed':
      return { signal: 'delayed', reply, rule: null };
    case 'complained':
      return { signal: 'spam_complaint', reply: null, rule: null };
    case 'bounced': {
      const { class: kind, rule } = classifyBounce(reply ?? { code: 0, enhanced: null, text: '' });
      return { signal: kind === 'hard' ? 'hard_bounced' : 'soft_bounced', reply, rule };
    }
    default:
      return type satisfies never;
  }
};

export const readJsonEvents = (body: z.output<typeof jsonEvents>): RelayEvent[] =>
  [body].flat().map((event) => ({
    clues: {
      returnPaths: event.return_path === undefined ? [] : [event.return_path.replace(/^<|>$/g, '')],
      messageId: event.message_id ?? null,
      recipients: [event.recipient],
    },
    found: meaningOf(event),
  }));
