// The mails to the owners that follow from a check of their domain's records.

import type { OwnerNotice } from '#src/accounts/mails/outbox.ts';
import type { ToldRecord } from '#src/accounts/mails/schema.ts';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { type HealthByRecord, type HealthVerdict, recordKey, type WatchedRecord } from './record-health.ts';

/** A mail quotes only as much of a record as is needed to recognize it. */
const MAX_FOUND = 3;
const MAX_FOUND_CHARACTERS = 300;

const toTold = ({ name, type, value, priority, found, status }: WatchedRecord): ToldRecord => ({
  name,
  type,
  value: priority === null || value === null ? value : `${priority} ${value}`,
  found: found.slice(0, MAX_FOUND).map((text) => text.slice(0, MAX_FOUND_CHARACTERS)),
  problem: status === 'error' || status === 'ok' ? null : status,
});

export interface Findings {
  readonly verdict: HealthVerdict;
  readonly earlier: HealthByRecord;
  readonly isVerified: boolean;
  readonly attachedAt: number | null;
}

/**
 * The mails that a check leads to. Every check reports that a domain has come into use, also one that a person asked for: the
 * mail informs all owners about the warm-up, and its id lets it go out once.
 */
export const noticesOf = async (
  { ownersOf, origin }: Pick<DomainDeps, 'ownersOf' | 'origin'>,
  practice: PracticeRow,
  host: string,
  { verdict, earlier, isVerified, attachedAt }: Findings,
): Promise<OwnerNotice[]> => {
  const { wentBad, recovered, health } = verdict;
  if (!isVerified && wentBad.length === 0 && recovered.length === 0) return [];
  const of = { tenantId: practice.id, owners: await ownersOf(practice.id) };
  const link = dashboardLink(origin, { practice: practice.id, page: 'domain' });
  const about = { practice: practice.name, host, link };
  const since = (record: WatchedRecord): string => {
    const { badSince, errorSince } = health[recordKey(record)] ?? {};
    return `${recordKey(record)} ${badSince ?? errorSince}`;
  };
  const notified = (record: WatchedRecord): string =>
    `${recordKey(record)} ${earlier[recordKey(record)]?.notifiedAt}`;
  const mails: OwnerNotice[] = [];
  if (isVerified)
    mails.push({
      ...of,
      content: { kind: 'domain_verified', ...about, managedHost: practice.managed_host },
      occasion: [host, attachedAt],
    });
  if (wentBad.length > 0)
    mails.push({
      ...of,
      content: { kind: 'dns_alert', ...about, records: wentBad.map(toTold) },
      occasion: [host, ...wentBad.map(since)],
    });
  if (recovered.length > 0)
    mails.push({
      ...of,
      content: {
        kind: 'dns_recovered',
        ...about,
        records: recovered.map(({ name, type }) => ({ name, type })),
      },
      occasion: [host, ...recovered.map(notified)],
    });
  return mails;
};
