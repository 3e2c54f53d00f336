// Personal data in the log and in the audit: see kernel/personal-data.ts.
import { COUNTS, type PersonalData } from '#src/kernel/personal-data.ts';
import { auditStore } from './audit-store.ts';
import { wordsIn } from './words.ts';

export const personalData: PersonalData = {
  words: (language) => wordsIn(language).person,
  places: [
    {
      table: 'events',
      keys: ['seq'],
      searched: ['data_json'],
      others: ['id', 'type'],
      kind: 'events',
    },
    {
      table: 'audit',
      keys: ['seq'],
      searched: ['before_json', 'after_json'],
      others: [
        ...['id', 'action', 'actor_kind', 'actor_id', 'actor_name', 'target_type', 'target_id'],
        ...['client_address', 'request_id'],
      ],
      erase: (_, row) => row.replace({ is_reduced: 1 }),
      kind: 'audit_entries',
    },
  ],
  otherTables: { event_cursors: COUNTS, audit_retention: COUNTS },
  platformTables: {
    audit: 'of the installation: no entry is about a correspondent of a practice',
    audit_retention: COUNTS,
    event_followers: 'practices',
    written_tenants: 'practices',
  },
  kept: {
    audit_entries: (db, { key }) => auditStore(db).countOfMember(key),
  },
};
