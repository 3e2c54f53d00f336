// The page of the events that webhooks bring.
import { z } from 'zod';
import type { DescribedEvent, EventsDescription } from '#src/kernel/events-description.ts';
import type { SchemaBook } from '../json-schema.ts';
import { fieldBlocks } from './call-section.ts';
import { inJson } from './literals.ts';
import type { Block, Page, PageLink, Section } from './model.ts';
import { sampleOf } from './sample-value.ts';

export const eventsLink: PageLink = {
  name: 'events',
  title: 'Webhook events',
  summary: 'What a webhook brings: every event with what fires it and what it says.',
};

const isOfMessage = ({ name }: DescribedEvent): boolean => name.startsWith('message.');

/** The fields of an event; of a message only those that not every event of a message has. */
const ownFields = (event: DescribedEvent, { messageData }: EventsDescription): z.ZodObject => {
  if (!isOfMessage(event)) return event.data;
  const own = Object.entries(event.data.shape).filter(([name]) => !(name in messageData.shape));
  return z.strictObject(Object.fromEntries(own));
};

const eventSection = (event: DescribedEvent, description: EventsDescription, book: SchemaBook): Section => {
  const { name, firedBy, needsTracking, alerts } = event;
  const own = ownFields(event, description);
  const hasOwn = Object.keys(own.shape).length > 0;
  const facts = [
    ...(needsTracking ? ['It needs tracking of opens or clicks.'] : []),
    ...(alerts ? ['A chat alert that names no events sends it.'] : []),
    ...(isOfMessage(event)
      ? [
          `It has the [fields of every event of a message](/reference/events#event-message)${hasOwn ? ', and these:' : '.'}`,
        ]
      : []),
  ].join(' ');
  const whole = book.describe(description.envelope(name, event.data), 'output', `event.${name}`);
  return {
    id: `event-${name}`,
    title: name,
    blocks: [
      { kind: 'prose', text: firedBy },
      ...(facts === '' ? [] : [{ kind: 'prose', text: facts } as const]),
      ...(hasOwn ? fieldBlocks('Fields of `data`', own, 'output', `event-${name}`, book) : []),
    ],
    aside: [
      {
        kind: 'folded',
        summary: 'Sample',
        blocks: [{ kind: 'code', caption: name, language: 'json', text: inJson(sampleOf(whole, book)) }],
      },
    ],
  };
};

const RULES = [
  'Each event is sent to all webhooks of the practice that have chosen it, as a `POST` with a JSON body.',
  'What becomes of a recipient is sent when it is first known; opens and clicks are sent each time.',
  'Events that need tracking are sent only for messages whose opens or clicks are tracked, by the route or the message’s `settings`.',
  'A delivery may come more than once: it has the same `id` then. Those of one message come in their order.',
  '`data` always has all fields of its event, null where nothing is known; fields may be added. They never hold the subject or the content of a message.',
  'Of a mail received they hold links; only a webhook with `inbound_mail: whole` gets subject and content, in `data.mail`. A receiver that does not want the mail answers 403: it is not sent again, and says nothing about the webhook.',
];

const deliveryBlocks = (description: EventsDescription, book: SchemaBook): readonly Block[] => {
  const envelope = description.envelope('message.sent', z.record(z.string(), z.unknown()));
  const around = z.strictObject({
    ...envelope.shape,
    event: z.string().describe('name of the event'),
    data: envelope.shape.data.describe('what the event says'),
  });
  return [
    ...fieldBlocks('Body of a delivery', around, 'output', 'event-envelope', book),
    {
      kind: 'terms',
      caption: 'Header fields of a delivery',
      rows: Object.entries(description.headers).map(([name, text]) => [`\`${name}\``, text] as const),
    },
  ];
};

export const eventsPage = (description: EventsDescription, book: SchemaBook): Page => {
  const events = description.events();
  return {
    ...eventsLink,
    blocks: [
      { kind: 'list', items: RULES },
      {
        kind: 'terms',
        caption: 'Which operation fires which',
        rows: events.map(
          ({ name, firedBy }) => [`[${name}](/reference/events#event-${name})`, firedBy] as const,
        ),
      },
    ],
    sections: [
      { id: 'delivery', title: 'A delivery', blocks: deliveryBlocks(description, book), aside: [] },
      {
        id: 'event-message',
        title: 'Fields of every event of a message',
        blocks: fieldBlocks(
          'Fields of `data` in every event of a message',
          description.messageData,
          'output',
          'event-message',
          book,
        ),
        aside: [],
      },
      ...events.map((event) => eventSection(event, description, book)),
    ],
  };
};
