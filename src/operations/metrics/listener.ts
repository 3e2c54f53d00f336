// A listener of its own for Prometheus, which serves nothing but `GET /metrics`: for an address that only the monitoring reaches.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '#src/kernel/log.ts';
import type { Secret } from '#src/kernel/secret.ts';
import { isSecret, secretIn } from '#src/kernel/shared-secret.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { MetricsText } from './registry.ts';

export interface MetricsListenerOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** Null: whoever reaches the listener may read. */
  readonly token: Secret | null;
  readonly metrics: MetricsText;
  readonly log: Log;
}

/** A few that scrape, and a person who looks. */
const MAX_CONNECTIONS = 16;
const TIMES = { headersTimeout: 5 * SECOND, requestTimeout: 5 * SECOND, keepAliveTimeout: 65 * SECOND };
const MAX_HEAD_BYTES = 8 * 1_024;

const answer = (response: ServerResponse, status: number, text: string, headers: object = {}): void => {
  const body = Buffer.from(text);
  response
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': body.length,
      ...headers,
    })
    .end(body);
};

/** Rejects where the address is taken. */
export const startMetricsListener = async ({ listen, token, metrics, log }: MetricsListenerOptions) => {
  const mayRead = ({ headers: { authorization } }: IncomingMessage): boolean =>
    token === null || isSecret(secretIn(authorization ?? '') ?? '', token);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!mayRead(request))
      return answer(response, 401, 'unauthorized\n', { 'WWW-Authenticate': 'Bearer, Basic' });
    if (request.url?.split('?')[0] !== '/metrics') return answer(response, 404, 'not found\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answer(response, 405, 'method not allowed\n', { Allow: 'GET, HEAD' });
    try {
      answer(response, 200, await metrics.text(), { 'Content-Type': metrics.contentType });
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be read');
      answer(response, 500, 'internal error\n');
    }
  };
  const server = createServer({ ...TIMES, maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    void serve(request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(listen.port, listen.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  log.info({ host: listen.host, port }, 'metrics are served');
  return {
    port,
    stop: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
