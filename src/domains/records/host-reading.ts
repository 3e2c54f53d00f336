// A practice's host with the records it is to have and what was last found of them, as those need it who show them.
import { prepareSubject } from '../custom/check-practice.ts';
import { lastCheck } from '../custom/last-check.ts';
import type { DomainDeps } from '../domain-deps.ts';
import type { HostCheck, HostFacts } from './host-check.ts';

export interface HostReading {
  readonly facts: HostFacts;
  /** Null where nobody has looked yet at what the host needs now. */
  readonly check: HostCheck | null;
}

const speaksOf = (check: HostCheck, { host, keys }: HostFacts): boolean =>
  keys.every(({ selector }) => check.records.some(({ name }) => name === `${selector}._domainkey.${host}`));

/** Of the host in question: a pending domain before the one in use. */
export const readHost = async (deps: DomainDeps, tenantId: string): Promise<HostReading> => {
  const { facts } = await deps.queue(tenantId, () => prepareSubject(deps, tenantId));
  const last = await deps.storage.tenants.read(tenantId, (db) => lastCheck(db, facts.host));
  return { facts, check: last !== null && speaksOf(last.check, facts) ? last.check : null };
};
