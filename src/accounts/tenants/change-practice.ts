// Changes of a practice's own record: its name, its legal block, and what the operator decides about it.

import type { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import type { Base } from '#src/kernel/base.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { type practiceSchema, presentPractice } from './schema.ts';
import { type PracticeRow, type PracticeSettings, tenantStore } from './store.ts';

type Practice = z.infer<typeof practiceSchema>;

/** Changes the practice and records it in the audit, in the caller's transaction. */
export const writePractice = (
  db: TenantDb,
  fields: Partial<PracticeSettings>,
  change: Change,
  now: number,
): Practice => {
  const row = tenantStore(db).practice();
  const next = { ...row, ...fields };
  tenantStore(db).updatePractice(next);
  const after = presentPractice(next, now);
  const target = { type: 'practice', id: row.id };
  auditStore(db).record(change, { target, before: presentPractice(row, now), after }, now);
  return after;
};

/** `fields` may depend on the present row. Resolves with the practice as the API shows it. */
export const changePractice = (
  { storage, clock }: Pick<Base, 'storage' | 'clock'>,
  id: string,
  fields: Partial<PracticeSettings> | ((row: PracticeRow, now: number) => Partial<PracticeSettings>),
  change: Change,
): Promise<Practice> =>
  storage.tenants.write(id, (db) => {
    const now = clock.now();
    const wanted = typeof fields === 'function' ? fields(tenantStore(db).practice(), now) : fields;
    return writePractice(db, wanted, change, now);
  });
