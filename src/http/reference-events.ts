// The reference's part on events: what fires each, what is around it, what it tells.
import { z } from 'zod';
import { envelopeSchema } from '#src/followers/webhooks/envelope.ts';
import { deliveryHeaders } from '#src/followers/webhooks/sign.ts';
import { messageFields } from '#src/messages/published-fields.ts';
import { type DescribedEvent, describedEvents } from './event-facts.ts';
import type { SchemaBook } from './json-schema.ts';
import { code, fieldTable, prose, table } from './reference-parts.ts';

export const EVENTS_ANCHOR = 'events';

const anchor = (name: string): string => `event-${name}`;
const mark = (holds: boolean): string => (holds ? 'yes' : '');

const commonSchema = z.strictObject(
  Object.fromEntries(Object.entries(messageFields).map(([name, { schema }]) => [name, schema])),
);

const isOfMessage = ({ name }: DescribedEvent): boolean => name.startsWith('message.');

/** Of an event of a message only those that not every one has. */
const ownFields = (event: DescribedEvent): z.ZodObject => {
  if (!isOfMessage(event)) return event.data;
  const own = Object.entries(event.data.shape).filter(([name]) => !(name in messageFields));
  return z.strictObject(Object.fromEntries(own));
};

const eventSection = (event: DescribedEvent, book: SchemaBook): string => {
  const own = ownFields(event);
  const hasOwn = Object.keys(own.shape).length > 0;
  const shared = isOfMessage(event)
    ? `<p>${prose(`The fields of every event of a message${hasOwn ? ', and:' : '.'}`)}</p>`
    : '';
  const fields = hasOwn
    ? fieldTable(`Fields of ${code('data')}`, own, 'output', anchor(event.name), book)
    : '';
  return `<section id="${anchor(event.name)}"><h3>${code(event.name)}</h3>
<p>${prose(event.firedBy)}</p>
${shared}${fields}</section>`;
};

const RULES = [
  'Each event is sent to all webhooks of the practice that have chosen it, as a `POST` with a JSON body.',
  'What becomes of a recipient is told when it is first heard; opens and clicks are told each time.',
  'Those that need tracking are told only of messages whose opens or clicks are tracked, by the route or the message’s `settings`.',
  'A delivery may come more than once: it has the same `id` then. Those of one message come in their order.',
  '`data` always has all fields of its event, null where nothing is known; fields may be added. Subject and content of a message are never told.',
];

export const eventsSection = (book: SchemaBook): string => {
  const events = describedEvents();
  const rows = events.map(({ name, firedBy, needsTracking, alerts }) => [
    `<a href="#${anchor(name)}">${code(name)}</a>`,
    prose(firedBy),
    mark(needsTracking),
    mark(alerts),
  ]);
  const envelope = envelopeSchema('message.sent', z.record(z.string(), z.unknown()));
  const around = z.strictObject({
    ...envelope.shape,
    event: z.string().describe('name of the event'),
    data: envelope.shape.data.describe('what the event tells'),
  });
  const headers = Object.entries(deliveryHeaders).map(([name, text]) => [code(name), prose(text)]);
  return `<h2 id="${EVENTS_ANCHOR}">Webhook events</h2>
<ul>${RULES.map((rule) => `<li>${prose(rule)}</li>`).join('')}</ul>
${table('Which operation fires which', ['Event', 'Fired by', 'Needs tracking', 'Chat alerts by default'], rows)}
${fieldTable('Body of a delivery', around, 'output', 'event-envelope', book)}
${table('Header fields of a delivery', ['Name', 'Value'], headers)}
${fieldTable(`Fields of ${code('data')} in every event of a message`, commonSchema, 'output', 'event-message', book)}
${events.map((event) => eventSection(event, book)).join('\n')}`;
};
