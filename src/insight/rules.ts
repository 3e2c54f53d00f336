// The checks before a practice leaves safe mode: required ones, and others that are only advice. Each is a pure function of
// facts about the practice and the installation. Titles and hints are in go-live-words.ts.

import { type LegalBlock, missingLegal } from '#src/accounts/tenants/legal.ts';
import type { Plan } from '#src/accounts/tenants/rules.ts';
import type { CheckedRecord, DnsConflict, HostCheck, RecordStatus } from '#src/domains/records/host-check.ts';
import type { Text } from '#src/kernel/say.ts';
import { HOUR } from '#src/kernel/time.ts';
import { parseTagList } from '#src/mail/tag-list.ts';

export interface GoLiveFacts {
  readonly legal: Partial<LegalBlock>;
  /** A domain that the practice has requested and that is not verified yet. */
  readonly pendingDomain: string | null;
  /** The host in From. The records of a managed host are served by the service itself. */
  readonly host: string;
  readonly kind: 'managed' | 'custom';
  /** The last check of `host`; null if there was none. */
  readonly lastCheck: { readonly checkedAt: number; readonly check: HostCheck } | null;
  readonly publicOrigin: string;
  /** Names of the upstreams that deliver mail; others only keep it. */
  readonly deliveringUpstreams: readonly string[];
  /** Names of the upstreams that accepted the newest mails. */
  readonly relayedBy: readonly string[];
  readonly activeOwners: number;
  readonly plan: Plan;
  readonly isApproved: boolean;
  /** The operator has put the practice into safe mode. */
  readonly isHeld: boolean;
}

export const checkIds = [
  'legal',
  'sending_domain',
  'dns_records',
  'public_origin',
  'upstream',
  'owner',
  'test_message',
  'approval',
  'dmarc_policy',
  'bimi',
  'inbound',
  'second_owner',
] as const;
export type CheckId = (typeof checkIds)[number];

export interface Check {
  readonly id: CheckId;
  readonly ok: boolean;
  readonly required: boolean;
}

/** Records are checked daily; with this age one daily check may fail. */
export const DNS_CHECK_MAX_AGE = 48 * HOUR;

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** `publicOrigin` is an origin in the form of the configuration. */
export const isReachableByAll = (publicOrigin: string): boolean => {
  const { protocol, hostname } = new URL(publicOrigin);
  return protocol === 'https:' && !LOOPBACK.test(hostname);
};

/** `p=` of the DMARC record that was found; null if there is none or more than one (RFC 7489 §6.6.3). */
export const dmarcPolicyOf = (check: HostCheck): string | null => {
  const [text, ...more] = check.records.find(({ purpose }) => purpose === 'dmarc')?.found ?? [];
  if (text === undefined || more.length > 0) return null;
  return parseTagList(text).get('p')?.toLowerCase() ?? 'none';
};

export const enforcesDmarc = (check: HostCheck): boolean =>
  ['quarantine', 'reject'].includes(dmarcPolicyOf(check) ?? '');

export interface FailingRecord {
  readonly purpose: CheckedRecord['purpose'] | DnsConflict['purpose'];
  readonly type: CheckedRecord['type'];
  readonly name: string;
  readonly status: RecordStatus | 'conflict';
  readonly hint: Text;
}

/** Required records that are not right, and records that should not exist. */
export const failingIn = ({ records, conflicts }: HostCheck): FailingRecord[] => [
  ...records
    .filter(({ required, status }) => required && status !== 'ok')
    .map(({ purpose, type, name, status, hint }) => ({ purpose, type, name, status, hint })),
  ...conflicts.map(({ purpose, type, name, hint }) => ({
    purpose,
    type,
    name,
    status: 'conflict' as const,
    hint,
  })),
];

/** What is wrong with the records of the host in use; null if nothing is. */
export const dnsTrouble = (
  { kind, lastCheck }: GoLiveFacts,
  now: number,
): 'unchecked' | 'stale' | 'failing' | null => {
  if (kind === 'managed') return null;
  if (lastCheck === null) return 'unchecked';
  if (!lastCheck.check.ok) return 'failing';
  return now - lastCheck.checkedAt > DNS_CHECK_MAX_AGE ? 'stale' : null;
};

const hasRecord = ({ lastCheck }: GoLiveFacts, purpose: 'bimi' | 'inbound_mx'): boolean =>
  [...(lastCheck?.check.records ?? []), ...(lastCheck?.check.inbound ?? [])].some(
    (record) => record.purpose === purpose && record.status === 'ok',
  );

/** Only the checks that apply: approval only if it is needed, records only for a host that the practice manages itself. */
export const goLiveChecks = (facts: GoLiveFacts, now: number): Check[] => {
  const required: Partial<Record<CheckId, boolean>> = {
    legal: missingLegal(facts).length === 0,
    sending_domain: facts.pendingDomain === null,
    dns_records: dnsTrouble(facts, now) === null,
    public_origin: isReachableByAll(facts.publicOrigin),
    upstream: facts.deliveringUpstreams.length > 0,
    owner: facts.activeOwners > 0,
    test_message: facts.relayedBy.some((name) => facts.deliveringUpstreams.includes(name)),
    ...(facts.plan === 'test' || facts.isHeld ? { approval: facts.isApproved } : {}),
  };
  const advised: Partial<Record<CheckId, boolean>> = {
    ...(facts.kind === 'custom'
      ? {
          dmarc_policy: facts.lastCheck !== null && enforcesDmarc(facts.lastCheck.check),
          bimi: hasRecord(facts, 'bimi'),
          inbound: hasRecord(facts, 'inbound_mx'),
        }
      : {}),
    second_owner: facts.activeOwners > 1,
  };
  return checkIds.flatMap((id) => {
    const ok = required[id] ?? advised[id];
    return ok === undefined ? [] : [{ id, ok, required: id in required }];
  });
};

/** Ids of the required checks that are not passed. */
export const remainingOf = (checks: readonly Check[]): CheckId[] =>
  checks.filter(({ ok, required }) => required && !ok).map(({ id }) => id);
