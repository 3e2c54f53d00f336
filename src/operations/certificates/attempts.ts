// What was asked of the authority and what failed, in the data directory, so that a restart asks no more often than a daemon that runs
// on. Each attempt is written with the time of the next one before anybody is asked.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from './kept.ts';
import { type FailureKind, type PastOrder, REMEMBERED_MS } from './rules.ts';

const FILE = 'attempts.json';
/** Names that fail; the oldest are forgotten. */
const MAX_NAMES = 1_000;

const attempt = z.object({
  failures: z.int().nonnegative(),
  at: z.number(),
  nextAt: z.number(),
  error: z.string().nullable(),
  hint: z.string(),
  kind: z.enum(['pointing', 'unreachable', 'refused', 'limited'] satisfies FailureKind[]),
});
export type Attempt = z.infer<typeof attempt>;

const contents = z.object({
  names: z.record(z.string(), attempt),
  orders: z.array(z.object({ at: z.number(), name: z.string(), first: z.string().nullable() })),
});

export const createAttempts = (folder: string) => {
  const path = join(folder, FILE);
  const read = (): z.infer<typeof contents> => {
    try {
      return contents.parse(JSON.parse(readFileSync(path, 'utf8')));
    } catch {
      return { names: {}, orders: [] };
    }
  };
  const kept = read();
  const names = new Map(Object.entries(kept.names));
  let orders: PastOrder[] = kept.orders;

  const write = async (now: number): Promise<void> => {
    orders = orders.filter(({ at }) => at > now - REMEMBERED_MS);
    const oldest = [...names].sort(([, one], [, other]) => one.at - other.at);
    for (const [name] of oldest.slice(0, Math.max(0, names.size - MAX_NAMES))) names.delete(name);
    await writeWhole(path, `${JSON.stringify({ names: Object.fromEntries(names), orders })}\n`);
  };

  return {
    of: (name: string): Attempt | undefined => names.get(name),
    orders: (): readonly PastOrder[] => orders,
    put: async (name: string, next: Attempt): Promise<void> => {
      names.set(name, next);
      await write(next.at);
    },
    addOrder: async (order: PastOrder): Promise<void> => {
      orders = [...orders, order];
      await write(order.at);
    },
    succeeded: async (name: string, now: number): Promise<void> => {
      names.delete(name);
      await write(now);
    },
    /** What failed before `asked` is due at once. */
    bringForward: (asked: number, now: number): void => {
      for (const [name, one] of names)
        if (one.at <= asked && one.nextAt > now && one.kind !== 'limited')
          names.set(name, { ...one, nextAt: now });
    },
  };
};
