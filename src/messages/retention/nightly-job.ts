// The nightly job: in every tenant's file it removes old data and finishes what a crash has left undone. It takes one file
// after the other, at a pace that leaves the disk to requests, and through `TenantFiles.visit`, so that it does not push
// files in use out of the set of open files.
import type { Room } from '#src/kernel/base.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Job } from '#src/kernel/job.ts';
import { createPace, type Pace } from '#src/kernel/pace.ts';

const TENANTS_PER_PAGE = 100;
/** If every practice fails, the first failures say enough. */
const MAX_NAMED_FAILURES = 20;

/**
 * `registry` runs first, then the tasks of all rooms in their order for every tenant; `listTenants` has the tenants in the order of
 * their numbers. A task that fails does not stop the others; the job itself fails at its end.
 */
export const nightlyJob = (
  files: Pick<TenantFiles, 'visit'>,
  listTenants: (
    afterNumber: number,
    limit: number,
  ) => Promise<readonly { readonly number: number; readonly id: string }[]>,
  registry: (signal: AbortSignal, pace: Pace) => Promise<void>,
  rooms: readonly Pick<Room, 'nightly' | 'oldRows'>[],
): Job => ({
  name: 'remove what is old',
  schedule: '17 3 * * *',
  run: async (signal, log) => {
    const pace = createPace(signal);
    const tasks = rooms.flatMap(({ nightly = [] }) => nightly);
    const oldRows = rooms.flatMap((room) => room.oldRows ?? []);
    const failures: unknown[] = [];
    const attempt = async (work: () => Promise<void>, facts: Readonly<Record<string, string>>) => {
      try {
        await work();
      } catch (error) {
        failures.push(error);
        if (failures.length <= MAX_NAMED_FAILURES)
          log.warn({ err: error, ...facts }, 'a nightly task failed');
      }
    };
    const visitAll = async (tenantId: string): Promise<void> => {
      for (const { what, run } of tasks)
        if (!signal.aborted)
          await attempt(() => run(tenantId, signal, pace, oldRows), { practice_id: tenantId, what });
    };

    await attempt(() => registry(signal, pace), { what: 'registry' });
    for (let after = 0; !signal.aborted; ) {
      const tenants = await listTenants(after, TENANTS_PER_PAGE);
      const last = tenants.at(-1);
      if (!last) break;
      for (const { id } of tenants) {
        if (signal.aborted) break;
        await attempt(() => pace(() => files.visit(id, () => visitAll(id))), {
          practice_id: id,
          what: 'file',
        });
      }
      after = last.number;
    }
    if (failures.length > 0)
      throw new AggregateError(
        failures.slice(0, MAX_NAMED_FAILURES),
        `${failures.length} nightly tasks failed`,
      );
  },
});
