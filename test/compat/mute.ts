// A server that never answers.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scene } from './scene.ts';

/** Passes each request on to the daemon and keeps its answer. */
export const startMute = async (scene: Scene) => {
  const passed: Promise<unknown>[] = [];
  const server = createServer((request) => {
    const headers = new Headers(request.headers as Record<string, string>);
    const body = request.toArray().then((pieces) => Buffer.concat(pieces));
    const pass = async () =>
      fetch(scene.app.origin + request.url, { method: 'POST', headers, body: await body });
    passed.push(pass());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    passed,
    authority: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => server.closeAllConnections(),
    close: () => server.close(),
  };
};
