// The connections of one upstream and the messages that wait for them.
//
// A message goes to an idle connection; else, below the limit, a new one is opened for it; else it rides behind the message that
// a busy connection is about to end. Nothing rides while another connection may be opened or is being opened for it, because
// behind a final dot the wait can be long. A connection that cannot be opened matters only when none works: then all messages
// that wait fail at once. Otherwise the others go on, and another try is made after a pause, because the server may limit how
// many it takes.
import { SECOND } from '#src/kernel/time.ts';
import type { Transcript } from '#src/relay/upstream.ts';
import { type Extensions, refuseLocally } from './commands.ts';
import type { ConnectResult, Failure, Link } from './connect.ts';
import { MAX_MESSAGES_PER_CONNECTION, type SmtpTimeouts } from './options.ts';
import { createSession, type Session } from './session.ts';
import { settle, type Transaction } from './transaction.ts';

export interface PoolOptions {
  readonly size: number;
  readonly rate: number | undefined;
  readonly requestDsn: boolean;
  readonly timeouts: SmtpTimeouts;
  readonly connect: (signal: AbortSignal) => Promise<ConnectResult>;
  readonly onOpened: (link: Link) => void;
  readonly onOpenFailed: (failure: Failure) => void;
}

interface PoolCounts {
  readonly connections: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface Pool {
  readonly add: (transaction: Transaction) => void;
  readonly counts: () => PoolCounts;
  readonly stop: () => Promise<void>;
}

const STOPPING: Failure = { result: 'broken', phase: 'connect', error: 'the service is stopping' };

// A rate of messages a second, kept as the time at which its bucket will be full again: no timer runs.

/** Share of a second's messages that may go at once after a pause: providers count by the second. */
const BURST_SHARE = 0.1;

interface TokenBucket {
  /** Whether one may go now; takes its token then. */
  take(now: number): boolean;
  /** Milliseconds until one may go. */
  wait(now: number): number;
}

export const createTokenBucket = (perSecond: number): TokenBucket => {
  const interval = SECOND / perSecond;
  const tolerance = (Math.max(1, perSecond * BURST_SHARE) - 1) * interval;
  let fullAt = Number.NEGATIVE_INFINITY;
  const wait = (now: number): number => Math.max(0, Math.ceil(fullAt - tolerance - now));
  return {
    wait,
    take: (now) => {
      if (now < fullAt - tolerance) return false;
      fullAt = Math.max(fullAt, now) + interval;
      return true;
    },
  };
};

export const createPool = (options: PoolOptions): Pool => {
  const { timeouts } = options;
  const waiting: Transaction[] = [];
  const sessions = new Set<Session>();
  /** The one used last is at the end and is used next, so that the others are closed after a while. */
  const idle: Session[] = [];
  const idleTimers = new Map<Session, NodeJS.Timeout>();
  const bucket = options.rate === undefined ? null : createTokenBucket(options.rate);
  const stopping = new AbortController();
  let connecting = 0;
  let openAgainAt = 0;
  let wakeTimer: NodeJS.Timeout | undefined;
  let stopped: Promise<void> | undefined;
  let onEmpty: (() => void) | undefined;

  const wakeIn = (milliseconds: number): void => {
    wakeTimer ??= setTimeout(() => {
      wakeTimer = undefined;
      pump();
    }, milliseconds);
  };
  const hasRoom = (): boolean => sessions.size + connecting < options.size;
  const mayOpen = (): boolean =>
    hasRoom() && (sessions.size + connecting === 0 || performance.now() >= openAgainAt);
  /** Each connection that is being opened takes one of those that wait. */
  const mayRide = (): boolean => waiting.length > connecting && !mayOpen();
  const isWorn = (session: Session): boolean => session.begun() >= MAX_MESSAGES_PER_CONNECTION;

  /** The next message that may go to a server with these extensions, or null. */
  const take = (extensions: Extensions): Transaction | null => {
    for (;;) {
      const next = waiting[0];
      if (next === undefined) return null;
      const refusal = refuseLocally(next.envelope, next.message.length, extensions);
      if (refusal === null) break;
      waiting.shift();
      settle(next, { result: 'refused', ...refusal });
    }
    if (bucket !== null && !bucket.take(performance.now())) {
      wakeIn(bucket.wait(performance.now()));
      return null;
    }
    return waiting.shift() ?? null;
  };

  const takeIdle = (session: Session): void => {
    clearTimeout(idleTimers.get(session));
    idleTimers.delete(session);
    const position = idle.lastIndexOf(session);
    if (position >= 0) idle.splice(position, 1);
  };

  const feedIdle = (): void => {
    for (let session = idle.at(-1); session !== undefined && waiting.length > 0; session = idle.at(-1)) {
      const next = take(session.extensions);
      if (next === null) return;
      takeIdle(session);
      session.begin(next);
    }
  };
  const openMore = (): void => {
    // One for each message that waits, less those for which a connection is being opened.
    while (connecting < waiting.length && mayOpen()) open();
    const pause = openAgainAt - performance.now();
    if (waiting.length > 0 && hasRoom() && pause > 0) wakeIn(pause);
  };
  const feedBusy = (): void => {
    for (const session of sessions) {
      if (!mayRide()) return;
      if (!session.canRide() || isWorn(session)) continue;
      const next = take(session.extensions);
      if (next === null) return;
      session.begin(next);
    }
  };
  const pump = (): void => {
    if (waiting.length > 0) feedIdle();
    if (waiting.length > 0 && idle.length === 0) openMore();
    if (idle.length === 0) feedBusy();
  };

  const retire = (session: Session): void => {
    takeIdle(session);
    session.quit();
  };
  const release = (session: Session) => {
    if (stopping.signal.aborted || isWorn(session)) return retire(session);
    idle.push(session);
    pump();
    if (session.isBusy() || !idle.includes(session)) return;
    const timer = setTimeout(() => retire(session), timeouts.idle);
    timer.unref();
    idleTimers.set(session, timer);
  };

  const giveBack = (transaction: Transaction, transcript: Transcript) => {
    if (transaction.retried || stopping.signal.aborted) return settle(transaction, transcript);
    transaction.retried = true;
    waiting.unshift(transaction);
    // The other idle connections are as old, and the server has probably closed them too.
    for (const session of [...idle]) retire(session);
    pump();
  };

  const forget = (session: Session): void => {
    takeIdle(session);
    sessions.delete(session);
    if (sessions.size + connecting === 0) onEmpty?.();
    pump();
  };

  const enlist = (link: Link): void => {
    const session: Session = createSession(link, {
      timeouts,
      requestDsn: options.requestDsn,
      takeNext: () => (mayRide() && idle.length === 0 && !isWorn(session) ? take(session.extensions) : null),
      giveBack,
      onFree: () => release(session),
      onClosed: () => forget(session),
    });
    sessions.add(session);
    options.onOpened(link);
    release(session);
  };

  const fail = (failure: Failure) => {
    if (sessions.size + connecting > 0) {
      openAgainAt = performance.now() + timeouts.reopen;
      return pump();
    }
    for (const transaction of waiting.splice(0)) settle(transaction, failure);
    onEmpty?.();
  };

  const open = (): void => {
    connecting += 1;
    options.connect(stopping.signal).then((result) => {
      connecting -= 1;
      if ('link' in result) return enlist(result.link);
      options.onOpenFailed(result.failure);
      fail(result.failure);
    });
  };

  const stop = async (): Promise<void> => {
    stopping.abort();
    clearTimeout(wakeTimer);
    for (const transaction of waiting.splice(0)) settle(transaction, STOPPING);
    for (const session of [...idle]) retire(session);
    if (sessions.size + connecting === 0) return;
    const empty = new Promise<void>((resolve) => {
      onEmpty = resolve;
    });
    const timer = setTimeout(() => {
      for (const session of sessions) session.destroy('the service is stopping');
    }, timeouts.stop);
    await empty;
    clearTimeout(timer);
  };

  return {
    add: (transaction) => {
      if (stopping.signal.aborted) return settle(transaction, STOPPING);
      waiting.push(transaction);
      pump();
    },
    counts: () => {
      let busy = 0;
      for (const session of sessions) if (session.isBusy()) busy += 1;
      return { connections: sessions.size, busy, waiting: waiting.length };
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
};
