// One request, and the rules by which it is tried again.
import { errorOf, SendwerkError } from './errors.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;

/** Doubled each time; the random half keeps clients apart that failed together. The server's own word is never undercut. */
const waitBefore = (attempt, retryAfter) => {
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  const jitter = Math.random() * (backoff / 2);
  return retryAfter === null ? backoff / 2 + jitter : retryAfter * 1000 + jitter;
};

const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });

/** Nothing was done where the service refused because of its limits, or while the first request with the key still runs. */
const isRefusedUndone = ({ status, code }) => status === 429 || code === 'idempotency_in_progress';

const mayTryAgain = (error, isRepeatable) =>
  error instanceof SendwerkError &&
  (isRefusedUndone(error) || (isRepeatable && (error.status === 0 || error.status >= 500)));

const isStream = (body) => typeof body?.getReader === 'function';

const attempt = async (fetch, { url, init, timeout, signal, read }) => {
  signal?.throwIfAborted();
  const control = new AbortController();
  const leave = () => control.abort(signal.reason);
  signal?.addEventListener('abort', leave, { once: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    control.abort();
  }, timeout);
  let isHandedOn = false;
  try {
    const body = isStream(init.body) ? { duplex: 'half' } : {};
    // A redirect is not followed: the token is for this address alone.
    const response = await fetch(url, { ...init, ...body, redirect: 'manual', signal: control.signal });
    if (response.status >= 400) throw errorOf(response, await response.text());
    const answer = { status: response.status, headers: response.headers, body: await read(response) };
    isHandedOn = answer.body === response.body && answer.body !== null;
    return answer;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof SendwerkError) throw error;
    if (isLate) throw new SendwerkError(`No answer came within ${timeout} ms.`, { code: 'timeout' });
    throw new SendwerkError('The service could not be reached, or the connection was lost.', {
      code: 'network_error',
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    // A stream that is still being read can be left by the caller's signal.
    if (!isHandedOn) signal?.removeEventListener('abort', leave);
  }
};

/** `isRepeatable`: doing it twice is as doing it once. Gives up where the next attempt would begin after `retryTime`. */
export const request = async (fetch, { retries, retryTime, isRepeatable, ...call }) => {
  const end = Date.now() + retryTime;
  const most = isStream(call.init.body) ? 0 : retries;
  for (let tried = 0; ; tried++)
    try {
      return await attempt(fetch, call);
    } catch (error) {
      if (tried >= most || !mayTryAgain(error, isRepeatable)) throw error;
      const wait = waitBefore(tried, error.retryAfter);
      if (Date.now() + wait > end) throw error;
      await pause(wait, call.signal);
    }
};
