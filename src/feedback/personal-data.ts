// Personal data in suppressions: see kernel/personal-data.ts.
import { COUNTS, HASHES, type PersonalData } from '#src/kernel/personal-data.ts';
import { presentSuppression, suppressionSchema } from './suppressions/schema.ts';
import { suppressionStore } from './suppressions/store.ts';
import { wordsIn } from './words.ts';

export const personalData: PersonalData = {
  words: (language) => wordsIn(language).person,
  places: [
    {
      table: 'suppressions',
      keys: ['seq'],
      searched: ['address', 'note'],
      others: [
        ...['id', 'address_hash', 'scope', 'project_id', 'route_id', 'reason', 'source_message_id'],
        'lifted_json',
      ],
      erase: (_, row, { person }) => {
        if (person.is(String(row.values()?.address))) row.update({ address: null, note: null });
      },
      kind: 'suppressions',
    },
  ],
  otherTables: {
    soft_bounces: HASHES,
    tracking_objections: HASHES,
    guardrail_watch: COUNTS,
    guardrail_baselines: COUNTS,
    token_days: COUNTS,
    token_brakes: 'tokens, with what members and operators wrote of them',
    slowed_messages: COUNTS,
  },
  kept: {
    suppressions: (db, { hash }) => suppressionStore(db).rowsOfAddress(hash).length,
  },
  shown: {
    suppressions: {
      permission: 'suppressions.manage',
      entry: suppressionSchema,
      all: (db, { hash }) =>
        suppressionStore(db)
          .rowsOfAddress(hash)
          .map((row) => presentSuppression(db, row)),
    },
  },
};
