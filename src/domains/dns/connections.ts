// Which TCP connections are held. They are few, all and per client, and a new one is always let in: the one makes room
// that was silent longest, of that client or of all (RFC 7766 §6.2.3 leaves servers free to close idle ones), so that
// holding connections keeps nobody out.
import type { Duplex } from 'node:stream';

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
