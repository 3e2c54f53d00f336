// What pages load: one record or list that is shown, shown dimmed while another is loaded, and replaced by what the API refused
// it with; lists by pages; and actions, which a button or a form starts.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  type Answer,
  call,
  type Input,
  type OperationName,
  Refusal,
  TakenOver,
} from '#dashboard/api/call.ts';
import { keepNewest, placeKey } from '#dashboard/place.ts';
import { language } from '#dashboard/words.ts';

export interface Data<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** What is shown was loaded for other inputs than these. */
  readonly isOther: boolean;
  /** Loads again; what is shown stays until then. */
  readonly reload: () => void;
  /** Shows that until it is loaded again. */
  readonly replace: (value: T) => void;
}

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** What is shown at first, and whether it is shown without being loaded again. */
interface First<T> {
  readonly value: T;
  readonly isEnough: boolean;
}

/** Loads at first and whenever one of `inputs` changes; an answer that came too late is dropped. */
export const useData = <T>(
  load: (abort: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  given?: First<T>,
): Data<T> => {
  const [state, setState] = useState<Pick<Data<T>, 'value' | 'error' | 'isLoading'>>({
    value: given?.value,
    error: undefined,
    isLoading: given?.isEnough !== true,
  });
  const isEnough = useRef(given?.isEnough);
  const [turn, setTurn] = useState(0);
  /** What the value or the error that is shown was loaded for. */
  const shownFor = useRef<readonly unknown[]>(inputs);
  const isOther = inputs.some((input, at) => input !== shownFor.current[at]);
  useEffect(() => {
    if (isEnough.current) {
      isEnough.current = false;
      return;
    }
    const controller = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(controller.signal).then(
      (value) => {
        if (controller.signal.aborted) return;
        shownFor.current = inputs;
        setState({ value, error: undefined, isLoading: false });
      },
      (error) => {
        if (controller.signal.aborted || isAbort(error)) return;
        shownFor.current = inputs;
        // Beside an error nothing is shown that was loaded for something else.
        setState((before) => ({ value: isOther ? undefined : before.value, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [...inputs, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const replace = useCallback((value: T) => setState({ value, error: undefined, isLoading: false }), []);
  return { ...state, isLoading: state.isLoading || isOther, isOther, reload, replace };
};

/** What decides the answer: texts in it are in the language of the page. */
const inputsOf = (name: string, input: object): readonly unknown[] => [
  name,
  JSON.stringify(input),
  language.value,
];

/** What the API answers to this, loaded again whenever the input is another one. */
export const useAnswer = <K extends OperationName>(name: K, input: Input<K>): Data<Answer<K>> =>
  useData((abort) => call(name, input, { abort }), inputsOf(name, input));

/** Like `useData`, and loaded again every `everyMs` while the page is looked at; a failure of that is not shown. */
export const useRefreshed = <T>(load: (abort: AbortSignal) => Promise<T>, everyMs: number): Data<T> => {
  const data = useData(load, []);
  useEffect(() => {
    const controller = new AbortController();
    let isLoading = false;
    const refresh = async (): Promise<void> => {
      if (isLoading || document.visibilityState !== 'visible') return;
      isLoading = true;
      try {
        const value = await load(controller.signal);
        if (!controller.signal.aborted) data.replace(value);
      } catch {
        // What is shown stays; the next one may succeed, and the shell says that there is no connection.
      } finally {
        isLoading = false;
      }
    };
    const timer = setInterval(() => void refresh(), everyMs);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, []);
  return data;
};

/** Loads again whenever `version` changes: of the same thing there is more or something newer. */
export const useNewer = ({ reload }: Pick<Data<unknown>, 'reload'>, version: unknown): void => {
  const shown = useRef(version);
  useEffect(() => {
    if (shown.current !== version) reload();
    shown.current = version;
  }, [version]);
};

/** Much that happens at once is shown together. */
const GATHERING_MS = 500;

/** Runs it once for all that happens within a short time, and after the last of it. */
export const useGathered = (run: () => void, withinMs = GATHERING_MS): (() => void) => {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, withinMs);
  };
};

/** Records that the API gives at once. */
const MAX_PAGE = 100;

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** All records of a list of which one is chosen. */
export const allPages = async <T>(
  load: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<T>>,
): Promise<readonly T[]> => {
  const all: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<T> = await load({ limit: MAX_PAGE, cursor });
    all.push(...page.data);
    cursor = page.next_cursor;
  }
  return all;
};

export interface Pages<T> extends Data<readonly T[]> {
  /** Absent where all is shown. */
  readonly more: (() => void) | undefined;
  readonly isLoadingMore: boolean;
  /** Nothing was found so far, and the search goes on. */
  readonly isSearchingOn: boolean;
}

/** A search that finds little stops after some time, and gives a page without rows: so many of them are followed. */
const MAX_EMPTY = 20;
/** Rows that are loaded again together. */
const MAX_RELOADED = 500;
const MAX_KEPT_ROWS = 10_000;
const MAX_KEPT_LISTS = 3;

/** Lists as they were when their pages were left, by entry of the history and inputs. */
const keptLists = new Map<string, Page<unknown>>();

/** Pages from the cursor on, until there are so many rows; a page without any is not the end. */
const filledPage = async <T>(
  load: (cursor: string | undefined) => Promise<Page<T>>,
  from: string | undefined,
  least: number,
  onEmpty: () => void,
): Promise<Page<T>> => {
  const data: T[] = [];
  let empty = 0;
  for (let cursor = from; ; ) {
    const page = await load(cursor);
    data.push(...page.data);
    const next = page.next_cursor;
    if (page.data.length === 0) empty += 1;
    if (next === null || data.length >= least || empty === MAX_EMPTY) return { data, next_cursor: next };
    if (data.length === 0) onEmpty();
    cursor = next;
  }
};

/** Like `useData`, for lists with cursors. */
export const usePages = <T>(
  load: (cursor: string | undefined, abort: AbortSignal) => Promise<Page<T>>,
  inputs: readonly unknown[],
): Pages<T> => {
  const name = inputs.join(' ');
  const path = useRef(location.pathname);
  const key = useRef('');
  const kept = useMemo(() => keptLists.get(`${placeKey()} ${name}`) as Page<T> | undefined, []);
  const [isSearchingOn, setSearchingOn] = useState(false);
  /** So many rows were shown for these inputs. */
  const shown = useRef({ name, rows: kept?.data.length ?? 0 });
  const first = useData(
    async (abort) => {
      const least = shown.current.name === name ? Math.min(shown.current.rows, MAX_RELOADED) : 0;
      try {
        return await filledPage(
          (cursor) => load(cursor, abort),
          undefined,
          Math.max(1, least),
          () => setSearchingOn(true),
        );
      } finally {
        if (!abort.aborted) setSearchingOn(false);
      }
    },
    inputs,
    kept && { value: kept, isEnough: kept.data.length > MAX_RELOADED },
  );
  const [added, setAdded] = useState<{ readonly first: Page<T>; readonly page: Page<T> }>();
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [refused, setRefused] = useState<{ readonly first: Page<T>; readonly error: unknown }>();
  // What was added belongs to the first page that it was added to.
  const rest = added && added.first === first.value ? added.page : undefined;
  const cursor = (rest ?? first.value)?.next_cursor ?? null;
  const start = first.value;
  const rows = useMemo(() => start && (rest ? [...start.data, ...rest.data] : start.data), [start, rest]);
  if (!first.isOther) shown.current = { name, rows: rows?.length ?? 0 };
  const latest = useRef<Page<T> | undefined>(undefined);
  latest.current = rows && !first.isOther ? { data: rows, next_cursor: cursor } : undefined;
  useEffect(() => {
    // While another page is loaded this one is shown beside its address.
    if (location.pathname === path.current) key.current = `${placeKey()} ${name}`;
  });
  useEffect(
    () => () => {
      const left = latest.current;
      if (left && left.data.length <= MAX_KEPT_ROWS) keepNewest(keptLists, key.current, left, MAX_KEPT_LISTS);
    },
    [],
  );
  const isBusy = useRef(false);
  const more =
    start === undefined || cursor === null
      ? undefined
      : () => {
          if (isBusy.current) return;
          isBusy.current = true;
          setLoadingMore(true);
          setRefused(undefined);
          filledPage(
            (at) => load(at, new AbortController().signal),
            cursor,
            1,
            () => setSearchingOn(true),
          )
            .then(({ data, next_cursor }) =>
              setAdded({ first: start, page: { data: [...(rest?.data ?? []), ...data], next_cursor } }),
            )
            .catch((error) => setRefused({ first: start, error }))
            .finally(() => {
              isBusy.current = false;
              setLoadingMore(false);
              setSearchingOn(false);
            });
        };
  return {
    // That nothing was found for other inputs says nothing of these.
    value: first.isOther && rows?.length === 0 ? undefined : rows,
    error: first.error ?? (refused && refused.first === first.value ? refused.error : undefined),
    isLoading: first.isLoading,
    isOther: first.isOther,
    reload: first.reload,
    replace: (data) => start && first.replace({ data, next_cursor: cursor }),
    more,
    isLoadingMore,
    isSearchingOn,
  };
};

type RowOf<K extends OperationName> = Answer<K> extends Page<infer T> ? T : never;

/** The pages of a list of the API, from the first one again whenever the input is another one. */
export const useList = <K extends OperationName>(name: K, input: Input<K>): Pages<RowOf<K>> =>
  usePages(
    async (cursor, abort) => {
      const page: unknown = await call(name, { ...input, cursor } as Input<K>, { abort });
      return page as Page<RowOf<K>>;
    },
    inputsOf(name, input),
  );

/** Until it is known that there are some, what an empty list offers is not offered beside it: its dialog would go with it. */
export const hasRows = ({ value }: Pick<Pages<unknown>, 'value'>): boolean =>
  value !== undefined && value.length > 0;

export interface Action<A extends readonly unknown[]> {
  /** Resolves with whether it was done. */
  readonly run: (...given: A) => Promise<boolean>;
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly clear: () => void;
}

/** What a button or form does: once at a time, its refusal kept to be shown beside it. */
export const useAction = <A extends readonly unknown[]>(
  act: (...given: A) => Promise<unknown>,
): Action<A> => {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const busy = useRef(false);
  const run = async (...given: A): Promise<boolean> => {
    if (busy.current) return false;
    busy.current = true;
    setRunning(true);
    setError(undefined);
    try {
      await act(...given);
      return true;
    } catch (refused) {
      // The other version is in the form now: what was typed was given up.
      if (refused instanceof TakenOver) return true;
      setError(refused);
      return false;
    } finally {
      busy.current = false;
      setRunning(false);
    }
  };
  return { run, isRunning, error, clear: () => setError(undefined) };
};

/** The problem of a field of a form, by the path in the body: `to[0].address`, or what begins with it. */
export const problemAt = (error: unknown, path: string) => {
  if (!(error instanceof Refusal)) return undefined;
  const { fields, language } = error;
  const problem = fields.find(
    ({ path: at }) => at === `body.${path}` || /^[.[]/.test(at.replace(`body.${path}`, '')),
  );
  return problem && { message: problem.message, language };
};
