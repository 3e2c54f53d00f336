// Publishes the records for receiving mail at a practice's domain, where its zone is at the operator's DNS provider. Only for a domain
// whose DKIM proved that it is the practice's: else a practice could name a domain of another customer of the operator. Records are
// added and nothing else; all of them are below `in.` of the domain. What is there is found again, so a repetition, also after a
// failure half-way, goes on where the first one ended.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { type Change, changeAs } from '#src/kernel/change.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { bounded, sentences } from '../check/judgement.ts';
import { checkPractice } from '../custom/check-practice.ts';
import type { DomainDeps } from '../domain-deps.ts';
import type { CheckedRecord, HostFacts, WantedRecord } from '../records/host-check.ts';
import { apexOf, receivingHost, receivingRecords } from '../records/wanted-records.ts';
import type { DnsProvider, ProviderRecord, ProviderZone } from './provider.ts';
import { findAtProvider, zoneNames } from './rules.ts';

export const recordActions = ['applied', 'present', 'conflict', 'served'] as const;

export type AppliedRecord = CheckedRecord & { readonly action: (typeof recordActions)[number] };

export interface AppliedRecords {
  /** `in.…` */
  readonly host: string;
  readonly kind: HostFacts['kind'];
  /** Where they are published; null of a managed host, which the service publishes itself. */
  readonly zone: { readonly provider: string; readonly name: string } | null;
  readonly checkedAt: number;
  readonly records: readonly AppliedRecord[];
}

type Subject = Pick<HostFacts, 'host' | 'kind' | 'serviceHost'>;

const requireProvider = (provider: DnsProvider | null): DnsProvider => {
  if (provider) return provider;
  throw new AppError('conflict', say`This service has no access to a DNS provider.`, {
    hint: say`Publish the \`records\` of GET /api/practices/{id}/inbound where the DNS of the domain is. The operator can set \`dns.provider\`.`,
  });
};

const zoneOf = async (provider: DnsProvider, subject: Subject): Promise<ProviderZone> => {
  for (const name of zoneNames(subject.host, apexOf(subject))) {
    const zone = await provider.findZone(name);
    if (zone?.isActive) return zone;
    if (zone)
      throw new AppError('conflict', say`The zone ${name} is at ${provider.name}, but not in use there.`, {
        hint: say`Name the name servers that it gives at the registrar of the domain first.`,
      });
  }
  throw new AppError('conflict', say`${provider.name} shows this service no zone of ${subject.host}.`, {
    hint: say`Where the zone is elsewhere, publish the records there. Where it is at ${provider.name}, the operator's token needs ${provider.tokenNeeds}.`,
  });
};

type Done = { readonly action: AppliedRecord['action']; readonly others: readonly ProviderRecord[] };

const apply = async (provider: DnsProvider, zone: ProviderZone, wanted: WantedRecord): Promise<Done> => {
  const { is, others } = findAtProvider(wanted, await provider.recordsAt(zone, wanted.name));
  if (is !== 'absent') return { action: is, others };
  await provider.create(zone, wanted);
  return { action: 'applied', others };
};

const SEEN_LATER = say`It was published now. Resolvers that were asked before may need an hour until they see it: check again then.`;

const withAction = (record: CheckedRecord, { action, others }: Done): AppliedRecord => {
  if (action === 'applied' && record.status === 'missing') return { ...record, action, hint: SEEN_LATER };
  if (action !== 'conflict') return { ...record, action };
  const [first = ''] = bounded(others.map(({ type, content }) => `${type} ${content}`));
  const left = say`Something else is at ${record.name} and was left as it is: ${first}. Remove it if it is not needed, then apply again.`;
  return { ...record, action, hint: sentences(left, record.hint) };
};

/** Rejects with `conflict`, and as the provider does. */
export const createApplyRecords = (deps: DomainDeps, provider: DnsProvider | null) => {
  const { storage, clock, serviceHost } = deps;

  const publish = async (tenantId: string, subject: Subject, change: Change) => {
    const at = requireProvider(provider);
    const zone = await zoneOf(at, subject);
    const done = new Map<string, Done>();
    try {
      for (const wanted of receivingRecords(subject)) done.set(wanted.name, await apply(at, zone, wanted));
    } finally {
      // This is done also where a later record failed: these are published.
      const names = [...done].flatMap(([name, { action }]) => (action === 'applied' ? [name] : []));
      if (names.length > 0)
        await storage.tenants.write(tenantId, (db) => {
          const target = { type: 'practice', id: tenantId };
          const after = { provider: at.name, zone: zone.name, published: names };
          auditStore(db).record(change, { target, before: null, after }, clock.now());
        });
    }
    return { zone: { provider: at.name, name: zone.name }, done };
  };

  return async (tenantId: string, change: Change): Promise<AppliedRecords> => {
    const { custom_domain, pending_domain, managed_host } = await storage.tenants.read(tenantId, (db) =>
      tenantStore(db).practice(),
    );
    if (custom_domain === null && pending_domain !== null)
      throw new AppError('conflict', say`It is not proved yet that ${pending_domain} is yours.`, {
        hint: say`Publish its DKIM records, see GET /api/practices/{id}/dns-records, and check them; then apply again.`,
      });
    const subject: Subject = {
      host: custom_domain ?? managed_host,
      kind: custom_domain === null ? 'managed' : 'custom',
      serviceHost,
    };
    const isManaged = subject.kind === 'managed';
    const published = isManaged ? null : await publish(tenantId, subject, change);
    const { check, checkedAt } = await checkPractice(
      deps,
      tenantId,
      changeAs(change, 'domain.verify'),
      isManaged ? 'managed' : 'in_use',
    );
    const served: Done = { action: 'served', others: [] };
    const names = receivingRecords(subject).map(({ name }) => name);
    return {
      host: receivingHost(subject.host),
      kind: subject.kind,
      zone: published?.zone ?? null,
      checkedAt,
      records: check.inbound
        .filter(({ name }) => names.includes(name))
        .map((record) => withAction(record, published?.done.get(record.name) ?? served)),
    };
  };
};
