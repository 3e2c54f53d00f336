// Requests to the certificate authority, in the place of those that the library would make: with a time limit and an end at a stop,
// bounded answers, no redirects, no proxy of the environment, the authorities of `tls.acme.ca_file`, and no repetition of its own.
// What the authority said last is noted, because the library's errors have its words alone.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { DAY, SECOND } from '#src/kernel/time.ts';

const REQUEST_MS = 30 * SECOND;
/** A chain has some 6 KiB, a directory less. */
const MAX_ANSWER_BYTES = 256 * 1_024;

/** RFC 8555 §6.7. */
export interface Problem {
  readonly status: number;
  /** The last part of the URN, such as `rateLimited`; empty where it is none of RFC 8555. */
  readonly type: string;
  readonly retryAfterMs: number;
}

interface Asking {
  readonly agents: { readonly http: HttpAgent; readonly https: Agent };
  readonly isSecure: boolean;
  readonly signal: AbortSignal;
  problem: Problem | null;
}

/** The authority could not be asked. */
export class Unreachable extends Error {}

const asking = new AsyncLocalStorage<Asking>();

/** What the library hands to its way of making requests, and takes from it. */
interface Wanted {
  readonly url: string;
  readonly method: string;
  readonly headers: { toJSON(): Record<string, string> };
  readonly data?: string;
}

const retryAfterOf = (value: string | undefined): number => {
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 7 * DAY) : 0;
};

const problemOf = (status: number, text: string, retryAfter: string | undefined): Problem => {
  const type = /"type"\s*:\s*"urn:ietf:params:acme:error:(\w{1,60})"/.exec(text)?.[1] ?? '';
  return { status, type, retryAfterMs: retryAfterOf(retryAfter) };
};

const readAll = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Unreachable('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** The library's adapter: it is given to it once, and finds by its caller for whom it asks. */
export const adapter = async (wanted: Wanted) => {
  const context = asking.getStore();
  if (context === undefined) throw new Unreachable('asked outside of an order');
  const url = new URL(wanted.url);
  if (context.isSecure && url.protocol !== 'https:')
    throw new Unreachable(`its directory names an address that is not https: ${url.origin}`);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(REQUEST_MS)]);
  const headers = wanted.headers.toJSON();
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const [send, agent] = context.isSecure
        ? [requestHttps, context.agents.https]
        : [requestHttp, context.agents.http];
      const outgoing = send(url, { method: wanted.method.toUpperCase(), headers, agent, signal }, resolve);
      outgoing.once('error', reject);
      outgoing.end(wanted.data);
    });
    const text = await readAll(response);
    const status = response.statusCode ?? 0;
    if (status >= 400) context.problem = problemOf(status, text, response.headers['retry-after']);
    return { data: text, status, statusText: '', headers: response.headers, config: wanted };
  } catch (error) {
    if (error instanceof Unreachable) throw error;
    const cause = error instanceof Error ? error : new Error(String(error));
    throw new Unreachable(cause.name === 'TimeoutError' ? 'it does not answer in time' : cause.message, {
      cause,
    });
  }
};

/** Runs `work`, whose requests by the library go by `adapter`. */
export const askAuthority = async <T>(
  options: { readonly directory: string; readonly ca: string | undefined; readonly signal: AbortSignal },
  work: (problem: () => Problem | null) => Promise<T>,
): Promise<T> => {
  const { directory, ca, signal } = options;
  const keepAlive = true;
  const context: Asking = {
    agents: {
      http: new HttpAgent({ keepAlive }),
      https: new Agent({ keepAlive, ...(ca === undefined ? {} : { ca }) }),
    },
    isSecure: directory.startsWith('https:'),
    signal,
    problem: null,
  };
  try {
    return await asking.run(context, () => work(() => context.problem));
  } finally {
    context.agents.http.destroy();
    context.agents.https.destroy();
  }
};
