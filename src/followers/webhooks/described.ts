// What is said of events and their deliveries in the descriptions of the API.
import { eventCatalogue, eventTypes, TEST_EVENT, TEST_FIRED_BY } from '#src/events/catalogue.ts';
import type { EventsDescription } from '#src/kernel/events-description.ts';
import { dataOf, publishedDataSchema } from '#src/messages/published-event.ts';
import { messageFields, suppressionFields } from '#src/messages/published-fields.ts';
import { envelopeSchema, testDataSchema } from './schema.ts';
import { deliveryHeaders, OPTIONAL_HEADER } from './sign.ts';

export const eventsDescription: EventsDescription = {
  events: () => [
    ...eventTypes.map((name) => {
      const facts = eventCatalogue[name];
      return {
        name,
        firedBy: facts.firedBy,
        needsTracking: 'needsTracking' in facts,
        alerts: 'alert' in facts && 'byDefault' in facts.alert,
        data: publishedDataSchema(name),
      };
    }),
    { name: TEST_EVENT, firedBy: TEST_FIRED_BY, needsTracking: false, alerts: false, data: testDataSchema },
  ],
  envelope: envelopeSchema,
  headers: deliveryHeaders,
  optionalHeader: OPTIONAL_HEADER,
  messageData: dataOf(messageFields),
  suppressionData: dataOf(suppressionFields),
};
