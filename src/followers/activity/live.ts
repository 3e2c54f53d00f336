// The activity of practices as it happens. A stream stands at a place in the log and tells what comes after it, out of the
// file and nothing else: it is woken when something has been written there, and reads what is on the disk by then. So nothing
// is told that a crash could undo, and whoever comes back with the place of the last event misses none and gets none twice.
//
// It holds no file open and at most one portion in memory: the next one is read when the client has taken the one before.
// Streams at the same place that ask for the same, as many windows of one practice do, share what is read for them.

import { followStore } from '#src/events/follow-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createPace } from '#src/kernel/pace.ts';
import { SECOND } from '#src/kernel/time.ts';
import { type Bell, createBell } from './bell.ts';
import { BEAT, eventFrame, gapFrame, placeFrame, retryFrame } from './present.ts';
import { type ActivityFilter, activityStore } from './store.ts';

export interface LiveLimits {
  readonly perPractice: number;
  readonly inAll: number;
  /** How often a stream says that it is there, and whose it is is asked again. ms. */
  readonly beatMs: number;
}

export interface LiveWish {
  readonly tenantId: string;
  readonly caller: Caller;
  /** See RequestContext.readmit. */
  readonly readmit: () => Promise<Caller>;
  /** After which place to begin; null: the end of the log. */
  readonly after: number | null;
  /** What is wanted, of what the caller may see as they are by then. */
  readonly filterFor: (caller: Caller) => ActivityFilter;
}

export interface Live {
  /**
   * The frames of a stream; whoever has one ends it by `return()`. Rejects with `rate_limited` and `unavailable` where there
   * are too many.
   */
  open(wish: LiveWish): Promise<AsyncIterable<string>>;
  /** How many there are. */
  count(): number;
  /** Ends all; new ones are refused. */
  stop(): void;
}

/** Windows that the people of a practice have open, and some programs. All together are far fewer than the door's connections. */
export const usualLimits: LiveLimits = { perPractice: 20, inAll: 1_000, beatMs: 15 * SECOND };
/** What is written within it is told together: at a thousand mails a second each reading tells of hundreds of events. */
const GATHER_MS = 50;
/** What a stream holds: events of some hundred bytes, a few KiB where much metadata was given. */
const PORTION_ROWS = 200;
const PORTION_CHARACTERS = 64 * 1024;
/** Numbers that one reading spans, where few of them are wanted. */
const PORTION_SPAN = 4_096;
const RETRY_MS = 3 * SECOND;
const BUSY_RETRY_SECONDS = 30;
const DRAINING_RETRY_SECONDS = 5;

interface Portion {
  readonly text: string;
  /** The place after it. */
  readonly place: number;
  /** Whether the log goes on. */
  readonly more: boolean;
}

/** The streams of one practice. */
interface Room {
  readonly bells: Set<Bell>;
  /** Under way, by what is asked for. */
  readonly readings: Map<string, Promise<Portion>>;
  /** How often it has been rung: a reading begun before may miss what that was about. */
  rings: number;
  rungAt: number;
  timer: NodeJS.Timeout | null;
}

const portionAfter = (db: TenantDb, filter: ActivityFilter, after: number): Portion => {
  const end = followStore(db).last();
  const before = Math.min(end, after + PORTION_SPAN) + 1;
  const rows = activityStore(db).inOrder(filter, { from: after + 1, before, limit: PORTION_ROWS });
  let text = '';
  for (const row of rows) {
    text += eventFrame(row);
    if (text.length >= PORTION_CHARACTERS) return { text, place: row.seq, more: row.seq < end };
  }
  const place = rows.length === PORTION_ROWS ? (rows.at(-1)?.seq ?? after) : Math.max(before - 1, after);
  return { text, place, more: place < end };
};

/** Where a stream begins, and what it says first. */
const beginning = (db: TenantDb, after: number | null): { place: number; opening: string } => {
  const end = followStore(db).last();
  if (after === null) return { place: end, opening: placeFrame(end) };
  if (after > end) return { place: end, opening: gapFrame('restored') + placeFrame(end) };
  const before = (activityStore(db).oldest() ?? end + 1) - 1;
  return after < before ? { place: before, opening: gapFrame('removed') } : { place: after, opening: '' };
};

const newRoom = (): Room => ({ bells: new Set(), readings: new Map(), rings: 0, rungAt: 0, timer: null });

