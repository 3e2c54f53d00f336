// Personal data of those who sign in and work for practices, which no erasure of a practice reaches: see kernel/personal-data.ts.
import { memberStore } from '#src/accounts/entry/member-store.ts';
import { HASHES, type PersonalData, SETTINGS } from '#src/kernel/personal-data.ts';
import { wordsIn } from './words.ts';

const WHO_SIGNS_IN = 'those who sign in: of several practices';

export const personalData: PersonalData = {
  words: (language) => wordsIn(language).person,
  otherTables: {
    roles: SETTINGS,
    api_tokens: SETTINGS,
    members: 'those who work for the practice: removed by DELETE …/members/{memberID}',
  },
  platformTables: {
    credentials: 'hashes, and names of tokens',
    accounts: WHO_SIGNS_IN,
    memberships: WHO_SIGNS_IN,
    sessions: WHO_SIGNS_IN,
    sign_in_codes: HASHES,
    invitations: HASHES,
  },
  kept: {
    member: (db, { key }) => (memberStore(db).byEmail(key) ? 1 : 0),
  },
};
