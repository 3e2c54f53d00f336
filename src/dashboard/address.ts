// Filters of a page in its address, so that a view can be linked, gone back to and opened in another tab.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

export interface Filters {
  readonly values: Readonly<Record<string, string>>;
  /** Changes some of them; an empty value takes one out. Typing replaces the entry in the history, a choice adds one. */
  readonly set: (changes: Readonly<Record<string, string>>, how?: 'replace') => void;
  /** The address of the page with these changes. */
  readonly href: (changes: Readonly<Record<string, string>>) => string;
}

export const useFilters = (): Filters => {
  const { path, query, route } = useLocation();
  const href: Filters['href'] = (changes) => {
    const all = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== '');
    const search = new URLSearchParams(all).toString();
    return search === '' ? path : `${path}?${search}`;
  };
  return { values: query, href, set: (changes, how) => route(href(changes), how === 'replace') };
};

/** Long enough that a word is not searched letter by letter. */
const TYPING_MS = 250;

/** What is typed into a search box, and by and by the filter `name`. */
export const useTyped = ({ values, set }: Filters, name = 'q'): [string, (typed: string) => void] => {
  const present = values[name] ?? '';
  const [typed, setTyped] = useState(present);
  // A filter that is chosen while one types stays chosen.
  const setNow = useRef(set);
  setNow.current = set;
  useLayoutEffect(() => setTyped(present), [present]);
  useEffect(() => {
    if (typed === present) return;
    const timer = setTimeout(() => setNow.current({ [name]: typed }, 'replace'), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
};
