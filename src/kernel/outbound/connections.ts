// Connections to receivers. They are kept for a moment, because a TLS handshake costs both sides more than the request; each owner
// has its own, so that no owner sees or exhausts another's. Every new one goes to addresses that were judged just before, and is
// checked again before its first byte. A connection lives for a minute at most, so that a name that points elsewhere is noticed by
// then.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, getCACertificates } from 'node:tls';
import { inEnglish } from '#src/kernel/say.ts';
import { MINUTE, SECOND } from '../time.ts';
import { type CheckedLookup, INTERNAL, OutboundFailure, type Target } from './target.ts';

/** Receivers commonly close after 5 s, and the requests of a burst follow each other sooner. */
const IDLE_MS = 5 * SECOND;
const LIFETIME_MS = MINUTE;
/** Per owner and origin: as many as are used at a time. */
const MAX_IDLE_EACH = 4;
/** The connections of all owners, in use or not. Above this number none is kept, so that descriptors are left for files. */
const MAX_OPEN_TO_KEEP = 512;

/** Node's quarter of a second gives up hosts on the other side of the world that have several addresses. */
const NEXT_ADDRESS_MS = SECOND;

export interface Connections {
  /** The agent serves one exchange of `owner` and is given back by `release`. */
  take(owner: string, isSecure: boolean): HttpAgent;
  release(owner: string): void;
  /** A connection without an owner, which is not kept. */
  fresh(isSecure: boolean): HttpAgent;
  /** What a request to `target` is made with. */
  optionsFor(target: Target): { readonly lookup: LookupFunction; readonly servername: string };
  readonly open: number;
  destroy(): void;
}

interface Pool {
  readonly agents: { secure?: HttpAgent; plain?: HttpAgent };
  /** Exchanges in flight and open connections; the pool is removed when there are none. */
  users: number;
}

type Connect = (...args: Parameters<HttpAgent['createConnection']>) => Duplex | null | undefined;

export const createConnections = (ca: string | undefined, checked: CheckedLookup): Connections => {
  const pools = new Map<string, Pool>();
  const sockets = new Map<Socket, number>();
  // One for all: reading the authorities costs milliseconds.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
  });

  const leave = (owner: string): void => {
    const pool = pools.get(owner);
    if (pool === undefined) return;
    pool.users -= 1;
    if (pool.users === 0) pools.delete(owner);
  };

  /** Checks the address before the first byte of TLS and of a request, because this listener is the first one. */
  const checkAgain = (socket: Socket): void => {
    socket.prependOnceListener('connect', () => {
      if (checked.kindOf(socket.remoteAddress ?? '') === 'internal')
        socket.destroy(new OutboundFailure(`the URL ${inEnglish(INTERNAL.message)}`));
    });
  };

  const createAgent = (isSecure: boolean, keepAlive: boolean, pool: string | null): HttpAgent => {
    const options = {
      keepAlive,
      timeout: IDLE_MS,
      maxFreeSockets: MAX_IDLE_EACH,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    };
    const agent = isSecure
      ? new HttpsAgent({ ...options, secureContext, rejectUnauthorized: true, maxCachedSessions: 0 })
      : new HttpAgent(options);
    const connect: Connect = agent.createConnection.bind(agent);
    agent.createConnection = (...args) => {
      const socket = connect(...args) as Socket;
      checkAgain(socket);
      sockets.set(socket, performance.now());
      const users = pool === null ? undefined : pools.get(pool);
      if (users) users.users += 1;
      socket.once('close', () => {
        sockets.delete(socket);
        if (users && pool !== null) leave(pool);
      });
      return socket;
    };
    const keep = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => {
      const since = sockets.get(socket as Socket) ?? Number.NEGATIVE_INFINITY;
      if (sockets.size > MAX_OPEN_TO_KEEP || performance.now() - since > LIFETIME_MS) return false;
      // Its declaration has no result, but it says whether the connection is kept (the receiver's Keep-Alive is respected).
      return keep(socket) as unknown as boolean;
    };
    return agent;
  };

  const single = { secure: createAgent(true, false, null), plain: createAgent(false, false, null) };

  const lookupFor =
    (target: Target): LookupFunction =>
    (_name, { all }, callback) => {
      checked.addressesOf(target).then(
        (addresses) => {
          const list = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
          const [first] = list;
          if (all) callback(null, list);
          else callback(null, first?.address ?? '', first?.family);
        },
        (error: Error) => callback(error, []),
      );
    };

  return {
    take: (owner, isSecure) => {
      const pool = pools.get(owner) ?? { agents: {}, users: 0 };
      pools.set(owner, pool);
      pool.users += 1;
      const kind = isSecure ? 'secure' : 'plain';
      pool.agents[kind] ??= createAgent(isSecure, true, owner);
      return pool.agents[kind];
    },
    release: leave,
    fresh: (isSecure) => (isSecure ? single.secure : single.plain),
    // No name is sent for an address (RFC 6066 §3); the certificate is compared with it all the same.
    optionsFor: (target) => ({ lookup: lookupFor(target), servername: target.isAddress ? '' : target.host }),
    get open() {
      return sockets.size;
    },
    destroy: () => {
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
};
