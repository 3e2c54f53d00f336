// Reads from the tenant's file what the records of a host are made from.

import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { isReplaced } from '../keys/key-rules.ts';
import { recordOf } from '../keys/keys.ts';
import { type DkimKeyRow, dkimKeyStore } from '../store.ts';
import type { HostFacts } from './host-check.ts';

export interface HostFactsSettings {
  readonly serviceHost: string;
  readonly sealingKey: SealingKey;
}

/** The host that records and checks are about: the pending domain if there is one, else the domain in use. */
export const hostInQuestion = (
  practice: PracticeRow,
): { readonly host: string; readonly kind: HostFacts['kind']; readonly pending: boolean } => {
  if (practice.pending_domain !== null)
    return { host: practice.pending_domain, kind: 'custom', pending: true };
  if (practice.custom_domain !== null)
    return { host: practice.custom_domain, kind: 'custom', pending: false };
  return { host: practice.managed_host, kind: 'managed', pending: false };
};

/**
 * The keys that the host must publish. Former tokens of a domain stay published but prove nothing any more.
 */
export const hostKeyRows = (db: TenantDb, host: string): DkimKeyRow[] => {
  const rows = dkimKeyStore(db).ofHost(host);
  return rows.filter((row) => !isReplaced(row, rows));
};

/** Throws if a key was sealed under another master key. */
export const hostFactsOf = (
  db: TenantDb,
  { host, kind }: Pick<HostFacts, 'host' | 'kind'>,
  { serviceHost, sealingKey }: HostFactsSettings,
): HostFacts => {
  const practice = tenantStore(db).practice();
  return {
    host,
    kind,
    serviceHost,
    keys: hostKeyRows(db, host).map((row) => ({
      selector: row.token,
      record: recordOf(practice.id, row, sealingKey),
      imported: row.position === 0,
    })),
    bimi: { logoUrl: practice.bimi_logo_url, certificateUrl: practice.bimi_certificate_url },
  };
};
