// The tables of accounts hold nothing of the people to whom a practice writes, and those who work for it are no erasure's to
// remove: see kernel/personal-data.ts.
import { COUNTS, HASHES, type PersonalData, SETTINGS } from '#src/kernel/personal-data.ts';
import { memberStore } from './entry/member-store.ts';
import { publicWordsIn } from './words.ts';

const OPERATORS = "the operator's";
const WHO_SIGNS_IN = 'those who sign in: of several practices';

export const personalData: PersonalData = {
  words: (language) => publicWordsIn(language).person,
  otherTables: {
    practice: SETTINGS,
    lasting_keys: 'sealed',
    projects: SETTINGS,
    routes: SETTINGS,
    page_settings: SETTINGS,
    billing: 'ids of the practice at the payment provider, and the state of its subscription',
    counters: COUNTS,
    channel_counters: COUNTS,
    monthly_usage: COUNTS,
    daily_volume: COUNTS,
    roles: SETTINGS,
    api_tokens: SETTINGS,
    members: 'those who work for the practice: removed by DELETE …/members/{memberID}',
  },
  platformTables: {
    tenants: 'practices',
    practice_summaries: 'practices, and those who own them',
    projects: 'practices',
    master_key_check: 'sealed',
    tenant_keys: 'sealed',
    notices: 'sealed; mails to those who sign in',
    abuse_tickets: OPERATORS,
    abuse_ticket_sources: OPERATORS,
    abuse_ticket_steps: OPERATORS,
    waitlist: OPERATORS,
    credentials: 'hashes, and names of tokens',
    accounts: WHO_SIGNS_IN,
    memberships: WHO_SIGNS_IN,
    invitations: HASHES,
  },
  kept: {
    member: (db, { key }) => (memberStore(db).byEmail(key) ? 1 : 0),
  },
};
