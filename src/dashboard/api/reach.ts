// Whether the service answers. While it does not, it is asked again and again; what waits for it goes on by itself.
import { signal } from '@preact/signals';

export const isReachable = signal(true);

/** Between two questions; it grows. A restart takes a few seconds. */
const ASK_MS = { first: 500, most: 5_000 };
/** A service that is slower than this is not there. */
const ANSWER_MS = 10_000;

/** A proxy answers in the place of a service that is gone: then the id of the request is missing. */
export const isFromService = (response: Response): boolean =>
  response.status < 502 || response.headers.has('X-Request-Id');

const answers = async (): Promise<boolean> => {
  try {
    const response = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) });
    await response.arrayBuffer();
    return isFromService(response);
  } catch {
    return false;
  }
};

/** Until the time is over, the browser says that it has a network again, or it is given up. */
export const pause = (ms: number, abort?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      abort?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    abort?.addEventListener('abort', end);
  });

const askUntilThere = async (): Promise<boolean> => {
  let wasGone = false;
  for (let wait = ASK_MS.first; !(await answers()); wait = Math.min(2 * wait, ASK_MS.most)) {
    isReachable.value = false;
    wasGone = true;
    await pause(wait);
  }
  isReachable.value = true;
  return wasGone;
};

let asking: Promise<boolean> | undefined;

/** Resolves once the service answers, with whether one had to wait for that. */
export const reached = (): Promise<boolean> => {
  asking ??= askUntilThere().finally(() => {
    asking = undefined;
  });
  return asking;
};

/** Like `reached`; rejects where it is given up, or takes longer than `withinMs`. */
export const reachedWithin = (abort?: AbortSignal, withinMs?: number): Promise<boolean> => {
  const limits = [
    ...(abort ? [abort] : []),
    ...(withinMs === undefined ? [] : [AbortSignal.timeout(withinMs)]),
  ];
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any(limits);
    limit.addEventListener('abort', () => reject(limit.reason));
    reached().then(resolve);
  });
};

addEventListener('offline', () => {
  isReachable.value = false;
  void reached();
});

/**
 * Loads a part of the dashboard. Where that fails the service is gone, or there is another version of it: it is loaded once more when
 * the service is there.
 */
export const loadPart = async <T>(load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch {
    await reached();
    return load();
  }
};

const RELOADED = 'sendwerk.reloaded';

/**
 * Loads the whole page again, once, for a part that belongs to a version which was updated. Resolves with false where that has been
 * tried already; else it does not resolve.
 */
export const reloadOnce = async (): Promise<false> => {
  if (sessionStorage.getItem(RELOADED) !== null) return false;
  sessionStorage.setItem(RELOADED, 'yes');
  await reached();
  location.reload();
  return new Promise<never>(() => {});
};

/** A part was loaded: the next one that is gone may be tried for again. */
export const forgetReload = (): void => sessionStorage.removeItem(RELOADED);
