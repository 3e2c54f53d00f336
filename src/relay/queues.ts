// What waits, why, and since when: of one practice, and of those that have waited longest. The dispatcher knows who has something
// due, so no file is opened of a practice that has nothing.
import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { streams } from '#src/kernel/stream.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { queueStore, WAITING_COUNTED, type WaitingRow } from '#src/messages/queue/store.ts';
import type { Path, Upstreams } from './upstreams.ts';

const reasons = ['sending', 'paused', 'held', 'scheduled', 'upstream', 'retry', 'busy', 'next'] as const;
type Reason = (typeof reasons)[number];

const time = z.iso.datetime();
const counts = {
  waiting: z
    .int()
    .describe(`one per recipient, those of the four that follow among them; ${WAITING_COUNTED} at most`),
  in_flight: z.int().describe('being sent now'),
  scheduled: z.int().describe('held until the time that was asked for'),
  retrying: z.int().describe('tried and refused for a time; tried again'),
  held: z
    .int()
    .describe('held since a restore, because it may have left before: until a person sends or discards it'),
};

export const laneSchema = z
  .strictObject({
    stream: z.enum(streams),
    ...counts,
    oldest_since: time
      .nullable()
      .describe(
        'since when the oldest waits: its acceptance, or the time it was held until; null: all are held',
      ),
    next_attempt_at: time
      .nullable()
      .describe('when the next one is due; in the past where it waits for a place; null: all are being sent'),
    reason: z
      .enum(reasons)
      .describe(
        '`paused`: the practice is; `held`: a restore held all of it, see `POST …/held-mail/release`; `scheduled`: all are held until their time; `upstream`: no upstream for this mail takes any, see `upstream_since`; `retry`: receivers refused for a time; `busy`: the upstream works on as much as it takes, others among it; `next`: it is about to go',
      ),
    upstream_since: time
      .nullable()
      .describe('since when no upstream takes mail of this kind; null: one does'),
    upstream_retry_at: time.nullable().describe('when one of them is tried again'),
  })
  .meta({ id: 'QueueLane' });

export const practiceQueueSchema = z
  .strictObject({
    waiting: z.int().describe('in all lanes'),
    oldest_since: time.nullable(),
    lanes: z.array(laneSchema).describe('those in which any waits'),
  })
  .meta({ id: 'PracticeQueue' });

export type PracticeQueue = z.infer<typeof practiceQueueSchema>;

const reasonOf = (
  row: WaitingRow,
  isPaused: boolean,
  path: Pick<Path, 'asideSince' | 'capacity'>,
  now: number,
): Reason => {
  if (isPaused) return 'paused';
  if (row.in_flight > 0) return 'sending';
  if (row.restored === row.waiting) return 'held';
  if (row.held + row.restored === row.waiting) return 'scheduled';
  if (path.asideSince() !== null) return 'upstream';
  if ((row.next_due_at ?? now) > now) return 'retry';
  return path.capacity(now) === 0 ? 'busy' : 'next';
};

/** `projects`: those to which the caller is limited; null: none. */
export const practiceQueueOf = (
  db: TenantDb,
  tenantId: string,
  projects: ReadonlySet<string> | null,
  upstreams: Pick<Upstreams, 'pathOf'>,
  now: number,
): PracticeQueue => {
  const isPaused = tenantStore(db).practice().paused_at !== null;
  const rows = queueStore(db).waiting(projects, now);
  const times = rows.flatMap(({ since }) => since ?? []);
  return {
    waiting: rows.reduce((sum, { waiting }) => sum + waiting, 0),
    oldest_since: times.length === 0 ? null : toIso(Math.min(...times)),
    lanes: rows.map((row) => {
      const path = upstreams.pathOf({ tenantId, lane: row.lane });
      const asideSince = path.asideSince();
      return {
        stream: streams[row.lane],
        waiting: row.waiting,
        in_flight: row.in_flight,
        scheduled: row.held,
        retrying: row.retrying,
        held: row.restored,
        oldest_since: toIsoOrNull(row.since),
        next_attempt_at: toIsoOrNull(row.next_due_at),
        reason: reasonOf(row, isPaused, path, now),
        upstream_since: toIsoOrNull(asideSince),
        upstream_retry_at: asideSince === null ? null : toIsoOrNull(path.retryAt(now)),
      };
    }),
  };
};
