// The logo that mail programs are to show beside a practice's mail: what its BIMI record names.
import type { z } from 'zod';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { DomainDeps } from '../domain-deps.ts';
import type { bimiSchema } from './domain-schema.ts';

type Bimi = z.infer<typeof bimiSchema>;

const presentBimi = ({ bimi_logo_url, bimi_certificate_url }: PracticeRow): Bimi => ({
  logo_url: bimi_logo_url,
  certificate_url: bimi_certificate_url,
});

/** Resolves with what it is from now on. */
export const setBimi = (
  { storage, clock }: Pick<DomainDeps, 'storage' | 'clock'>,
  tenantId: string,
  { logo_url, certificate_url }: Bimi,
  change: Change,
): Promise<Bimi> =>
  storage.tenants.write(tenantId, (db) => {
    const store = tenantStore(db);
    const before = store.practice();
    store.updatePractice({ ...before, bimi_logo_url: logo_url, bimi_certificate_url: certificate_url });
    const after = presentBimi(store.practice());
    const target = { type: 'practice', id: tenantId };
    auditStore(db).record(change, { target, before: presentBimi(before), after }, clock.now());
    return after;
  });
