// The requests that the service makes itself: OpenAPI's `webhooks`, one for each event.

import { envelopeSchema } from '#src/followers/webhooks/envelope.ts';
import { deliveryHeaders, OPTIONAL_HEADER } from '#src/followers/webhooks/sign.ts';
import { type DescribedEvent, describedEvents } from './event-facts.ts';
import type { JsonSchema, SchemaBook } from './json-schema.ts';

const eventComponent = (name: string): string => `event.${name}`;

/** OpenAPI ignores a parameter of this name: the content says it. */
const SAID_BY_CONTENT = 'Content-Type';

const headerParameters = (): JsonSchema[] =>
  Object.entries(deliveryHeaders)
    .filter(([name]) => name !== SAID_BY_CONTENT)
    .map(([name, description]) => ({
      name,
      in: 'header',
      required: name !== OPTIONAL_HEADER,
      description,
      schema: { type: 'string' },
    }));

const responses: JsonSchema = {
  '2XX': { description: 'taken' },
  410: { description: 'the webhook is disabled' },
  default: { description: 'tried again, by schedule; redirects are not followed' },
};

const operation = ({ name, firedBy, needsTracking }: DescribedEvent): JsonSchema => ({
  operationId: eventComponent(name),
  summary: name,
  description: needsTracking ? `${firedBy} Only of messages whose opens or clicks are tracked.` : firedBy,
  security: [],
  parameters: headerParameters(),
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${eventComponent(name)}` } },
    },
  },
  responses,
});

export interface DescribedWebhooks {
  readonly webhooks: Readonly<Record<string, JsonSchema>>;
  /** Components that they refer to. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

export const describeWebhooks = (book: SchemaBook): DescribedWebhooks => {
  const events = describedEvents();
  return {
    webhooks: Object.fromEntries(events.map((event) => [event.name, { post: operation(event) }])),
    schemas: Object.fromEntries(
      events.map(({ name, data }) => {
        const component = eventComponent(name);
        return [component, book.describe(envelopeSchema(name, data), 'output', component)];
      }),
    ),
  };
};
