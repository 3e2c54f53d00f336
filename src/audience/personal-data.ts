// Personal data in lists, consent, campaigns and imports: see kernel/personal-data.ts. What is found by the person's hash is erased
// first (people/erase.ts).
import { z } from 'zod';
import { COUNTS, HASHES, type PersonalData, SETTINGS } from '#src/kernel/personal-data.ts';
import type { Openings } from './consent/entry.ts';
import { consentEntrySchema, presentConsent } from './consent/schema.ts';
import { consentStore } from './consent/store.ts';
import { listStore } from './lists/store.ts';
import { presentSubscriber, subscriberSchema } from './subscribers/schema.ts';
import { subscriberStore } from './subscribers/store.ts';
import { publicWordsIn } from './words.ts';

export const personalData: PersonalData = {
  words: (language) => publicWordsIn(language).person,
  places: [
    {
      table: 'subscribers',
      keys: ['seq'],
      searched: ['address', 'name', 'data_json'],
      others: ['id', 'address_hash', 'status'],
      kind: 'mentions_in_lists',
    },
    {
      // Those of the person are reduced before.
      table: 'consent_entries',
      keys: ['seq'],
      searched: ['openings_json'],
      others: ['id', 'address_hash', 'facts_json', 'hash', 'client_term'],
      // A value with a pseudonym in it would not be the one that the entry commits to.
      erase: (_, row, { person }) => {
        const openings: Openings = JSON.parse(String(row.values()?.openings_json ?? '{}'));
        const isOfOthers = (json: string): boolean => person.removedFrom(json) === json;
        const rest = Object.entries(openings).filter(([, opening]) => isOfOthers(JSON.stringify(opening)));
        row.update({ openings_json: JSON.stringify(Object.fromEntries(rest)) });
      },
      kind: 'mentions_in_consent',
    },
    {
      table: 'erasures',
      keys: ['seq'],
      searched: ['reason'],
      // The address is sealed until all is erased.
      others: ['id', 'address_hash', 'sealed_address', 'requested_by', 'progress_json', 'counts_json'],
      kind: 'mentions_in_erasures',
    },
    {
      table: 'imports',
      keys: ['seq'],
      searched: ['request_json', 'failure'],
      others: ['id', 'kind', 'status', 'progress_json', 'counts_json'],
      kind: 'import_reports',
    },
    {
      table: 'import_faults',
      keys: ['import_seq', 'line'],
      searched: ['address', 'reason'],
      others: ['outcome'],
      kind: 'import_reports',
    },
    {
      table: 'campaign_links',
      keys: ['campaign_seq', 'url'],
      searched: ['url'],
      kind: 'links',
    },
  ],
  otherTables: {
    lists: SETTINGS,
    campaigns: SETTINGS,
    segments: SETTINGS,
    campaign_contents: SETTINGS,
    list_counts: COUNTS,
    campaign_counters: COUNTS,
    form_counters: COUNTS,
    form_alerts: 'the state of forms',
    confirmation_mails: 'goes with its subscriber',
    import_pieces:
      'gone when the import has ended, for which an erasure waits where its file has the address',
    import_addresses: HASHES,
    campaign_exclusions: HASHES,
    consent_documents: 'removed with what the ledger says of the person',
    consent_head: HASHES,
  },
  kept: {
    consent_entries: (db, { hash }) => consentStore(db).ofPerson(hash).length,
  },
  shown: {
    subscriptions: {
      permission: 'lists.manage',
      entry: subscriberSchema.extend({ list_name: z.string() }).meta({ id: 'Subscription' }),
      says: 'each list that the person is or was on',
      all: (db, { hash }) =>
        subscriberStore(db)
          .ofPerson(hash)
          .flatMap((row) => {
            const list = listStore(db).bySeq(row.list_seq);
            return list ? [{ ...presentSubscriber(list, row), list_name: list.name }] : [];
          }),
    },
    consent: {
      permission: 'lists.manage',
      entry: consentEntrySchema,
      says: 'oldest first',
      all: (db, { hash }) => {
        const wording = (digest: string): string | null =>
          consentStore(db).document(Buffer.from(digest, 'hex'))?.content.toString() ?? null;
        return consentStore(db)
          .ofPerson(hash)
          .map((row) => presentConsent(row, wording));
      },
    },
  },
};
