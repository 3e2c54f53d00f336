// The tables of domains hold nothing of the people to whom a practice writes: see kernel/personal-data.ts.
import type { PersonalData } from '#src/kernel/personal-data.ts';

export const personalData: PersonalData = {
  otherTables: { sending_domains: 'hosts', dkim_keys: 'sealed', dns_checks: 'what the DNS says' },
  platformTables: {
    domains: 'hosts',
    dkim_tokens: 'hosts',
    domain_work: 'numbers',
    evidence_keys: 'public keys of the installation',
  },
};
