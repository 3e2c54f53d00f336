// Greylisting (RFC 6647): the first mail from an unknown network is asked to come again later, because a server keeps a queue and
// much of what sends spam does not. It is decided in memory; what changed is stored every few seconds, in one transaction, so that a
// process that dies loses the mails of these seconds, which come once more. No connection waits for it.
import { hash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { withoutHost } from '#src/kernel/ip-networks.ts';
import type { Log } from '#src/kernel/log.ts';
import { clientKey } from '#src/kernel/rate-limit.ts';
import { type Clock, DAY, SECOND } from '#src/kernel/time.ts';

/** A server that comes later than this tries something else. */
const COMES_BACK_WITHIN = 2 * DAY;
/** Since its last mail; a little more than a monthly newsletter needs. */
const KNOWN_FOR = 36 * DAY;
/** Some 10 MB each of the waiting and the known. */
const MAX_KEPT = 50_000;
/** Mails of one block that wait: more of them take the place of its own, and of no others. */
const MAX_WAITING = 300;

/** Where it is kept between two processes. */
export interface GreylistStorage {
  /** The oldest first. Without those seen before these times, which are removed. */
  readonly load: (waitingFrom: number, knownFrom: number) => readonly GreylistRow[];
  /** A row of which there is no time is removed. */
  readonly save: (rows: readonly GreylistChange[]) => Promise<void>;
}

export interface GreylistRow {
  /** The network of a client that is known, or the digest of a mail that waits. */
  readonly name: string;
  /** Whose place the waiting mail takes; null: the client is known. */
  readonly block: string | null;
  /** ms since the epoch */
  readonly seen_at: number;
}
export interface GreylistChange extends Omit<GreylistRow, 'seen_at'> {
  readonly seen_at: number | null;
}

const SAVE_MS = 5 * SECOND;
/** So many rows share a transaction of some milliseconds. The others follow in the next. */
const SAVED_AT_ONCE = 2_000;
/** Where more change than can be stored, the oldest changes are forgotten: their mails wait once more after a crash. */
const MAX_UNSAVED = 2 * MAX_KEPT;

export interface Greylist {
  /** Stores what has changed; resolves once that is durable. */
  readonly stop: () => Promise<void>;
  /** Whether mail of the client may come now. */
  readonly passes: (clientAddress: string, mailFrom: string, recipient: string) => boolean;
}

const oldest = (kept: Map<string, unknown>): string => kept.keys().next().value ?? '';

/** The /24 of an IPv4 address, the /64 of an IPv6 one: large senders try again from a neighbour. */
const networkOf = (address: string): string =>
  isIPv4(address) ? (withoutHost(address) ?? address) : clientKey(address);

/** What one client may have of networks: the /48 of an IPv6 address (RFC 6177). */
const blockOf = (network: string): string => network.split(':', 3).join(':');

export interface GreylistOptions {
  /** ms until a mail may come again. */
  readonly wait: number;
  readonly clock: Clock;
  readonly storage: GreylistStorage;
  readonly log: Pick<Log, 'warn'>;
  readonly saveMs?: number;
}

export const createGreylist = ({
  wait,
  clock,
  storage,
  log,
  saveMs = SAVE_MS,
}: GreylistOptions): Greylist => {
  /** When each mail came, by the block of its client. The block whose last new mail is the oldest comes first. */
  const waiting = new Map<string, Map<string, number>>();
  let count = 0;
  const known = new Map<string, number>();

  /** What is not stored yet, by name. */
  const changed = new Map<string, GreylistChange>();
  let timer: NodeJS.Timeout | null = null;
  let saving: Promise<void> = Promise.resolve();

  const save = async (): Promise<void> => {
    const rows = [...changed.values().take(SAVED_AT_ONCE)];
    if (rows.length === 0) return;
    for (const { name } of rows) changed.delete(name);
    try {
      await storage.save(rows);
    } catch (error) {
      // The rows wait for the next try: a name that has changed since then keeps what is newer.
      for (const row of rows) if (!changed.has(row.name)) changed.set(row.name, row);
      log.warn({ err: error }, 'the greylist could not be stored');
    }
  };
  const saveLater = (): void => {
    timer ??= setTimeout(() => {
      saving = save().then(() => {
        timer = null;
        if (changed.size > 0) saveLater();
      });
    }, saveMs).unref();
  };
  const note = (name: string, block: string | null, seen_at: number | null): void => {
    changed.delete(name);
    changed.set(name, { name, block, seen_at });
    if (changed.size > MAX_UNSAVED) changed.delete(oldest(changed));
    saveLater();
  };

  const take = (block: string): Map<string, number> => {
    const own = waiting.get(block) ?? new Map<string, number>();
    waiting.delete(block);
    count -= own.size;
    return own;
  };
  const keep = (block: string, key: string, now: number): void => {
    const own = take(block);
    own.delete(key);
    if (own.size >= MAX_WAITING) {
      const first = oldest(own);
      own.delete(first);
      note(first, block, null);
    }
    own.set(key, now);
    while (count + own.size > MAX_KEPT) {
      const other = oldest(waiting);
      for (const name of take(other).keys()) note(name, other, null);
    }
    waiting.set(block, own);
    count += own.size;
  };
  const forget = (block: string, key: string): void => {
    const own = waiting.get(block);
    if (own?.delete(key)) {
      count -= 1;
      note(key, block, null);
    }
    if (own?.size === 0) waiting.delete(block);
  };
  const know = (network: string, now: number): void => {
    known.delete(network);
    if (known.size >= MAX_KEPT) {
      const first = oldest(known);
      known.delete(first);
      note(first, null, null);
    }
    known.set(network, now);
  };

  const begin = clock.now();
  for (const { name, block, seen_at } of storage.load(begin - COMES_BACK_WITHIN, begin - KNOWN_FOR))
    if (block === null) know(name, seen_at);
    else keep(block, name, seen_at);

  return {
    passes: (clientAddress, mailFrom, recipient) => {
      const now = clock.now();
      const network = networkOf(clientAddress);
      const block = blockOf(network);
      const key = hash('sha256', `${network}\n${mailFrom.toLowerCase()}\n${recipient.toLowerCase()}`);
      const isKnown = now - (known.get(network) ?? Number.NEGATIVE_INFINITY) <= KNOWN_FOR;
      const firstSeen = waiting.get(block)?.get(key);
      const waited = now - (firstSeen ?? now);
      if (isKnown || (waited >= wait && waited <= COMES_BACK_WITHIN)) {
        forget(block, key);
        know(network, now);
        note(network, null, now);
        return true;
      }
      if (firstSeen === undefined || waited > COMES_BACK_WITHIN) {
        keep(block, key, now);
        note(key, block, now);
      }
      return false;
    },
    stop: async () => {
      if (timer !== null) clearTimeout(timer);
      await saving;
      while (changed.size > 0) {
        const left = changed.size;
        await save();
        if (changed.size >= left) return;
      }
      if (timer !== null) clearTimeout(timer);
    },
  };
};
