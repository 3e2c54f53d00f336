// How many bytes that clients send are held at once, by all of them together and by each: request bodies, messages over
// SMTP. Small ones take room as they arrive. Large ones reserve room for the whole before they are read, in the order in
// which they came: if each got room for a part, none of them might ever be whole.
import { SECOND } from './time.ts';

/** One owner's share of the bytes held: a slow sender shuts out itself, not the other practices. Two of the largest bodies fit. */
const OWNER_SHARE = 0.4;
/** Ten of the largest bodies are stored within it; after that the client had better come again. */
const PATIENCE_MS = 30 * SECOND;
/** Each is an open connection that is not read from. */
const MAX_WAITING = 200;

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
}

interface Waiter {
  readonly owner: string;
  readonly bytes: number;
  readonly end: (isTaken: boolean) => void;
}

export const createByteBudget = (limitBytes: number, patienceMs: number = PATIENCE_MS): ByteBudget => {
  const ownLimit = limitBytes * OWNER_SHARE;
  let held = 0;
  const heldBy = new Map<string, number>();
  const waiting = new Set<Waiter>();

  const take = (owner: string, bytes: number): boolean => {
    const own = (heldBy.get(owner) ?? 0) + bytes;
    if (held + bytes > limitBytes || own > ownLimit) return false;
    held += bytes;
    heldBy.set(owner, own);
    return true;
  };

  /** A waiter for the common room is not overtaken; a waiter for its owner's share does not hold up the others. */
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

  return {
    take,
    reserve,
    release(owner, bytes) {
      held -= bytes;
      const own = (heldBy.get(owner) ?? 0) - bytes;
      if (own > 0) heldBy.set(owner, own);
      else heldBy.delete(owner);
      serve();
    },
  };
};
