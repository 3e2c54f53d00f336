// An HTTP server that answers each request with what the test says, and shows what it was asked.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface ScriptedHttp {
  readonly url: string;
  readonly asked: readonly { readonly headers: IncomingHttpHeaders; readonly body: string }[];
}

/** Until the end of the test. */
export const startScriptedHttp = async (answer: () => unknown): Promise<ScriptedHttp> => {
  const asked: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: await text(request) });
    response.end(JSON.stringify(await answer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
};
