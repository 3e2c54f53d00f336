// The tables of accounts hold nothing of the people to whom a practice writes: see kernel/personal-data.ts.
import { COUNTS, type PersonalData, SETTINGS } from '#src/kernel/personal-data.ts';

const OPERATORS = "the operator's";

export const personalData: PersonalData = {
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
  },
  platformTables: {
    tenants: 'practices',
    projects: 'practices',
    master_key_check: 'sealed',
    tenant_keys: 'sealed',
    notices: 'sealed; mails to those who sign in',
    abuse_tickets: OPERATORS,
    abuse_ticket_sources: OPERATORS,
    abuse_ticket_steps: OPERATORS,
    waitlist: OPERATORS,
  },
};
