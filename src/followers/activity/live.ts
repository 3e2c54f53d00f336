// The activity of practices as it happens. A stream has a position in the log and sends what comes after it, out of the file and
// nothing else: it is woken when something has been written there, and reads what is on the disk by then. So nothing is sent
// that a crash could undo, and a client that comes back with the position of the last event misses none and gets none twice.
//
// A stream holds no file open and at most one batch in memory: the next one is read when the client has taken the one before.
// Streams at the same position that ask for the same, as many windows of one practice do, share what is read for them.
import { followStore } from '#src/events/follow-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createPace } from '#src/kernel/pace.ts';
import { say } from '#src/kernel/say.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { PracticeUrl } from '#src/messages/published-event.ts';
import { BEAT, eventFrame, gapFrame, placeFrame, retryFrame } from './present.ts';
import { type ActivityFilter, activityStore } from './store.ts';

export interface Wakeup {
  wake(): void;
  /** Wakes for good. */
  end(): void;
  /** Aborted by `end`. */
  readonly signal: AbortSignal;
  /** Resolves with true when it was woken since the last time, with false after `ms`. One caller waits at a time. */
  wait(ms: number): Promise<boolean>;
}

export const createWakeup = (): Wakeup => {
  let isWoken = false;
  const over = new AbortController();
  let resume = (): void => {};
  const wake = (): void => {
    isWoken = true;
    resume();
  };
  const taken = (): boolean => {
    const was = isWoken;
    isWoken = over.signal.aborted;
    return was;
  };
  return {
    wake,
    end: () => {
      over.abort();
      wake();
    },
    signal: over.signal,
    wait: async (ms) => {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        resume = () => {};
      }
      return taken();
    },
  };
};

export interface LiveLimits {
  readonly perPractice: number;
  readonly inAll: number;
  /** How often a stream sends a sign of life and checks its caller's rights again, ms. */
  readonly beatMs: number;
}

export interface LiveWish {
  readonly tenantId: string;
  readonly caller: Caller;
  /** See RequestContext.readmit. */
  readonly readmit: () => Promise<Caller>;
  /** The place in the log after which to begin; null: its end. */
  readonly after: number | null;
  /** What is wanted, of what the caller may see at that time. */
  readonly filterFor: (caller: Caller) => ActivityFilter;
}

export interface Live {
  /**
   * The frames of a stream; its holder ends it by `return()`. Rejects with `rate_limited` and `unavailable` where there
   * are too many.
   */
  open(wish: LiveWish): Promise<AsyncIterable<string>>;
  /** How many there are. */
  count(): number;
  /** Ends all; new ones are refused. */
  stop(): void;
}

/** Windows that the people of a practice have open, and some programs. All together are far fewer than the server's connections. */
export const usualLimits: LiveLimits = { perPractice: 20, inAll: 1_000, beatMs: 15 * SECOND };
/** What is written within it is sent together: at a thousand mails a second each reading finds hundreds of events. */
const GATHER_MS = 50;
/** What a stream holds: events of some hundred bytes, a few KiB where much metadata was given. */
const BATCH_ROWS = 200;
const BATCH_CHARACTERS = 64 * 1024;
/** Numbers that one reading spans, where few of them are wanted. */
const BATCH_SPAN = 4_096;
const RETRY_MS = 3 * SECOND;
const BUSY_RETRY_SECONDS = 30;
const DRAINING_RETRY_SECONDS = 5;

interface Batch {
  readonly text: string;
  /** The place after it. */
  readonly place: number;
  /** Whether the log goes on. */
  readonly more: boolean;
}

/** The streams of one practice. */
interface Room {
  readonly wakeups: Set<Wakeup>;
  /** In flight, by what is asked for. */
  readonly readings: Map<string, Promise<Batch>>;
  /** How often it was woken: a reading that began before may miss what that was about. */
  wakes: number;
  wokenAt: number;
  timer: NodeJS.Timeout | null;
}

const batchAfter = (db: TenantDb, filter: ActivityFilter, after: number, practiceUrl: string): Batch => {
  const end = followStore(db).last();
  const store = activityStore(db);
  const first = store.firstFrom(after + 1) ?? end + 1;
  const before = Math.min(end + 1, first + BATCH_SPAN);
  const rows = store.inOrder(filter, { from: after + 1, before, limit: BATCH_ROWS });
  let text = '';
  for (const row of rows) {
    text += eventFrame(row, practiceUrl);
    if (text.length >= BATCH_CHARACTERS) return { text, place: row.seq, more: row.seq < end };
  }
  const place = rows.length === BATCH_ROWS ? (rows.at(-1)?.seq ?? after) : Math.max(before - 1, after);
  return { text, place, more: place < end };
};

/** Where a stream begins, and its first frames. */
const beginning = (db: TenantDb, after: number | null): { place: number; opening: string } => {
  const end = followStore(db).last();
  if (after === null) return { place: end, opening: placeFrame(end) };
  if (after > end) return { place: end, opening: gapFrame('restored') + placeFrame(end) };
  const before = (activityStore(db).oldest() ?? end + 1) - 1;
  return after < before ? { place: before, opening: gapFrame('removed') } : { place: after, opening: '' };
};

