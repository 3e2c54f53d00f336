// The authoritative DNS listener: UDP and TCP on one port (RFC 1035 §4.2, RFC 7766). No packet makes it throw: a packet
// without header, or one that is a response, is dropped; one that cannot be read further gets FORMERR; a failing
// look-up gives SERVFAIL. With a wildcard as host, answers leave from the address that the system chooses: on a machine
// with several, name one.
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type Server, type Socket } from 'node:net';
import type { Zones } from '#src/domains/zones/zone.ts';
import type { Log } from '#src/kernel/log.ts';
import { clientKey } from '#src/kernel/rate-limit.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { answerQuery, bare, type Query, type Response, rcodes, truncate } from './answer.ts';
import { createRateLimit, networkOf, plainAddress, type RateLimitOptions } from './rate-limit.ts';
import { type ConnectionLimits, createConnections, serveConnection } from './tcp.ts';
import { decodeQuery, encodeResponse, MAX_TCP_OCTETS, udpLimit } from './wire.ts';

/** How long a TCP client may send nothing (RFC 7766 §6.2.3: seconds). */
const TCP_IDLE_MS = 10 * SECOND;
/** A resolver has one or two connections (RFC 7766 §6.2.2); several resolvers may share an address. */
const CONNECTIONS: ConnectionLimits = { all: 100, perClient: 10 };
/** Connections that were cut count until they are closed. */
const MAX_SOCKETS = 2 * CONNECTIONS.all;
/** Large public resolvers ask from many networks; a network that asks more by UDP is sent to TCP. */
const RATE_LIMIT: RateLimitOptions = {
  perSecond: 100,
  burst: 200,
  networks: 10_000,
  now: () => performance.now(),
};
/** With port 0, another process may have the UDP port for TCP. */
const MAX_PORT_ATTEMPTS = 20;
/** A look-up that fails does so for every query; one log line a minute is enough. */
const FAILURE_LOG_INTERVAL_MS = MINUTE;

