// HTTPS by the service itself, and the plain listener that leads to it. The certificate is chosen by the name that a client asks for
// (SNI); whoever asks for another name sees the service's own, and no certificate comes into being for it.
//
// Plain HTTP is answered for two things only: the check of a name by a certificate authority (RFC 8555 §8.3), which comes there, and
// reading, which is led to the same address by HTTPS. What would change something is refused: the client has sent its secret in clear, and
// should notice.
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { SecureContext } from 'node:tls';
import { createSecureContext } from 'node:tls';
import { type Certificate, type CertificateSource, LEAST_TLS } from '#src/kernel/certificate.ts';
import { SECOND } from '#src/kernel/time.ts';

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface SecureOptions {
  readonly listen: ListenAddress;
  /** Null: nothing leads here. */
  readonly redirect: ListenAddress | null;
  readonly certificates: CertificateSource;
  /** Where plain requests are led whose host is not served here. */
  readonly origin: string;
  /** Whether HTTPS is served under a name. */
  readonly isServed: (name: string) => boolean;
  /** What a certificate authority is answered for a path; null: no check is pending there; undefined: the path is another one. */
  readonly challengeAt: (path: string) => string | null | undefined;
}

const HANDSHAKE_MS = 15 * SECOND;
/** Answers of the plain listener are short, and so is what it takes. */
const PLAIN_MS = 10 * SECOND;
const PLAIN_HEAD_BYTES = 8 * 1_024;
const PLAIN_HEADERS = 50;
const PLAIN_CONNECTIONS = 1_000;

const contextOf = ({ cert, key }: Certificate): SecureContext =>
  createSecureContext({ cert, key, minVersion: LEAST_TLS });

export const createSecureServer = (
  { certificates }: SecureOptions,
  bounds: ServerOptions,
  handle: RequestListener,
): Server => {
  let shown = contextOf(certificates.current());
  const server = createHttpsServer(
    {
      ...bounds,
      ...certificates.current(),
      minVersion: LEAST_TLS,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: HANDSHAKE_MS,
      SNICallback: (name, callback) => callback(null, certificates.contextFor(name) ?? shown),
    },
    handle,
  );
  certificates.watch((next) => {
    shown = contextOf(next);
    // For clients that name no host.
    server.setSecureContext({ ...next, minVersion: LEAST_TLS });
  });
  return server;
};

const hostOf = (field: string | undefined): string =>
  /^([a-z0-9.-]{1,253}?)\.?(?::\d{1,5})?$/i.exec(field ?? '')?.[1]?.toLowerCase() ?? '';

export const createRedirect = ({ origin, isServed, challengeAt }: SecureOptions): Server => {
  const ownHost = new URL(origin).hostname;
  const server = createServer(
    {
      headersTimeout: PLAIN_MS,
      requestTimeout: PLAIN_MS,
      keepAliveTimeout: SECOND,
      connectionsCheckingInterval: SECOND,
      maxHeaderSize: PLAIN_HEAD_BYTES,
    },
    ({ method, url = '/', headers }, response) => {
      const send = (status: number, text: string, more: Record<string, string> = {}): void => {
        const type = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' };
        response.writeHead(status, { ...type, ...more }).end(text);
      };
      const isReading = method === 'GET' || method === 'HEAD';
      const path = url.startsWith('/') ? url : '/';
      const answer = isReading ? challengeAt(path) : undefined;
      if (answer === null) return send(404, 'No check of a name with this token is pending.\n');
      if (answer !== undefined) return send(200, answer, { 'Content-Type': 'application/octet-stream' });
      if (!isReading) return send(403, 'HTTPS only: what was sent here in clear should be changed.\n');
      const host = hostOf(headers.host);
      const to = host !== ownHost && isServed(host) ? `https://${host}` : origin;
      // 308 is kept by browsers for ever, and an operator may go back to a proxy.
      send(307, `${to}\n`, { Location: to + path });
    },
  );
  server.maxHeadersCount = PLAIN_HEADERS;
  server.maxConnections = PLAIN_CONNECTIONS;
  return server;
};
