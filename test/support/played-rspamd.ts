// A spam scanner that says what a test wants, when it wants: HTTP as rspamd speaks it, on a loopback port. The real one
// is in rspamd.ts.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PlayedRspamd {
  readonly url: string;
  /** Messages it has been asked about so far. */
  readonly asked: readonly string[];
  /** From now on it rejects messages that hold that text; `null`: none. */
  reject(holding: string | null): void;
  /** From now on it keeps everybody waiting, until the function that comes back is called. */
  hang(): () => void;
  stop(): Promise<void>;
}

export const startPlayedRspamd = async (): Promise<PlayedRspamd> => {
  const asked: string[] = [];
  let rejected: string | null = null;
  let patience: Promise<void> = Promise.resolve();
  const server = createServer(async (request, response) => {
    const mail = await text(request);
    asked.push(mail);
    await patience;
    const isRejected = rejected !== null && mail.includes(rejected);
    const verdict = isRejected ? { action: 'reject', score: 20 } : { action: 'no action', score: 0 };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ ...verdict, required_score: 15, is_skipped: false, symbols: {} }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    reject: (holding) => {
      rejected = holding;
    },
    hang: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      patience = promise;
      return resolve;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
