// What health shows of the files and of the disk that they are on.
import { z } from 'zod';
import { faultStates, fileStates, PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { healthPart } from '#src/kernel/health.ts';

const straysSchema = z
  .strictObject({ count: z.int(), named: z.array(z.string()).describe('the first 20') })
  .describe('directories below `data_dir/tenants` that belong to no practice and are not used');

export const fileHealth = (
  { states, tenants, space, held }: Storage,
  strays: () => z.output<typeof straysSchema>,
) => ({
  registry: healthPart({
    schema: z.enum(fileStates).describe('of the file that holds what belongs to no practice'),
    now: () => states.of(PLATFORM_FILE)?.state ?? 'ok',
    state: (registry) => (registry === 'ok' ? 'ok' : 'failing'),
  }),
  databases: healthPart({
    schema: z.strictObject({
      open: z.int(),
      limit: z.int(),
      broken: z.int().describe('practices whose data cannot be read or written'),
      states: z.record(z.enum(faultStates), z.int()).describe('these by what is wrong'),
      held_logs: z
        .strictObject({
          count: z.int(),
          bytes: z.int().describe('of the largest'),
          since: z.iso.datetime().nullable().describe('of the oldest'),
        })
        .describe('write-ahead logs that grow because another process holds a transaction on the file'),
      strays: straysSchema,
    }),
    now: () => {
      const counts = states.counts();
      const broken = Object.values(counts).reduce((sum, count) => sum + count);
      return { ...tenants.stats(), broken, states: counts, held_logs: held(), strays: strays() };
    },
    state: ({ broken }) => (broken === 0 ? 'ok' : 'degraded'),
  }),
  disk: healthPart({
    schema: z.strictObject({
      free_bytes: z.int(),
      total_bytes: z.int(),
      state: z
        .enum(['ok', 'low', 'full', 'failing'])
        .describe('low: less is free than `storage.min_free_*`; failing: it cannot be asked'),
    }),
    now: space,
    state: ({ state }) => (state === 'ok' ? 'ok' : state === 'low' ? 'degraded' : 'failing'),
  }),
});
