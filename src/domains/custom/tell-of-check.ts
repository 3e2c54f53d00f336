// What the owners are told of a look at their domain's records.
import type { ToldRecord } from '#src/accounts/mails/schema.ts';
import type { Telling } from '#src/accounts/mails/tell-owners.ts';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { type Standings, type StandingVerdict, standingKey, type WatchedRecord } from './standing.ts';

/** Of each record in a mail: enough to recognize it. */
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
  readonly verdict: StandingVerdict;
  readonly earlier: Standings;
  readonly isVerified: boolean;
  readonly attachedAt: number | null;
}

/** What the owners are told of a look; whoever asked for it sees himself that the domain came into use. */
export const tellingsOf = async (
  { ownersOf, origin }: Pick<DomainDeps, 'ownersOf' | 'origin'>,
  practice: PracticeRow,
  host: string,
  { verdict, earlier, isVerified, attachedAt }: Findings,
  isScheduled: boolean,
): Promise<Telling[]> => {
  const { wentBad, recovered, standings } = verdict;
  const tells = isVerified && isScheduled;
  if (!tells && wentBad.length === 0 && recovered.length === 0) return [];
  const of = { tenantId: practice.id, owners: await ownersOf(practice.id) };
  const about = { practice: practice.name, host, origin };
  const since = (record: WatchedRecord): string => {
    const { badSince, errorSince } = standings[standingKey(record)] ?? {};
    return `${standingKey(record)} ${badSince ?? errorSince}`;
  };
  const told = (record: WatchedRecord): string =>
    `${standingKey(record)} ${earlier[standingKey(record)]?.toldAt}`;
  const tellings: Telling[] = [];
  if (tells)
    tellings.push({ ...of, content: { kind: 'domain_verified', ...about }, occasion: [host, attachedAt] });
  if (wentBad.length > 0)
    tellings.push({
      ...of,
      content: { kind: 'dns_alert', ...about, records: wentBad.map(toTold) },
      occasion: [host, ...wentBad.map(since)],
    });
  if (recovered.length > 0)
    tellings.push({
      ...of,
      content: {
        kind: 'dns_recovered',
        ...about,
        records: recovered.map(({ name, type }) => ({ name, type })),
      },
      occasion: [host, ...recovered.map(told)],
    });
  return tellings;
};
