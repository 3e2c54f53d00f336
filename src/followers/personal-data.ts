// Personal data in what webhooks and alerts keep: see kernel/personal-data.ts.
import type { PersonalData } from '#src/kernel/personal-data.ts';
import { publicWordsIn } from './words.ts';

export const personalData: PersonalData = {
  words: (language) => publicWordsIn(language).person,
  places: [
    {
      table: 'webhook_deliveries',
      keys: ['seq'],
      searched: ['response_excerpt', 'error'],
      others: ['id', 'event', 'status'],
      kind: 'webhooks',
    },
    {
      table: 'webhooks',
      keys: ['number'],
      searched: ['last_error'],
      others: [
        ...['id', 'name', 'sealed_url', 'events_json', 'inbound_mail', 'sealed_secret', 'sealed_former'],
        ...['status', 'disabled_reason'],
      ],
      kind: 'webhooks',
    },
    {
      table: 'alerts',
      keys: ['number'],
      searched: ['last_error'],
      others: ['id', 'name', 'kind', 'sealed_url', 'events_json', 'language', 'status', 'disabled_reason'],
      kind: 'alerts',
    },
    {
      table: 'alert_counts',
      keys: ['alert', 'sending', 'event'],
      searched: ['samples_json'],
      others: ['event'],
      kind: 'alerts',
    },
  ],
};
