// DNS by TCP (RFC 1035 §4.2.2, RFC 7766). A client may send several queries on a connection, each behind its length. No
// more is read while answers wait to be taken, and a client that sends no whole query for a while, or too long a one,
// is cut off. Connections are bounded in all and per client; a new one is always admitted, and the one that was silent
// longest is cut for it (RFC 7766 §6.2.3), so that holding connections keeps no one out.

import type { Duplex } from 'node:stream';
import { MAX_QUERY_OCTETS } from './wire.ts';

const LENGTH_OCTETS = 2;

/** `respond` returns the answer without its length, or null to close the connection. It must not throw. */
export const serveConnection = (
  socket: Duplex,
  idleMs: number,
  respond: (query: Buffer) => Buffer | null,
): void => {
  let pending: Buffer = Buffer.alloc(0);
  let ended = false;
  // Only whole queries restart the timer, so that single octets do not hold a connection.
  const idle = setTimeout(() => socket.destroy(), idleMs);

  const answerPending = (): void => {
    while (pending.length >= LENGTH_OCTETS) {
      const length = pending.readUInt16BE(0);
      if (length > MAX_QUERY_OCTETS) return void socket.destroy();
      if (pending.length < LENGTH_OCTETS + length) break;
      const response = respond(pending.subarray(LENGTH_OCTETS, LENGTH_OCTETS + length));
      if (!response) return void socket.destroy();
      pending = pending.subarray(LENGTH_OCTETS + length);
      idle.refresh();
      const prefix = Buffer.alloc(LENGTH_OCTETS);
      prefix.writeUInt16BE(response.length);
      if (!socket.write(Buffer.concat([prefix, response]))) return void socket.pause();
    }
    if (ended) socket.end();
  };

  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    if (!socket.writableNeedDrain) answerPending();
  });
  socket.on('drain', () => {
    socket.resume();
    answerPending();
  });
  socket.on('end', () => {
    ended = true;
    if (!socket.writableNeedDrain) answerPending();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => clearTimeout(idle));
};

export interface ConnectionLimits {
  readonly all: number;
  readonly perClient: number;
}

export interface Connections {
  /** Cuts another connection if there are too many. */
  admit(connection: Duplex, client: string): void;
  /** Notes that the connection has just sent a whole query. */
  touch(connection: Duplex): void;
  size(): number;
  cutAll(): void;
}

export const createConnections = ({ all, perClient }: ConnectionLimits): Connections => {
  // Each connection with its client, in the order of their last queries: a Map keeps the order of insertion.
  const held = new Map<Duplex, string>();

  const cut = (connection: Duplex): void => {
    held.delete(connection);
    connection.destroy();
  };
  const ofClient = (client: string): Duplex[] =>
    [...held].filter(([, owner]) => owner === client).map(([connection]) => connection);

  const admit = (connection: Duplex, client: string): void => {
    const own = ofClient(client);
    const [silentest] = own.length >= perClient ? own : held.size >= all ? held.keys() : [];
    if (silentest) cut(silentest);
    held.set(connection, client);
    connection.on('close', () => held.delete(connection));
  };

  const touch = (connection: Duplex): void => {
    const client = held.get(connection);
    if (client === undefined) return;
    held.delete(connection);
    held.set(connection, client);
  };

  return { admit, touch, size: () => held.size, cutAll: () => [...held.keys()].forEach(cut) };
};
