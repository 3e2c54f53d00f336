import { SECOND, sleep } from '#src/kernel/time.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import { createAgenda, type Turn } from './agenda.ts';
import { type AttemptDeps, settleUntilStored, transmit } from './attempt.ts';
import { type ClaimDeps, type Claimed, claimDue } from './claim.ts';

/** Rows of one tenant in one turn: enough to share a commit, few enough that the others' turn comes soon. */
const QUANTUM = 16;
/** Bytes of messages under way, as stored; composing needs about three times as much. */
const MAX_BYTES_IN_FLIGHT = 32 * 1_024 * 1_024;
/** Share of the capacity that marketing mail leaves free, so that a transactional message never waits for it. */
const TRANSACTIONAL_RESERVE = 0.25;
/** It looks again at least so often: a clock that is set, or a machine that slept, must not hold mail back. */
const MAX_TIMER_MS = 60 * SECOND;
/** After a tenant's file could not be read or written. */
const FILE_RETRY_MS = 5 * SECOND;

export type DispatcherDeps = ClaimDeps & AttemptDeps;

export interface Dispatcher {
  /** Something of this tenant is due at `dueAt`. */
  wake(turn: Turn, dueAt: number): void;
  /** When this tenant must be looked at next; 0 while something of it is under way; null where nothing is queued. */
  nextDue(tenantId: string): number | null;
  describe(): { waiting_tenants: number; in_flight: number; next_due_at: number | null };
  start(): void;
  /** Claims nothing more; resolves when what is under way has ended, or after `patienceMs`. */
  stop(patienceMs: number): Promise<void>;
}