export const createLive = (
  files: Pick<TenantFiles, 'read' | 'watch'>,
  limits: LiveLimits = usualLimits,
): Live => {
  const rooms = new Map<string, Room>();
  let streams = 0;
  let stopped = false;

  const ring = (room: Room): void => {
    room.timer = null;
    room.rungAt = performance.now();
    room.rings += 1;
    for (const bell of room.bells) bell.ring();
  };

  const unwatch = files.watch((tenantId) => {
    const room = rooms.get(tenantId);
    if (room === undefined || room.timer !== null) return;
    const wait = room.rungAt + GATHER_MS - performance.now();
    if (wait <= 0) ring(room);
    else room.timer = setTimeout(ring, wait, room);
  });

  const enter = (tenantId: string, bell: Bell): Room => {
    if (stopped)
      throw new AppError('unavailable', 'The service is shutting down.', {
        extra: { retry_after: DRAINING_RETRY_SECONDS },
      });
    const room = rooms.get(tenantId) ?? newRoom();
    if (room.bells.size >= limits.perPractice)
      throw new AppError('rate_limited', 'The practice has too many live streams.', {
        hint: `At most ${limits.perPractice} at once: end one, or let several windows share one.`,
        extra: { retry_after: BUSY_RETRY_SECONDS },
      });
    if (streams >= limits.inAll)
      throw new AppError('unavailable', 'There are too many live streams.', {
        hint: 'Read the pages of the same path until there is room, then open the stream from their `last_event_id`.',
        extra: { retry_after: BUSY_RETRY_SECONDS },
      });
    rooms.set(tenantId, room);
    room.bells.add(bell);
    streams += 1;
    return room;
  };

  const leave = (tenantId: string, room: Room, bell: Bell): void => {
    if (!room.bells.delete(bell)) return;
    streams -= 1;
    bell.end();
    if (room.bells.size > 0) return;
    if (room.timer !== null) clearTimeout(room.timer);
    if (rooms.get(tenantId) === room) rooms.delete(tenantId);
  };

  const read = (room: Room, tenantId: string, filter: ActivityFilter, place: number): Promise<Portion> => {
    const key = JSON.stringify([room.rings, place, filter]);
    const underWay = room.readings.get(key);
    if (underWay !== undefined) return underWay;
    const reading = files
      .read(tenantId, (db) => portionAfter(db, filter, place))
      .finally(() => room.readings.delete(key));
    room.readings.set(key, reading);
    return reading;
  };

  async function* frames(room: Room, bell: Bell, wish: LiveWish, start: number, opening: string) {
    let { caller } = wish;
    let place = start;
    /** The place that the client knows. */
    let known = start;
    let isBehind = true;
    // Who comes back after weeks, or looks for what never comes, reads much of the log: not at the cost of those who write it.
    const pace = createPace(bell.signal);
    let isCatchingUp = false;
    let beatAt = performance.now() + limits.beatMs;
    yield retryFrame(RETRY_MS) + opening;
    while (!bell.signal.aborted) {
      if (performance.now() >= beatAt) {
        caller = await wish.readmit();
        beatAt = performance.now() + limits.beatMs;
        yield known === place ? BEAT : placeFrame(place);
        known = place;
      }
      if (!isBehind) {
        isBehind = await bell.wait(beatAt - performance.now());
        continue;
      }
      const next = (): Promise<Portion> => read(room, wish.tenantId, wish.filterFor(caller), place);
      const portion: Portion = await (isCatchingUp ? pace(next) : next());
      if (bell.signal.aborted) return;
      ({ place, more: isBehind } = portion);
      isCatchingUp = isBehind;
      if (portion.text === '') continue;
      yield portion.text;
      known = place;
    }
  }

  return {
    open: async (wish) => {
      const { tenantId } = wish;
      const bell = createBell();
      const room = enter(tenantId, bell);
      try {
        const { place, opening } = await files.read(tenantId, (db) => beginning(db, wish.after));
        const source = frames(room, bell, wish, place, opening);
        const end = (): void => leave(tenantId, room, bell);
        // Where it ends by itself it has left already.
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
        leave(tenantId, room, bell);
        throw error;
      }
    },
    count: () => streams,
    stop: () => {
      stopped = true;
      unwatch();
      for (const [tenantId, room] of rooms) for (const bell of room.bells) leave(tenantId, room, bell);
    },
  };
};
