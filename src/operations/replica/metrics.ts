// How far Litestream 0.3.13 is, as its listener for Prometheus says it (https://litestream.io/reference/metrics/). With thousands of files
// that text has many megabytes, so it comes compressed, and is read on a thread of its own (`watch-worker.ts`).
import { get, type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ListenAddress } from '#src/kernel/config/values.ts';
import { SECOND } from '#src/kernel/time.ts';

/** Litestream gathers its numbers first, for thousands of files too. */
const TIMEOUT_MS = 20 * SECOND;
/** More than 100,000 files have. */
const MAX_BYTES = 256 * 1_024 * 1_024;

const unpack = promisify(gunzip);

const answerOf = ({ host, port }: ListenAddress, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip' };
    get({ host, port, path: '/metrics', headers, agent: false, signal }, resolve).once('error', reject);
  });

/** Each character is one byte. Rejects where Litestream does not answer, or with something else. */
export const readMetrics = async (listener: ListenAddress): Promise<string> => {
  const answer = await answerOf(listener, AbortSignal.timeout(TIMEOUT_MS));
  if (answer.statusCode !== 200) {
    answer.destroy();
    throw new Error(`the answer was ${answer.statusCode}`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const isPacked = answer.headers['content-encoding'] === 'gzip';
  return (isPacked ? await unpack(bytes, { maxOutputLength: MAX_BYTES }) : bytes).toString('latin1');
};

/** Calls `work` with the path and the number of each file that has this metric. Paths are as they are written there. */
export const eachOf = (text: string, metric: string, work: (path: string, value: number) => void): void => {
  const head = `\n${metric}{db="`;
  for (let at = text.indexOf(head); at >= 0 && text.startsWith(head, at); ) {
    const end = text.indexOf('\n', at + 1);
    const line = text.slice(at + head.length, end < 0 ? undefined : end);
    work(line.slice(0, line.indexOf('"')), Number(line.slice(line.lastIndexOf(' ') + 1)));
    at = end;
  }
};

/** A path as `eachOf` gives it. A quotation mark in it would be escaped; such a path is not found. */
export const writtenPath = (path: string): string =>
  Buffer.from(path.replaceAll('\\', '\\\\')).toString('latin1');
