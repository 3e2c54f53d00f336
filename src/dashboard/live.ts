// What happens in a practice, as it happens: one stream of its events for all tabs of this browser. The tab that holds the lock
// of the practice has the stream and passes events on; when it is hidden or closed, a visible one takes the lock. A browser whose
// tabs are all hidden has none, and each page loads again what it shows when it is looked at.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Activity } from '#api';
import { isReachable, reached } from '#dashboard/api/reach.ts';
import { eventNames } from '#dashboard/event-names.ts';
import { practice } from '#dashboard/session.ts';

export type LiveState = 'connected' | 'connecting' | 'hidden';
export const liveState = signal<LiveState>('connecting');

/** Until a stream that was refused is asked for again; it grows with each refusal. */
const RETRY_MS = { first: 2_000, most: 60_000 };
/** The lock was another tab's, which may have seen what this one has not. */
const WAITED_MS = 500;

type Listener = (event: Activity) => void;
/** Events may have been missed: load again. */
type MissedListener = () => void;
const listeners = new Set<Listener>();
const missedListeners = new Set<MissedListener>();

type Passed =
  | { readonly event: Activity }
  | { readonly state: LiveState }
  | { readonly missed: true }
  /** A tab that has just come asks how the stream is. */
  | { readonly question: true };

const follow = (practiceId: string): (() => void) => {
  const channel = new BroadcastChannel(`live ${practiceId}`);
  let giveUp: AbortController | undefined;
  let wasHidden = false;
  let isHolding = false;

  const take = (passed: Passed): void => {
    if ('event' in passed) for (const listener of listeners) listener(passed.event);
    else if ('missed' in passed) for (const listener of missedListeners) listener();
    else if ('state' in passed) liveState.value = passed.state;
    else if (isHolding) channel.postMessage({ state: liveState.value } satisfies Passed);
  };
  const pass = (passed: Passed): void => {
    take(passed);
    channel.postMessage(passed);
  };
  channel.onmessage = ({ data }) => take(data as Passed);

  /** Holds the stream until it is given up. `hasGap`: events may have been missed before it. */
  const hold = (until: AbortSignal, hasGap: boolean): Promise<void> =>
    new Promise((resolve) => {
      isHolding = true;
      let source: EventSource;
      let retryMs = RETRY_MS.first;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const open = (isAfterGap: boolean): void => {
        let isFirst = isAfterGap;
        source = new EventSource(`/api/practices/${encodeURIComponent(practiceId)}/events`);
        source.onopen = () => {
          retryMs = RETRY_MS.first;
          isReachable.value = true;
          pass({ state: 'connected' });
          if (isFirst) pass({ missed: true });
          isFirst = false;
        };
        source.onerror = () => {
          pass({ state: 'connecting' });
          // The stream alone may have ended.
          void reached();
          // The stream was refused: the session is over, or too many follow. The browser tries again only where the connection
          // was lost.
          if (source.readyState !== EventSource.CLOSED) return;
          timer = setTimeout(() => open(true), retryMs);
          retryMs = Math.min(2 * retryMs, RETRY_MS.most);
        };
        // The browser itself asks for what came after the last event, once it is connected again.
        source.addEventListener('gap', () => pass({ missed: true }));
        for (const name of eventNames)
          source.addEventListener(name, ({ data }) => pass({ event: JSON.parse(data) as Activity }));
      };
      open(hasGap);
      const stopLooking = isReachable.subscribe((isThere) => {
        if (!isThere || source.readyState !== EventSource.CLOSED) return;
        clearTimeout(timer);
        open(true);
      });
      until.addEventListener('abort', () => {
        clearTimeout(timer);
        stopLooking();
        source.close();
        isHolding = false;
        resolve();
      });
    });

  const start = (): void => {
    giveUp = new AbortController();
    const { signal: until } = giveUp;
    const asked = performance.now();
    const held = () => hold(until, performance.now() - asked > WAITED_MS);
    // Browsers have no locks without https: then each tab has a stream.
    if (navigator.locks === undefined) void held();
    else navigator.locks.request(`live ${practiceId}`, { signal: until }, held).catch(() => {});
    channel.postMessage({ question: true } satisfies Passed);
    if (wasHidden) take({ missed: true });
    wasHidden = false;
  };
  const look = (): void => {
    if (document.visibilityState === 'visible') start();
    else {
      giveUp?.abort();
      wasHidden = true;
      liveState.value = 'hidden';
    }
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    giveUp?.abort();
    channel.close();
  };
};

/** Follows the practice of the page; called once, by the shell. */
export const useLiveStream = (practiceId: string | undefined): void => {
  useEffect(() => (practiceId === undefined ? undefined : follow(practiceId)), [practiceId]);
};

/** `onEvent` for each event that this page may want, `onMissed` where events may have been missed. */
export const useLive = (onEvent: Listener, onMissed: MissedListener): void => {
  const present = useRef({ onEvent, onMissed });
  present.current = { onEvent, onMissed };
  const practiceId = practice.value?.id;
  useEffect(() => {
    const listener: Listener = (event) => present.current.onEvent(event);
    const missed: MissedListener = () => present.current.onMissed();
    listeners.add(listener);
    missedListeners.add(missed);
    return () => {
      listeners.delete(listener);
      missedListeners.delete(missed);
    };
  }, [practiceId]);
};
