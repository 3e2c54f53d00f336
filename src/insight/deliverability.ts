// Reports how a practice's mail is authenticated, and what else decides whether it arrives. The state of its DNS records is
// that of their last check; the DNS is not queried here.
import type { z } from 'zod';
import { legalOf, missingLegal } from '#src/accounts/tenants/legal.ts';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import {
  adviceIn,
  type CheckedRecord,
  type HostCheck,
  type HostFacts,
  type RecordPurpose,
} from '#src/domains/records/host-check.ts';
import { hostInQuestion } from '#src/domains/records/host-facts.ts';
import { lastCheck } from '#src/domains/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { memberLanguageOf } from '#src/kernel/language.ts';
import { type Speak, say, type Text } from '#src/kernel/say.ts';
import { DAY, toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { channelMixOf } from './channel-mix.ts';
import { reportedDomainsOf } from './domain-reports/present.ts';
import { subjectReport } from './placement.ts';
import type { OriginHealth } from './public-origin.ts';
import type { deliverabilitySchema, mechanismSchema } from './reports-schema.ts';
import { dmarcPolicyOf, enforcesDmarc } from './rules.ts';
import { insightStore } from './store.ts';

type Deliverability = z.infer<typeof deliverabilitySchema>;
type Mechanism = z.infer<typeof mechanismSchema>;

export const SUBJECTS_LOOKED_AT = 1_000;

export interface DeliverabilityQuery {
  readonly days: number;
  readonly caller: Caller;
  readonly serviceHost: string;
  readonly origin: OriginHealth & { readonly url: string };
  /** Names of the smtp upstreams that may carry its mail and that the SPF record of the service does not name. */
  readonly outsideSpf: (practice: Pick<PracticeRow, 'id' | 'slug'>) => readonly string[];
  readonly now: number;
  readonly speak: Speak;
}

/** The worst status of the records is that of the mechanism: wrong records, then missing ones, then unknown ones. */
const worstFirst = ['multiple', 'mismatch', 'proxied', 'missing', 'error', 'ok'] as const;

const presentRecord = (
  { type, name, value, priority, required, status, found, hint }: CheckedRecord,
  speak: Speak,
) => ({
  type,
  name,
  value,
  priority,
  required,
  status,
  found: [...found],
  hint: adviceIn(speak, hint),
});

/** `check` is null if the host was never checked. The records of a managed host are served by the service itself. */
export const mechanismOf = (
  kind: HostFacts['kind'],
  check: HostCheck | null,
  purposes: readonly RecordPurpose[],
  speak: Speak,
): Mechanism => {
  if (kind === 'managed') return { status: 'ok', source: 'service', hint: '', records: [] };
  const records = [...(check?.records ?? []), ...(check?.inbound ?? [])].filter(({ purpose }) =>
    purposes.includes(purpose),
  );
  const worst = worstFirst.flatMap((status) => records.filter((record) => record.status === status)).at(0);
  return {
    status: worst?.status ?? 'unchecked',
    source: 'dns',
    hint: adviceIn(
      speak,
      worst?.hint ?? say`These records have not been checked yet. Check them with POST check-dns.`,
    ),
    records: records.map((record) => presentRecord(record, speak)),
  };
};

const guidance = (host: string, serviceHost: string): Text =>
  say`For receiving, one MX at in.${host} is enough: 10 ${serviceHost}. Never put an MX on the domain itself: it would take away its own mail.`;

/** The service does not serve logos of tenants. */
const NO_BIMI = say`A managed host has no BIMI record. To have one, attach your own domain.`;

/** What the practice's own records lead to is the operator's record, and only the operator can change it. */
const unlistedRelay = (relays: string): Text =>
  say`The SPF record of the service does not name the servers that mail leaves by (${relays}): the operator must name them under dns.zones.`;

const bimiOf = (
  { bimi_logo_url, bimi_certificate_url }: PracticeRow,
  state: Mechanism,
  check: HostCheck | null,
  speak: Speak,
) => ({
  ...(state.source === 'service'
    ? { ...state, status: 'unchecked' as const, hint: adviceIn(speak, NO_BIMI) }
    : state),
  logo_url: bimi_logo_url,
  certificate_url: bimi_certificate_url,
  effective: check !== null && state.status === 'ok' && enforcesDmarc(check),
});

export const deliverabilityOf = (db: TenantDb, query: DeliverabilityQuery): Deliverability => {
  const { days, caller, serviceHost, origin, outsideSpf, now, speak } = query;
  const practice = tenantStore(db).practice();
  const { host, kind, pending } = hostInQuestion(practice);
  const last = kind === 'managed' ? null : lastCheck(db, host);
  const check = last?.check ?? null;
  const state = (...purposes: readonly RecordPurpose[]) => mechanismOf(kind, check, purposes, speak);
  /** Records of SPF are right only where the operator's record, which they include, names the relay. */
  const senders = (...purposes: readonly RecordPurpose[]): Mechanism => {
    const own = state(...purposes);
    const relays = outsideSpf(practice);
    return own.status !== 'ok' || relays.length === 0
      ? own
      : {
          ...own,
          status: 'mismatch',
          source: 'service',
          hint: adviceIn(speak, unlistedRelay(relays.join(', '))),
        };
  };
  const since = now - days * DAY;
  const projects = caller.projects && [...caller.projects];
  const { rated: _, ...subjects } = subjectReport(
    insightStore(db).subjects(since, SUBJECTS_LOOKED_AT, projects),
    memberLanguageOf(speak.language),
  );
  const missing = missingLegal({ legal: legalOf(practice) });
  return {
    host,
    kind,
    pending,
    checked_at: toIsoOrNull(last?.checkedAt ?? null),
    records_url: `/api/practices/${practice.id}/dns-records`,
    dkim: state('dkim', 'dkim_imported'),
    spf: senders('spf'),
    dmarc: { ...state('dmarc', 'dmarc_subdomain'), policy: check && dmarcPolicyOf(check) },
    bimi: bimiOf(practice, state('bimi'), check, speak),
    mail_from: { ...senders('mail_from_mx', 'mail_from_spf'), domain: `bounce.${host}` },
    inbound: {
      ...state('inbound_mx'),
      host: `in.${host}`,
      mx: `10 ${serviceHost}`,
      guidance: adviceIn(speak, guidance(host, serviceHost)),
    },
    mta_sts: state('mta_sts', 'mta_sts_policy', 'tls_rpt'),
    conflicts: (check?.conflicts ?? []).map(({ type, name, found, hint }) => ({
      type,
      name,
      found: [...found],
      hint: adviceIn(speak, hint),
    })),
    domain_reports: caller.projects === null ? reportedDomainsOf(db, since) : null,
    channel_mix: channelMixOf(db, caller, days, now),
    subject_risk: subjects,
    public_origin: {
      origin: origin.url,
      https: origin.url.startsWith('https:'),
      reachable: origin.reachable,
      checked_at: toIso(origin.checkedAt),
      error: origin.error,
    },
    impressum: { complete: missing.length === 0, missing },
  };
};