export interface DnsServerOptions {
  /** `host` is an address; port 0 chooses one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly zones: Zones;
  readonly log: Log;
  readonly tcpIdleMs?: number;
  readonly rateLimit?: Partial<RateLimitOptions>;
}

/** Counts since the start; the last three are current values. */
interface DnsStats {
  readonly udpQueries: number;
  readonly tcpQueries: number;
  /** Not answered, because the packet is not a query. */
  readonly dropped: number;
  readonly malformed: number;
  readonly limited: number;
  /** Answered with SERVFAIL. */
  readonly failed: number;
  readonly connections: number;
  readonly networks: number;
  readonly listening: boolean;
}

export interface DnsServer {
  start(): Promise<{ port: number }>;
  /** Cuts the connections and waits until both sockets are closed. */
  stop(): Promise<void>;
  stats(): DnsStats;
}

interface Sockets {
  readonly udp: UdpSocket;
  readonly tcp: Server;
}

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

const closeUdp = async (udp: UdpSocket): Promise<void> => {
  const closed = once(udp, 'close');
  udp.close();
  await closed;
};

export const createDnsServer = (options: DnsServerOptions): DnsServer => {
  const { listen, zones, log } = options;
  const rateLimit = createRateLimit({ ...RATE_LIMIT, ...options.rateLimit });
  const counts = { udpQueries: 0, tcpQueries: 0, dropped: 0, malformed: 0, limited: 0, failed: 0 };
  const connections = createConnections(CONNECTIONS);
  let sockets: Sockets | null = null;
  let lastFailureLoggedAt = Number.NEGATIVE_INFINITY;

  const fail = (error: unknown, query: Query): Response => {
    counts.failed += 1;
    const now = performance.now();
    if (now - lastFailureLoggedAt >= FAILURE_LOG_INTERVAL_MS) {
      lastFailureLoggedAt = now;
      log.error({ err: error, name: query.question?.name }, 'a DNS query could not be answered');
    }
    return bare(rcodes.SERVFAIL);
  };

  const respond = (query: Query, limit: number): Buffer => {
    if (!query.question) counts.malformed += 1;
    try {
      return encodeResponse(query, answerQuery(query, zones), limit);
    } catch (error) {
      return encodeResponse(query, fail(error, query), limit);
    }
  };

  const respondByUdp = (octets: Buffer, address: string): Buffer | null => {
    counts.udpQueries += 1;
    const query = decodeQuery(octets);
    const limited = query !== null && !rateLimit.take(networkOf(address));
    if (limited) counts.limited += 1;
    if (!query || (limited && !query.question)) {
      counts.dropped += 1;
      return null;
    }
    if (limited) return encodeResponse(query, truncate(bare(rcodes.NOERROR)), udpLimit(query));
    return respond(query, udpLimit(query));
  };

  const respondByTcp = (octets: Buffer): Buffer | null => {
    counts.tcpQueries += 1;
    const query = decodeQuery(octets);
    if (query) return respond(query, MAX_TCP_OCTETS);
    counts.dropped += 1;
    return null;
  };

  const onDatagram = (udp: UdpSocket, octets: Buffer, from: RemoteInfo): void => {
    // Only a forged packet has port 0, and nothing can be sent there.
    const response = from.port === 0 ? null : respondByUdp(octets, from.address);
    if (!response) return;
    udp.send(response, from.port, from.address, (error) => {
      if (error) log.debug({ err: error }, 'a DNS answer could not be sent');
    });
  };

  const onConnection = (socket: Socket): void => {
    connections.admit(socket, clientKey(plainAddress(socket.remoteAddress ?? '')));
    serveConnection(socket, options.tcpIdleMs ?? TCP_IDLE_MS, (octets) => {
      connections.touch(socket);
      return respondByTcp(octets);
    });
  };

  const bindUdp = async (port: number): Promise<UdpSocket> => {
    const udp = createSocket(isIPv6(listen.host) ? 'udp6' : 'udp4');
    udp.on('message', (octets, from) => onDatagram(udp, octets, from));
    udp.bind(port, listen.host);
    await once(udp, 'listening').catch(async (error: unknown) => {
      await closeUdp(udp);
      throw error;
    });
    udp.on('error', (error) => log.error({ err: error }, 'the DNS socket failed'));
    return udp;
  };

  const bindTcp = async (port: number): Promise<Server> => {
    const tcp = createServer({ allowHalfOpen: true, noDelay: true }, onConnection);
    tcp.maxConnections = MAX_SOCKETS;
    tcp.listen(port, listen.host);
    await once(tcp, 'listening');
    tcp.on('error', (error) => log.error({ err: error }, 'the DNS listener failed'));
    return tcp;
  };

  const bindBoth = async (attemptsLeft: number): Promise<Sockets> => {
    const udp = await bindUdp(listen.port);
    try {
      return { udp, tcp: await bindTcp(udp.address().port) };
    } catch (error) {
      await closeUdp(udp);
      if (listen.port !== 0 || attemptsLeft === 0 || !isPortTaken(error)) throw error;
      return bindBoth(attemptsLeft - 1);
    }
  };

  const start = async (): Promise<{ port: number }> => {
    if (sockets) throw new Error('the DNS listener is already started');
    sockets = await bindBoth(MAX_PORT_ATTEMPTS);
    const { port } = sockets.udp.address();
    log.info({ host: listen.host, port, zones: zones.apexes }, 'authoritative DNS listens');
    return { port };
  };

  const stop = async (): Promise<void> => {
    if (!sockets) return;
    const { udp, tcp } = sockets;
    sockets = null;
    const tcpClosed = once(tcp, 'close');
    tcp.close();
    connections.cutAll();
    await Promise.all([tcpClosed, closeUdp(udp)]);
  };

  const stats = (): DnsStats => ({
    ...counts,
    connections: connections.size(),
    networks: rateLimit.size(),
    listening: sockets !== null,
  });

  return { start, stop, stats };
};
