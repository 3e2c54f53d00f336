// The public HTTP API, as the playground calls it: it uses nothing else of the daemon.
import { SECOND, sleep } from '#src/kernel/time.ts';

export type Api = <T>(
  method: string,
  path: string,
  options: { token?: string; adminToken?: string; body?: unknown },
) => Promise<T>;

export const createApi =
  (origin: string): Api =>
  async <T>(method: string, path: string, options: Parameters<Api>[2]) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
        ...(options.adminToken === undefined ? {} : { 'X-Admin-Token': options.adminToken }),
        ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
  };

const RELAY_TIMEOUT_MS = 30 * SECOND;
const POLL_MS = 50;

export const untilStatus = async (api: Api, path: string, token: string, wanted: string): Promise<void> => {
  let status = '';
  for (const deadline = Date.now() + RELAY_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    ({ status } = await api<{ status: string }>('GET', path, { token }));
    if (status === wanted) return;
  }
  throw new Error(`the message is ${status}, not ${wanted}, after ${RELAY_TIMEOUT_MS / SECOND} s`);
};
