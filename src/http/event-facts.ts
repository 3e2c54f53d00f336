// What both descriptions of the API say of the events, from the catalogue and the fields that are told.
import type { z } from 'zod';
import { eventCatalogue, eventTypes, TEST_EVENT, TEST_FIRED_BY } from '#src/events/catalogue.ts';
import { testDataSchema } from '#src/followers/webhooks/envelope.ts';
import { publishedDataSchema } from '#src/messages/published-event.ts';

export interface DescribedEvent {
  readonly name: string;
  readonly firedBy: string;
  readonly needsTracking: boolean;
  /** Among those of a chat alert that names none. */
  readonly alerts: boolean;
  /** Shape of `data`. */
  readonly data: z.ZodObject;
}

export const describedEvents = (): DescribedEvent[] => [
  ...eventTypes.map((name) => {
    const facts = eventCatalogue[name];
    return {
      name,
      firedBy: facts.firedBy,
      needsTracking: 'needsTracking' in facts,
      alerts: 'alerts' in facts,
      data: publishedDataSchema(name),
    };
  }),
  { name: TEST_EVENT, firedBy: TEST_FIRED_BY, needsTracking: false, alerts: false, data: testDataSchema },
];
