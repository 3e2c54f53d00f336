// Where one was in each entry of the history: how far down, at which row, and with what in the list. Who goes back is there again.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

interface Place {
  readonly y: number;
  /** The address of the row that was opened. */
  readonly row: string | undefined;
}

const MAX_PLACES = 50;
const places = new Map<string, Place>();

const knownKey = (): string | undefined => (history.state as { key?: string } | null)?.key;

/** The key of the present entry. The router's own entries have no state: those are new. */
export const placeKey = (): string => {
  const known = knownKey();
  if (known !== undefined) return known;
  const key = crypto.getRandomValues(new Uint32Array(2)).join('-');
  history.replaceState({ key }, '');
  return key;
};

/** Adds the newest, and lets go of the oldest beyond `most`. */
export const keepNewest = <V>(map: Map<string, V>, key: string, value: V, most: number): void => {
  map.delete(key);
  map.set(key, value);
  for (const old of map.keys()) {
    if (map.size <= most) return;
    map.delete(old);
  }
};

const note = (change: Partial<Place>): void => {
  const key = knownKey();
  if (key === undefined) return;
  keepNewest(places, key, { y: scrollY, row: places.get(key)?.row, ...change }, MAX_PLACES);
};

/** While a place is gone back to, the page moves by itself. */
let returning: AbortController | undefined;
const STEADY_MS = 400;
const MAX_RETURN_MS = 5_000;

const rowAt = (href: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('main a[data-row]')].find(
    (row) => row.getAttribute('href') === href,
  );

const goBackTo = ({ y, row }: Place): void => {
  returning?.abort();
  const controller = new AbortController();
  returning = controller;
  const { signal } = controller;
  const end = (): void => {
    controller.abort();
    if (returning === controller) returning = undefined;
  };
  for (const name of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(name, end, { signal });
  const begun = performance.now();
  const step = (): void => {
    if (signal.aborted) return;
    const passed = performance.now() - begun;
    if (document.documentElement.scrollHeight - innerHeight >= y) scrollTo(0, y);
    const found = row === undefined ? undefined : rowAt(row);
    if (found) {
      found.focus({ preventScroll: true });
      const { top, bottom } = found.getBoundingClientRect();
      if (top < 0 || bottom > innerHeight) found.scrollIntoView({ block: 'center' });
    }
    // The page before may be shown until this one is there.
    if (found || (row === undefined && scrollY === y && passed > STEADY_MS) || passed > MAX_RETURN_MS) end();
    else requestAnimationFrame(step);
  };
  step();
};

/** Called once, before anything is rendered. */
export const followPlaces = (): void => {
  history.scrollRestoration = 'manual';
  addEventListener('scroll', () => !returning && note({}), { passive: true });
  addEventListener(
    'click',
    ({ target }) => {
      const link = target instanceof Element ? target.closest('tr')?.querySelector('a[data-row]') : null;
      if (link) note({ row: link.getAttribute('href') ?? undefined });
    },
    { capture: true },
  );
  addEventListener('popstate', () => {
    // What the page that is left does from now on is not where one was in the other one.
    returning?.abort();
    returning = new AbortController();
  });
};

/** A new page begins at its top, one that is gone back to where it was left. */
export const usePlaces = (): void => {
  const { url, path } = useLocation();
  const before = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const key = knownKey();
    const place = key === undefined ? undefined : places.get(key);
    if (place) goBackTo(place);
    else {
      returning?.abort();
      returning = undefined;
      placeKey();
      if (before.current !== path) scrollTo(0, 0);
    }
    before.current = path;
  }, [url]);
};
