// A receiver of webhooks that keeps nothing but ids, for hundreds of thousands of deliveries: which event came under which
// delivery id, in the order in which each came first. Plain http on 127.0.0.1.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DeliveryTally {
  readonly url: string;
  /** Event id to delivery id, in the order of the first arrivals. */
  readonly first: ReadonlyMap<string, string>;
  /** Requests so far, with those that told of an event once more. */
  readonly requests: number;
  /** Of an event that had come under another delivery id before. */
  readonly renamed: readonly string[];
  /** Resolves once so many different events have come. */
  reached(events: number): Promise<void>;
  stop(): Promise<void>;
}

export const startDeliveryTally = async (): Promise<DeliveryTally> => {
  const first = new Map<string, string>();
  const renamed: string[] = [];
  let requests = 0;
  const waiting = new Set<{ readonly events: number; readonly resolve: () => void }>();

  const take = (deliveryId: string, eventId: string): void => {
    requests += 1;
    const before = first.get(eventId);
    if (before === undefined) first.set(eventId, deliveryId);
    else if (before !== deliveryId) renamed.push(eventId);
    for (const one of waiting) {
      if (first.size < one.events) continue;
      waiting.delete(one);
      one.resolve();
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { id, data } = JSON.parse(Buffer.concat(chunks).toString());
      take(id, data.event_id);
      response.end();
    });
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    first,
    get requests() {
      return requests;
    },
    renamed,
    reached: (events) =>
      new Promise((resolve) => {
        if (first.size >= events) resolve();
        else waiting.add({ events, resolve });
      }),
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