export const createDispatcher = (deps: DispatcherDeps): Dispatcher => {
  const { files, waysOut, clock, log } = deps;
  const agenda = createAgenda();
  /** Turns that are claiming; the value is the earliest time they were woken for meanwhile. */
  const claiming = new Map<string, number | null>();
  /** Tenants whose leftovers of an earlier process have been put back. */
  const recovered = new Set<string>();
  const inFlightOf = new Map<string, number>();
  /** Claimed rows of each tenant that this process works on. */
  const working = new Map<string, number>();
  /** Recipients whose outcome could not be stored yet: they take no place of the others'. */
  const unsettledOf = new Map<string, number>();
  /** Rows of claims that were not answered: they may stand claimed in the file though nobody works on them. */
  const orphans = new Map<string, Map<number, QueueRow>>();
  const underWay = new Set<Promise<void>>();
  const stopped = new AbortController();
  let running = false;
  /** Recipients being sent, and places kept for claims under way. */
  let inFlight = 0;
  let marketingInFlight = 0;
  let bytesInFlight = 0;
  let pumpScheduled = false;
  let timer: NodeJS.Timeout | undefined;

  const keyOf = ({ tenantId, lane }: Turn): string => `${lane}${tenantId}`;

  const occupy = ({ tenantId, lane }: Turn, places: number): void => {
    inFlight += places;
    if (lane === 1) marketingInFlight += places;
    const count = (inFlightOf.get(tenantId) ?? 0) + places;
    if (count === 0) inFlightOf.delete(tenantId);
    else inFlightOf.set(tenantId, count);
  };

  const work = (tenantId: string, rows: number): void => {
    const count = (working.get(tenantId) ?? 0) + rows;
    if (count === 0) working.delete(tenantId);
    else working.set(tenantId, count);
  };

  const wake = (turn: Turn, dueAt: number): void => {
    const key = keyOf(turn);
    const woken = claiming.get(key);
    if (woken === undefined) agenda.lower(turn, dueAt);
    else claiming.set(key, Math.min(woken ?? dueAt, dueAt));
    schedulePump();
  };

  const schedulePump = (): void => {
    if (pumpScheduled || !running) return;
    pumpScheduled = true;
    setImmediate(pump);
  };

  /** Gives places to whoever's time has come, then sleeps until the next. */
  const pump = (): void => {
    pumpScheduled = false;
    if (!running) return;
    const now = clock.now();
    for (;;) {
      const free = bytesInFlight < MAX_BYTES_IN_FLIGHT ? waysOut.capacity(inFlight, now) : 0;
      if (free === 0) break;
      const marketingFree = Math.floor((free + inFlight) * (1 - TRANSACTIONAL_RESERVE)) - marketingInFlight;
      const turn = agenda.take(now, (lane) => lane === 0 || marketingFree > 0 || inFlight === 0);
      if (turn === null) break;
      const share = Math.floor(free / (agenda.waiting(now) + 1));
      const limit = turn.lane === 0 ? free : Math.max(1, Math.min(free, marketingFree));
      track(takeTurn(turn, Math.max(1, Math.min(QUANTUM, share, limit))));
    }
    setTimer(now);
  };

  const setTimer = (now: number): void => {
    clearTimeout(timer);
    const waiting = agenda.waiting(now) > 0;
    const next = waiting ? waysOut.retryAt(now) : agenda.nextAt();
    if (next === null) return;
    timer = setTimeout(schedulePump, Math.min(Math.max(next - now, 1), MAX_TIMER_MS));
  };

  const track = (work: Promise<void>): void => {
    underWay.add(work);
    work.finally(() => {
      underWay.delete(work);
      schedulePump();
    });
  };

  /** One tenant's turn. Never rejects. */
  const takeTurn = async (turn: Turn, places: number): Promise<void> => {
    const { tenantId, lane } = turn;
    const key = keyOf(turn);
    // What it claimed besides would only wait for the same file.
    if (unsettledOf.has(tenantId)) return agenda.set(turn, clock.now() + FILE_RETRY_MS);
    occupy(turn, places);
    claiming.set(key, null);
    let nextDue: number | null;
    let taken: readonly QueueRow[] = [];
    let recovers = false;
    const bytes = (): number => taken.reduce((sum, row) => sum + row.size_bytes, 0);
    try {
      const { claimed, next } = await files.write(tenantId, (db) => {
        // Claims that nobody works on: of a process that died, or left behind by a sync that failed.
        if (!recovered.has(tenantId) && !working.has(tenantId)) {
          queueStore(db).releaseAll();
          recovered.add(tenantId);
          recovers = true;
        }
        for (const row of orphans.get(key)?.values() ?? [])
          queueStore(db).takeBack(row.recipient_id, row.attempts - 1, clock.now());
        const byteBudget = MAX_BYTES_IN_FLIGHT - bytesInFlight;
        // Others may have claimed since this turn was given.
        if (byteBudget <= 0) return { claimed: [], next: queueStore(db).nextDue() };
        const request = {
          tenantId,
          lane,
          limit: places,
          byteBudget,
          now: clock.now(),
          policy: deps.policy(),
        };
        const result = claimDue(db, request, deps);
        taken = result.claimed.map(({ row }) => row);
        // At once: the tenant's other lane may look in this same transaction, other tenants before it is answered.
        work(tenantId, taken.length);
        bytesInFlight += bytes();
        return result;
      });
      orphans.delete(key);
      nextDue = next[lane];
      const other: Turn = { tenantId, lane: lane === 0 ? 1 : 0 };
      const otherDue = next[other.lane];
      if (otherDue !== null) wake(other, otherDue);
      occupy(turn, claimed.length);
      for (const one of claimed) track(deliver(turn, one));
    } catch (error) {
      log.error({ err: error, tenant: tenantId }, 'queue of a practice could not be read');
      work(tenantId, -taken.length);
      bytesInFlight -= bytes();
      if (recovers) recovered.delete(tenantId);
      if (taken.length > 0) {
        const kept = orphans.get(key) ?? new Map<number, QueueRow>();
        for (const row of taken) kept.set(row.recipient_id, row);
        orphans.set(key, kept);
      }
      nextDue = clock.now() + FILE_RETRY_MS;
    }
    occupy(turn, -places);
    const woken = claiming.get(key) ?? null;
    claiming.delete(key);
    const due = nextDue === null ? woken : Math.min(nextDue, woken ?? nextDue);
    agenda.set(turn, due);
  };

  /** One attempt, seen through. Never rejects. */
  const deliver = async (turn: Turn, claimed: Claimed): Promise<void> => {
    const { tenantId } = turn;
    const { row } = claimed;
    let unsettled = false;
    let ended = false;
    /** Its place and its bytes are the next one's. */
    const end = (): void => {
      if (ended) return;
      ended = true;
      bytesInFlight -= row.size_bytes;
      occupy(turn, -1);
      schedulePump();
    };
    try {
      const tried = await transmit(deps, tenantId, claimed);
      const dueAt = await settleUntilStored(deps, tenantId, row, tried, stopped.signal, () => {
        if (!unsettled) unsettledOf.set(tenantId, (unsettledOf.get(tenantId) ?? 0) + 1);
        unsettled = true;
        end();
      });
      if (dueAt !== null) wake(turn, dueAt);
    } finally {
      end();
      const left = (unsettledOf.get(tenantId) ?? 0) - (unsettled ? 1 : 0);
      if (left > 0) unsettledOf.set(tenantId, left);
      else unsettledOf.delete(tenantId);
      work(tenantId, -1);
      // The last one of a tenant whose leftovers had to wait: now they can be put back.
      if (!working.has(turn.tenantId) && !recovered.has(turn.tenantId)) wake(turn, clock.now());
    }
  };

  return {
    wake,
    nextDue: (tenantId) => (inFlightOf.has(tenantId) || working.has(tenantId) ? 0 : agenda.dueOf(tenantId)),
    describe: () => ({ waiting_tenants: agenda.size(), in_flight: inFlight, next_due_at: agenda.nextAt() }),
    start: () => {
      running = true;
      schedulePump();
    },
    stop: async (patienceMs) => {
      running = false;
      clearTimeout(timer);
      const patience = new AbortController();
      await Promise.race([allOf(underWay), sleep(patienceMs, patience.signal)]);
      patience.abort();
      stopped.abort();
    },
  };
};

/** Resolves when the set is empty, whatever is added meanwhile. */
const allOf = async (work: ReadonlySet<Promise<void>>): Promise<void> => {
  while (work.size > 0) await Promise.all(work);
};
