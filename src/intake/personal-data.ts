// Personal data in answers that are kept for repeated requests: see kernel/personal-data.ts.
import { type PersonalData, SETTINGS } from '#src/kernel/personal-data.ts';
import { publicWordsIn } from './words.ts';

export const personalData: PersonalData = {
  words: (language) => publicWordsIn(language).person,
  places: [
    {
      table: 'idempotency_keys',
      keys: ['project_id', 'key'],
      searched: ['key', 'response_json'],
      opaque: ['key'],
      others: ['project_id', 'request_hash'],
      kind: 'stored_answers',
    },
  ],
  otherTables: {
    templates: SETTINGS,
    template_versions: SETTINGS,
    letterheads: SETTINGS,
  },
};
