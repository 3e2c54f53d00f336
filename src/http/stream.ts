// Answers that are made while the client takes them: exports, live streams.
import type { ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';

type Chunk = string | Uint8Array;

export const isStream = (body: unknown): body is AsyncIterable<Chunk> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

/** Resolves when the connection takes more, and when it takes nothing any more. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });

/**
 * Resolves when all has been handed to the connection, and when the client has left or read nothing for `unreadMs`: the
 * source is told of that by `return()` at once, not with its next chunk, which may be long in coming. Rejects where the
 * source does.
 */
export const sendStream = async (
  exchange: Exchange,
  status: number,
  headers: Record<string, string | string[]>,
  body: AsyncIterable<Chunk>,
  unreadMs: number,
): Promise<void> => {
  const { request, response } = exchange;
  const source = body[Symbol.asyncIterator]();
  const leave = (): void => void Promise.resolve(source.return?.()).catch(() => {});
  if (response.destroyed) return leave();
  response.once('close', leave);
  // A body that nobody reads would hold up the connection, and with it the news that the client has left.
  request.resume();
  response.writeHead(status, headers);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.setTimeout(unreadMs, () => response.destroy());
  for (let next = await source.next(); !next.done; next = await source.next()) {
    if (response.destroyed) return;
    exchange.bytesOut += Buffer.byteLength(next.value);
    if (!response.write(next.value)) await drained(response);
  }
  response.end();
};
