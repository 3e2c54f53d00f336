// Queues over HTTP: that of a practice for its people, and those of all for the operator.
import { z } from 'zod';
import { readEach } from '#src/accounts/tenants/read-each.ts';
import { practiceSchema, tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Base } from '#src/kernel/base.ts';
import { listQuery } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { laneOf } from '#src/kernel/stream.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type PracticeQueue, practiceQueueOf, practiceQueueSchema } from './queues.ts';
import { presentUpstream, upstreamStateSchema } from './upstream-routes.ts';
import type { Path, Upstreams } from './upstreams.ts';

const waitingPractice = z
  .strictObject({
    id: practiceSchema.shape.id,
    name: practiceSchema.shape.name.nullable().describe('null where its data cannot be read, as `queue`'),
    due_at: z.iso.datetime().describe('when the next of its mails is, or was, to be sent'),
    upstreams: z.array(z.string()).describe('that may carry its mail, in the order in which they are tried'),
    queue: practiceQueueSchema.nullable(),
  })
  .meta({ id: 'WaitingPractice' });

const queuesSchema = z
  .strictObject({
    in_flight: z.int(),
    upstreams: z.array(
      upstreamStateSchema.extend({
        waiting_practices: z.int().describe('as below, of those whose mail it would carry now'),
        oldest_since: z.iso
          .datetime()
          .nullable()
          .describe(
            'since when the oldest of that mail waits, without lanes that are paused, or in which receivers refused all for a time; of a practice that is not listed below, since when it is due; null: there is none',
          ),
      }),
    ),
    waiting_practices: z.int().describe('with mail that is due now, or that waits for an upstream'),
    queued_practices: z.int().describe('with any mail in the queue, also such that is due later'),
    practices: z.array(waitingPractice).describe('those of `queued_practices` that are due first'),
  })
  .meta({ id: 'Queues' });

interface QueuedPractice {
  readonly id: string;
  dueAt: number;
  readonly paths: Set<Path>;
  /** Those on which mail is due now, or waits for an upstream: since when. */
  readonly waiting: Map<Path, number>;
}

export const queueRoutes = (
  { storage, clock }: Pick<Base, 'storage' | 'clock'>,
  upstreams: Upstreams,
  dispatcher: Pick<Dispatcher, 'queued' | 'describe'>,
): Route[] => {
  /** Longest due first. */
  const queuedPractices = (now: number) => {
    const found = new Map<string, QueuedPractice>();
    for (const { tenantId: id, lane, dueAt } of dispatcher.queued()) {
      const one = found.get(id) ?? { id, dueAt, paths: new Set(), waiting: new Map() };
      const path = upstreams.pathOf({ tenantId: id, lane });
      one.paths.add(path);
      // What was claimed when its upstream was set aside is due when that is tried again.
      if (dueAt <= (path.retryAt(now) ?? now))
        one.waiting.set(path, Math.min(dueAt, one.waiting.get(path) ?? now));
      one.dueAt = Math.min(one.dueAt, dueAt);
      found.set(id, one);
    }
    return [...found.values()].sort((a, b) => a.dueAt - b.dueAt);
  };
  /**
   * Since when mail is in the queue that each upstream would carry now, by the name of the upstream; where the file of a
   * practice was read, as its queue says.
   */
  const oldestOf = (
    queued: readonly QueuedPractice[],
    queueAt: (index: number) => PracticeQueue | undefined,
  ): ReadonlyMap<string, number> => {
    const oldest = new Map<string, number>();
    const note = (path: Path, since: number): void => {
      for (const name of path.carriers()) oldest.set(name, Math.min(since, oldest.get(name) ?? since));
    };
    for (const [index, { id, waiting }] of queued.entries()) {
      const queue = queueAt(index);
      if (queue === undefined) for (const [path, since] of waiting) note(path, since);
      for (const { stream, reason, oldest_since } of queue?.lanes ?? [])
        if (reason !== 'paused' && reason !== 'retry' && oldest_since !== null)
          note(upstreams.pathOf({ tenantId: id, lane: laneOf[stream] }), Date.parse(oldest_since));
    }
    return oldest;
  };
  return [
    defineRoute({
      method: 'get',
      path: '/api/admin/queues',
      tag: 'Platform administration',
      id: 'listQueues',
      summary: 'Upstreams, and what waits for them',
      access: 'operator',
      stability: 'stable',
      query: z.strictObject({ limit: listQuery.limit }),
      responses: { 200: { description: 'As it is now.', body: queuesSchema } },
      handle: async ({ query: { limit } }, { log }) => {
        const now = clock.now();
        const queued = queuedPractices(now);
        const waiting = queued.filter((one) => one.waiting.size > 0);
        const shown = queued.slice(0, limit);
        const read = await readEach(
          storage.tenants,
          shown,
          (db) => {
            const { id, name } = tenantStore(db).practice();
            return { name, queue: practiceQueueOf(db, id, null, upstreams, now) };
          },
          (error, { id }) =>
            log.warn({ err: error, practice_id: id }, 'the queue of a practice cannot be read'),
        );
        const oldest = oldestOf(queued, (index) => read[index]?.queue);
        return {
          status: 200,
          body: {
            in_flight: dispatcher.describe().in_flight,
            upstreams: upstreams.states().map((state) => {
              const { name } = state.upstream;
              return {
                ...presentUpstream(state),
                waiting_practices: waiting.filter((one) =>
                  [...one.waiting.keys()].some((path) => path.carriers().includes(name)),
                ).length,
                oldest_since: toIsoOrNull(oldest.get(name) ?? null),
              };
            }),
            waiting_practices: waiting.length,
            queued_practices: queued.length,
            practices: shown.map(({ id, dueAt, paths }, index) => ({
              id,
              name: read[index]?.name ?? null,
              due_at: toIso(dueAt),
              upstreams: [...new Set([...paths].flatMap((path) => path.upstreams()))],
              queue: read[index]?.queue ?? null,
            })),
          },
        };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/queue',
      tag: 'Messages',
      id: 'getQueue',
      summary: 'What waits to be sent, since when, and why',
      access: 'messages.view',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: "Mail of the caller's projects.", body: practiceQueueSchema } },
      handle: async ({ params: { id } }, { caller: { projects } }) => ({
        status: 200,
        body: await storage.tenants.read(id, (db) =>
          practiceQueueOf(db, id, projects, upstreams, clock.now()),
        ),
      }),
    }),
  ];
};
