// A work engine over a played disk, clock and network, each of which fails when the test says so. The disk outlives a crash: a
// second engine over the same disk is the next process.
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createWorkEngine } from '#src/kernel/work/engine.ts';
import type { TargetHealth } from '#src/kernel/work/health.ts';
import type { WorkItem, WorkLimits } from '#src/kernel/work/in-flight.ts';
import type { Claim, OpenQueue } from '#src/kernel/work/queue.ts';

export interface StoredItem {
  readonly key: number;
  readonly tenantId: string;
  readonly target: string;
  readonly bytes: number;
  dueAt: number | null;
  attempts: number;
  status: 'pending' | 'done';
}

export interface Attempt extends WorkItem {
  readonly key: number;
  readonly tenantId: string;
  readonly attempt: number;
}
type Outcome = { readonly ok: boolean; readonly timedOut?: boolean; readonly retryAfter?: number };

export interface Exchange extends Attempt {
  readonly at: number;
  end(outcome?: Outcome | Error): void;
}

/** What is due again after a failure. */
export const RETRY_MS = 60_000;

export const limitsOf = (fields: Partial<WorkLimits> = {}): WorkLimits => ({
  total: { running: 16, claimed: 64 },
  tenant: { running: 8, claimed: 32 },
  slow: { running: 8, claimed: 32 },
  target: ({ good }: TargetHealth) => (good ? { running: 2, claimed: 8 } : { running: 1, claimed: 1 }),
  remembered: 1_000,
  ...fields,
});

export const playDisk = () => {
  const items: StoredItem[] = [];
  /** Tenants whose file takes nothing. */
  const broken = new Set<string>();
  let writes = 0;
  const store = <T>(tenantId: string, work: () => T): T => {
    if (broken.has(tenantId)) throw new Error('EIO');
    writes += 1;
    // A transaction may be undone and run again.
    const before = items.map((item) => ({ ...item }));
    work();
    for (const [index, item] of before.entries()) Object.assign(items[index] ?? {}, item);
    return work();
  };
  const of = (tenantId: string): StoredItem[] => items.filter((one) => one.tenantId === tenantId);
  return {
    items,
    of,
    store,
    writes: () => writes,
    breaks: (tenantId: string): void => void broken.add(tenantId),
    heals: (tenantId: string): void => void broken.delete(tenantId),
    add: (tenantId: string, target: string, count = 1, bytes = 1): void => {
      for (let n = 0; n < count; n += 1)
        items.push({
          ...{ key: items.length + 1, tenantId, target, bytes },
          ...{ dueAt: 0, attempts: 0, status: 'pending' },
        });
    },
    done: (tenantId: string): number => of(tenantId).filter(({ status }) => status === 'done').length,
  };
};
export type PlayedDisk = ReturnType<typeof playDisk>;

/** Whatever was to begin has begun. */
export const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

export interface Options {
  readonly disk?: PlayedDisk;
  readonly limits?: Partial<WorkLimits>;
  readonly pausesFrom?: number;
  /** Called in each claim, once it is on the disk. */
  readonly afterClaim?: (tenantId: string) => Promise<void>;
}

export const startWork = (options: Options = {}) => {
  const { disk = playDisk(), limits = {}, pausesFrom, afterClaim = async () => undefined } = options;
  let now = 1_800_000_000_000;
  const logged: { readonly msg: string; readonly tenant: string }[] = [];
  const open: Exchange[] = [];
  const all: Exchange[] = [];
  const always = new Map<string, Outcome>();
  const clock = { now: () => now };
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const heldTenants = new Set<string>();
  const engine = createWorkEngine({ clock, log, mayBegin: (tenantId) => !heldTenants.has(tenantId) });

  const dueOf = (tenantId: string, claim: Claim<Attempt>) =>
    disk
      .of(tenantId)
      .filter(({ key, status, dueAt }) => status === 'pending' && dueAt !== null && !claim.isInFlight(key));

  const queue: OpenQueue = engine.open<Attempt, Outcome>({
    name: 'letters',
    limits: limitsOf(limits),
    ...(pausesFrom === undefined ? {} : { pausesFrom }),
    claimDue: async (tenantId, claim) => {
      const due = dueOf(tenantId, claim).filter(({ dueAt }) => (dueAt ?? 0) <= now);
      const room = due.filter(({ target }) => claim.room(target) > 0);
      if (room.length > 0)
        disk.store(tenantId, () => {
          claim.startOver();
          for (const item of room) {
            if (claim.room(item.target) === 0) continue;
            item.attempts += 1;
            item.dueAt = now + RETRY_MS;
            const { key, target, bytes, attempts: attempt } = item;
            claim.take({ key, target, bytes, tenantId, attempt });
          }
        });
      await afterClaim(tenantId);
      const later = dueOf(tenantId, claim).filter(({ dueAt }) => (dueAt ?? 0) > now);
      return later.length === 0 ? null : Math.min(...later.map(({ dueAt }) => dueAt ?? 0));
    },
    attempt: (tenantId, item) =>
      new Promise((resolve, reject) => {
        const exchange: Exchange = {
          ...item,
          at: now,
          end: (outcome = { ok: true }) => {
            if (!open.includes(exchange)) return;
            open.splice(open.indexOf(exchange), 1);
            if (outcome instanceof Error) reject(outcome);
            else resolve(outcome);
          },
        };
        open.push(exchange);
        all.push(exchange);
        const outcome = always.get(item.target) ?? always.get(tenantId);
        if (outcome) setImmediate(() => exchange.end(outcome));
      }),
    resultOf: ({ ok, ...rest }) => ({ isSuccess: ok, ...rest }),
    settle: async (tenantId, { key }, { ok }) =>
      disk.store(tenantId, () => {
        const item = disk.items[key - 1];
        if (item && ok) Object.assign(item, { status: 'done', dueAt: null });
      }),
    giveBack: async (tenantId, items) =>
      disk.store(tenantId, () => {
        for (const { key, attempt } of items)
          Object.assign(disk.items[key - 1] ?? {}, { dueAt: now, attempts: attempt - 1 });
      }),
  });
  engine.start();
  onTestFinished(() => engine.stop(0));
  return {
    disk,
    engine,
    queue,
    logged,
    /** In flight. */
    open: (tenantId?: string) => open.filter((one) => tenantId === undefined || one.tenantId === tenantId),
    to: (target: string) => open.filter((one) => one.target === target),
    all,
    always: (name: string, outcome: Outcome): void => {
      always.set(name, outcome);
      for (const one of [...open]) if (one.target === name || one.tenantId === name) one.end(outcome);
    },
    /** Their work does not begin. */
    held: heldTenants,
    now: () => now,
    pass: (milliseconds: number): void => {
      now += milliseconds;
    },
    /** Wakes tenants and waits until what follows has begun. */
    wake: async (...tenants: readonly string[]): Promise<void> => {
      for (const tenant of tenants) queue.wake(tenant);
      await quiet();
    },
  };
};
