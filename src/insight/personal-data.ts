// Personal data in reports about domains: see kernel/personal-data.ts.
import type { PersonalData } from '#src/kernel/personal-data.ts';
import { publicWordsIn } from './words.ts';

export const personalData: PersonalData = {
  words: (language) => publicWordsIn(language).person,
  places: [
    {
      table: 'domain_reports',
      keys: ['seq'],
      searched: ['fault_detail'],
      others: ['id', 'kind', 'domain', 'organisation', 'report_id', 'sender', 'fault'],
      kind: 'reports',
    },
  ],
  otherTables: { dmarc_sources: 'addresses of servers', tls_sessions: 'hosts' },
};
