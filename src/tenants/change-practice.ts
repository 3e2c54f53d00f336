// Changes of a practice's own record: its name, its legal block, and what the operator decides about it.
import type { z } from 'zod';
import type { TenantFiles } from '#src/db/tenant-files.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { Clock } from '#src/kernel/time.ts';
import { presentPractice } from './present.ts';
import type { practiceSchema } from './schema.ts';
import { type PracticeSettings, tenantStore } from './store.ts';

export interface ChangePracticeDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
}

/** Resolves with the practice as the API shows it. */
export const changePractice = (
  { files, clock }: ChangePracticeDeps,
  id: string,
  fields: Partial<PracticeSettings>,
  change: Change,
): Promise<z.infer<typeof practiceSchema>> =>
  files.write(id, (db) => {
    const row = tenantStore(db).practice();
    const next = { ...row, ...fields };
    tenantStore(db).updatePractice(next);
    const now = clock.now();
    const after = presentPractice(next, now);
    const target = { type: 'practice', id };
    auditStore(db).record(change, { target, before: presentPractice(row, now), after }, now);
    return after;
  });
