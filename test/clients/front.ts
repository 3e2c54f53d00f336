// What stands between a client and the service, and has a bad day: it forwards requests, and does to chosen ones what networks and
// proxies do. What came is kept.
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** `cut`: the service has done its work, and the connection is lost before its answer arrives. A number: it answers that status. */
export type Fault = 'cut' | 'silence' | number;

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Front extends AsyncDisposable {
  readonly origin: string;
  readonly seen: Seen[];
  /** Those that come next meet these faults, one each. */
  readonly faults: Fault[];
  /** All connections are lost. */
  drop(): void;
}

export const startFront = async (origin: string): Promise<Front> => {
  const seen: Seen[] = [];
  const faults: Fault[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    seen.push({ method, path: url, headers });
    const fault = faults.shift();
    const body = await buffer(incoming);
    if (fault === 'silence') return;
    if (typeof fault === 'number') {
      response.writeHead(fault, { 'Retry-After': '0' }).end('busy');
      return;
    }
    const forwarded = httpRequest(`${origin}${url}`, { method, headers }, async (answer) => {
      if (fault === 'cut') {
        await buffer(answer);
        incoming.socket.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
      // Who leaves a stream leaves it at the service, too.
      response.on('close', () => answer.destroy());
    });
    forwarded.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    faults,
    drop: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
