// Facts of a practice that may go live, for tests to spoil; and checks of its records.

import type { CheckedRecord, HostCheck } from '#src/domains/records/host-check.ts';
import type { GoLiveFacts } from '#src/insight/rules.ts';
import { said } from '#src/kernel/say.ts';

export const HOST = 'praxis.example.org';
export const NOW = Date.UTC(2026, 10, 28, 12);

export const record = (fields: Partial<CheckedRecord> = {}): CheckedRecord => ({
  purpose: 'spf',
  type: 'TXT',
  name: HOST,
  value: 'v=spf1 include:spf.mail.example.com ~all',
  priority: null,
  required: true,
  status: 'ok',
  found: [],
  hint: said(''),
  ...fields,
});

/** By what its records and conflicts are, whether it is ok. */
export const checkOf = (
  records: readonly CheckedRecord[],
  more: Partial<Pick<HostCheck, 'inbound' | 'conflicts'>> = {},
): HostCheck => ({
  host: HOST,
  records,
  inbound: [],
  conflicts: [],
  ok:
    records.every(({ required, status }) => !required || status === 'ok') &&
    (more.conflicts ?? []).length === 0,
  dkimVerified: true,
  ...more,
});

export const ready: GoLiveFacts = {
  legal: { street: 'Ring 1', city: 'Berlin', privacy_url: 'https://praxis.example.org/datenschutz' },
  pendingDomain: null,
  host: HOST,
  kind: 'custom',
  lastCheck: { checkedAt: NOW, check: checkOf([record()]) },
  publicOrigin: 'https://mail.example.com',
  deliveringUpstreams: ['relay'],
  relayedBy: ['relay'],
  activeOwners: 1,
  plan: 'test',
  isApproved: true,
  isHeld: false,
};
