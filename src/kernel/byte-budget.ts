// How many bytes that clients send are held at once, by all of them together and by each: request bodies, messages over
// SMTP. Small ones take room as they arrive. Large ones reserve room for the whole before they are read, in the order in
// which they came: if each got room for a part, none of them might ever be whole. What comes too slowly while others wait for
// its room gives way.
import { SECOND } from './time.ts';

/** One owner's share of the bytes held: a slow sender shuts out itself, not the other practices. */
const OWNER_SHARE = 0.4;
/** Twenty of the largest bodies are stored within it on an idle machine; after that the client had better come again. */
const PATIENCE_MS = 30 * SECOND;
/** Each is an open connection that is not read from. */
const MAX_WAITING = 200;
/** Nearly 1 Mbit/s, the slowest line that brings the largest body in the time that a request has. */
const SLOW_BYTES = 1_048_576;
const SLOW_WITHIN_MS = 10 * SECOND;

/** The bytes held at once. */
export interface ByteBudget {
  /** False, and nothing taken, where it does not fit, or one `owner` would hold more than its share. */
  take(owner: string, bytes: number): boolean;
  /**
   * Takes as soon as there is room, and calls `taken` in that moment. Resolves with false, and nothing taken, where none
   * came in time, too many wait, it never fits, or `gone` is aborted.
   */
  reserve(owner: string, bytes: number, gone: AbortSignal, taken: () => void): Promise<boolean>;
  release(owner: string, bytes: number): void;
  /**
   * Calls `giveWay` once less than 1 MiB came within 10 s while others wait for the room that `owner` holds. `received`: bytes so
   * far. Returns the function that ends the watch.
   */
  watch(owner: string, received: () => number, giveWay: () => void): () => void;
}

interface Waiter {
  readonly owner: string;
  readonly bytes: number;
  readonly end: (isTaken: boolean) => void;
}

/**
 * The bound for messages that are received and stored, over HTTP and submission together, counted as they come. Each takes
 * about three times as much while it is read, decoded and stored: its text, its values, its attachments.
 */
const MESSAGE_BYTES = 96 * 1_024 * 1_024;
/** The largest body just fits. */
const MESSAGE_SHARE = 0.5;

export const createMessageBudget = (): ByteBudget =>
  createByteBudget(MESSAGE_BYTES, PATIENCE_MS, MESSAGE_SHARE);

export const createByteBudget = (
  limitBytes: number,
  patienceMs: number = PATIENCE_MS,
  ownerShare: number = OWNER_SHARE,
): ByteBudget => {
  const ownLimit = limitBytes * ownerShare;
  let held = 0;
  const heldBy = new Map<string, number>();
  const waiting = new Set<Waiter>();
  /** When there was no common room for something small, which does not wait. */
  let refusedAt = Number.NEGATIVE_INFINITY;

  const take = (owner: string, bytes: number): boolean => {
    const own = (heldBy.get(owner) ?? 0) + bytes;
    if (own > ownLimit) return false;
    if (held + bytes > limitBytes) {
      refusedAt = performance.now();
      return false;
    }
    held += bytes;
    heldBy.set(owner, own);
    return true;
  };

  /** No one goes before a waiter for the common room; a waiter for its owner's share does not hold up the others. */
  const serve = (): void => {
    for (const waiter of waiting) {
      if (held + waiter.bytes > limitBytes) return;
      if (take(waiter.owner, waiter.bytes)) waiter.end(true);
    }
  };

  const reserve: ByteBudget['reserve'] = (owner, bytes, gone, taken) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    if (bytes > ownLimit || waiting.size >= MAX_WAITING || gone.aborted) return Promise.resolve(false);
    const giveUp = (): void => waiter.end(false);
    const patience = setTimeout(giveUp, patienceMs);
    const waiter: Waiter = {
      owner,
      bytes,
      end: (isTaken) => {
        waiting.delete(waiter);
        clearTimeout(patience);
        gone.removeEventListener('abort', giveUp);
        if (isTaken) taken();
        resolve(isTaken);
        // The waiters behind this one may fit now.
        if (!isTaken) serve();
      },
    };
    gone.addEventListener('abort', giveUp);
    waiting.add(waiter);
    serve();
    return promise;
  };

  /** Who waits for its own share is helped by its own room alone. */
  const isWanted = (owner: string): boolean =>
    performance.now() - refusedAt < SLOW_WITHIN_MS ||
    [...waiting].some((waiter) => waiter.owner === owner || held + waiter.bytes > limitBytes);

  const watch: ByteBudget['watch'] = (owner, received, giveWay) => {
    let before = received();
    const look = setInterval(() => {
      const isSlow = received() - before < SLOW_BYTES;
      before = received();
      if (isSlow && isWanted(owner)) giveWay();
    }, SLOW_WITHIN_MS).unref();
    return () => clearInterval(look);
  };

  return {
    take,
    reserve,
    watch,
    release(owner, bytes) {
      held -= bytes;
      const own = (heldBy.get(owner) ?? 0) - bytes;
      if (own > 0) heldBy.set(owner, own);
      else heldBy.delete(owner);
      serve();
    },
  };
};
