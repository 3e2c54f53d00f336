// One client's TCP connection (RFC 1035 §4.2.2, RFC 7766): several queries after one another or at once, each behind
// its length. What has come and cannot be answered yet stays in the socket: no more is read while answers wait to be
// taken, and a client that sends nothing whole for a while, or too much at once, is cut off.

import type { Duplex } from 'node:stream';
import { MAX_QUERY_OCTETS } from './wire.ts';

const LENGTH_OCTETS = 2;

/** `respond` gives the answer without its length, or null to hang up. It must not throw. */
export const serveConnection = (
  socket: Duplex,
  idleMs: number,
  respond: (query: Buffer) => Buffer | null,
): void => {
  let pending: Buffer = Buffer.alloc(0);
  let ended = false;
  // Restarted by whole queries only, so that one octet now and then does not hold a connection.
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

// Which TCP connections are held. They are few, all and per client, and a new one is always let in: the one makes room
// that was silent longest, of that client or of all (RFC 7766 §6.2.3 leaves servers free to close idle ones), so that
// holding connections keeps nobody out.

export interface ConnectionLimits {
  readonly all: number;
  readonly perClient: number;
}

export interface Connections {
  /** Cuts another one where there are too many. */
  admit(connection: Duplex, client: string): void;
  /** It has just asked something whole. */
  touch(connection: Duplex): void;
  size(): number;
  cutAll(): void;
}

export const createConnections = ({ all, perClient }: ConnectionLimits): Connections => {
  // With the client of each; in the order in which they last asked: a Map keeps the order of insertion.
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