const newRoom = (): Room => ({ wakeups: new Set(), readings: new Map(), wakes: 0, wokenAt: 0, timer: null });

export const createLive = (
  files: Pick<TenantFiles, 'read' | 'watch'>,
  practiceUrl: PracticeUrl,
  limits: LiveLimits = usualLimits,
): Live => {
  const rooms = new Map<string, Room>();
  let streams = 0;
  let stopped = false;

  const wakeAll = (room: Room): void => {
    room.timer = null;
    room.wokenAt = performance.now();
    room.wakes += 1;
    for (const wakeup of room.wakeups) wakeup.wake();
  };

  const unwatch = files.watch((tenantId) => {
    const room = rooms.get(tenantId);
    if (room === undefined || room.timer !== null) return;
    const wait = room.wokenAt + GATHER_MS - performance.now();
    if (wait <= 0) wakeAll(room);
    else room.timer = setTimeout(wakeAll, wait, room);
  });

  const enter = (tenantId: string, wakeup: Wakeup): Room => {
    if (stopped)
      throw new AppError('unavailable', say`The service is shutting down.`, {
        extra: { retry_after: DRAINING_RETRY_SECONDS },
      });
    const room = rooms.get(tenantId) ?? newRoom();
    if (room.wakeups.size >= limits.perPractice)
      throw new AppError('rate_limited', say`The practice has too many live streams.`, {
        hint: say`At most ${limits.perPractice} at once: end one, or let several windows share one.`,
        extra: { retry_after: BUSY_RETRY_SECONDS },
      });
    if (streams >= limits.inAll)
      throw new AppError('unavailable', say`There are too many live streams.`, {
        hint: say`Read the pages of the same path until there is room, then open the stream from their \`last_event_id\`.`,
        extra: { retry_after: BUSY_RETRY_SECONDS },
      });
    rooms.set(tenantId, room);
    room.wakeups.add(wakeup);
    streams += 1;
    return room;
  };

  const leave = (tenantId: string, room: Room, wakeup: Wakeup): void => {
    if (!room.wakeups.delete(wakeup)) return;
    streams -= 1;
    wakeup.end();
    if (room.wakeups.size > 0) return;
    if (room.timer !== null) clearTimeout(room.timer);
    if (rooms.get(tenantId) === room) rooms.delete(tenantId);
  };

  const read = (room: Room, tenantId: string, filter: ActivityFilter, place: number): Promise<Batch> => {
    const key = JSON.stringify([room.wakes, place, filter]);
    const present = room.readings.get(key);
    if (present !== undefined) return present;
    const reading = files
      .read(tenantId, (db) => batchAfter(db, filter, place, practiceUrl(tenantId)))
      .finally(() => room.readings.delete(key));
    room.readings.set(key, reading);
    return reading;
  };

  async function* frames(room: Room, wakeup: Wakeup, wish: LiveWish, start: number, opening: string) {
    let { caller } = wish;
    let place = start;
    /** The place that the client knows. */
    let known = start;
    let isBehind = true;
    // A client that comes back after weeks, or looks for what never comes, reads much of the log: writers must not wait for it.
    const pace = createPace(wakeup.signal);
    let isCatchingUp = false;
    let beatAt = performance.now() + limits.beatMs;
    yield retryFrame(RETRY_MS) + opening;
    while (!wakeup.signal.aborted) {
      if (performance.now() >= beatAt) {
        caller = await wish.readmit();
        beatAt = performance.now() + limits.beatMs;
        yield known === place ? BEAT : placeFrame(place);
        known = place;
      }
      if (!isBehind) {
        isBehind = await wakeup.wait(beatAt - performance.now());
        continue;
      }
      const next = (): Promise<Batch> => read(room, wish.tenantId, wish.filterFor(caller), place);
      const batch: Batch = await (isCatchingUp ? pace(next) : next());
      if (wakeup.signal.aborted) return;
      ({ place, more: isBehind } = batch);
      isCatchingUp = isBehind;
      if (batch.text === '') continue;
      yield batch.text;
      known = place;
    }
  }

  return {
    open: async (wish) => {
      const { tenantId } = wish;
      const wakeup = createWakeup();
      const room = enter(tenantId, wakeup);
      try {
        const { place, opening } = await files.read(tenantId, (db) => beginning(db, wish.after));
        const source = frames(room, wakeup, wish, place, opening);
        const end = (): void => leave(tenantId, room, wakeup);
        // A stream that ends by itself has left already.
        const next = () =>
          source.next().catch((error) => {
            end();
            throw error;
          });
        const iterator: AsyncIterator<string> = {
          next,
          return: async () => {
            end();
            return source.return(undefined);
          },
        };
        return { [Symbol.asyncIterator]: () => iterator };
      } catch (error) {
        leave(tenantId, room, wakeup);
        throw error;
      }
    },
    count: () => streams,
    stop: () => {
      stopped = true;
      unwatch();
      for (const [tenantId, room] of rooms) for (const wakeup of room.wakeups) leave(tenantId, room, wakeup);
    },
  };
};
