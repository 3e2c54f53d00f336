// Tables: on a phone each row becomes a small card that names its cells. `j` and `k` walk through the rows that lead somewhere.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Pages } from '#dashboard/data.ts';
import { Button } from './basics.tsx';
import { ErrorNote, Skeleton } from './feedback.tsx';
import type { Selection } from './selection.tsx';
import { partWords } from './words.ts';

export interface Column<T> {
  /** No other column of the table has it. */
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly align?: 'end';
  /** The row's own link is in this cell; on a phone it is its heading. */
  readonly isMain?: boolean;
}

interface TableProps<T> {
  /** Read out by screen readers; not shown. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Its id where absent. */
  readonly rowKey?: (row: T) => string;
  /** The address to which the row leads. */
  readonly href?: (row: T) => string;
  /** Rows can be chosen for what is done to several; see selection.tsx. */
  readonly selection?: Selection<T>;
}

const PRESSABLE = 'a, button, input, select, label, summary, dialog';

/** A row that leads somewhere does so wherever it is clicked, but for what else can be pressed in it, or while text is selected. */
const followLink = (event: MouseEvent): void => {
  const { currentTarget: row, target } = event;
  if (!(row instanceof Element && target instanceof Element) || target.closest(PRESSABLE)) return;
  // The click has the keys that were held: the link may be wanted in a new tab.
  if (getSelection()?.isCollapsed)
    row.querySelector('a[data-row]')?.dispatchEvent(new MouseEvent('click', event));
};

const idOf = (row: unknown): string => (row as { readonly id: string }).id;

interface RowProps<T> extends Pick<TableProps<T>, 'columns' | 'href' | 'selection'> {
  readonly row: T;
  readonly id: string;
  /** From 1, where not all rows are in the document. */
  readonly place?: number;
}

const Row = <T,>({ row, id, place, columns, href, selection }: RowProps<T>) => (
  <tr onClick={href && followLink} aria-rowindex={place === undefined ? undefined : place + 1}>
    {selection && (
      <td class="pick">
        {selection.canPick(row) && (
          <input
            type="checkbox"
            aria-label={partWords().pick.one(selection.nameOf(row))}
            checked={selection.ids.has(id)}
            onChange={(event) => selection.pick([row], event.currentTarget.checked)}
          />
        )}
      </td>
    )}
    {columns.map(({ head, cell, align, isMain }) => (
      <td
        key={head}
        data-head={isMain ? undefined : head}
        class={[align, isMain ? 'main' : ''].join(' ').trim() || undefined}
      >
        {isMain && href ? (
          <a href={href(row)} data-row>
            {cell(row)}
          </a>
        ) : (
          cell(row)
        )}
      </td>
    ))}
  </tr>
);

/** Beyond so many rows only those around the window are in the document. */
const MAX_WHOLE = 500;
const BLOCK = 50;
/** Until a block was seen. */
const ROW_HEIGHT = 41;
/** Above and below the window. */
const MARGIN = '1500px 0px';

/** Blocks of rows, of which those far from the window are one empty row of their height. */
const Blocks = <T,>({ rows, rowKey = idOf, ...table }: Omit<TableProps<T>, 'caption'>) => {
  const [near, setNear] = useState<ReadonlySet<number>>(new Set([0, 1]));
  const heights = useRef(new Map<number, number>()).current;
  const [observer, setObserver] = useState<IntersectionObserver>();
  useEffect(() => {
    const made = new IntersectionObserver(
      (entries) =>
        setNear((before) => {
          const next = new Set(before);
          for (const { target, isIntersecting, boundingClientRect } of entries) {
            const at = Number((target as HTMLElement).dataset.block);
            if (isIntersecting) next.add(at);
            else if (next.delete(at)) heights.set(at, boundingClientRect.height);
          }
          return next;
        }),
      { rootMargin: MARGIN },
    );
    setObserver(made);
    return () => made.disconnect();
  }, []);
  const count = Math.ceil(rows.length / BLOCK);
  return (
    <>
      {Array.from({ length: count }, (_, at) => {
        const block = rows.slice(at * BLOCK, (at + 1) * BLOCK);
        const height = heights.get(at) ?? block.length * ROW_HEIGHT;
        return (
          <Block key={at} at={at} observer={observer} height={near.has(at) ? undefined : height}>
            {near.has(at) &&
              block.map((row, index) => (
                <Row key={rowKey(row)} id={rowKey(row)} row={row} place={at * BLOCK + index + 1} {...table} />
              ))}
          </Block>
        );
      })}
    </>
  );
};

const Block = ({
  at,
  observer,
  height,
  children,
}: {
  readonly at: number;
  readonly observer: IntersectionObserver | undefined;
  /** Where it is empty. */
  readonly height: number | undefined;
  readonly children: ComponentChildren;
}) => {
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    const element = body.current;
    if (!element || !observer) return;
    observer.observe(element);
    return () => observer.unobserve(element);
  }, [observer]);
  return (
    <tbody ref={body} data-block={at}>
      {height === undefined ? (
        children
      ) : (
        <tr
          ref={(row) => {
            if (row) row.style.height = `${height}px`;
          }}
        />
      )}
    </tbody>
  );
};

export const Table = <T,>({ caption, ...table }: TableProps<T>) => {
  const { columns, rows, rowKey = idOf, selection } = table;
  const isWhole = rows.length <= MAX_WHOLE;
  const pickable = selection ? rows.filter(selection.canPick) : [];
  const picked = pickable.filter((row) => selection?.ids.has(rowKey(row)));
  return (
    <table aria-rowcount={isWhole ? undefined : rows.length + 1}>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr aria-rowindex={isWhole ? undefined : 1}>
          {selection && (
            <td class="pick">
              {pickable.length > 0 && (
                <input
                  type="checkbox"
                  aria-label={partWords().pick.all}
                  checked={picked.length === pickable.length}
                  ref={(box) => {
                    if (box) box.indeterminate = picked.length > 0 && picked.length < pickable.length;
                  }}
                  onChange={(event) => selection.pick(pickable, event.currentTarget.checked)}
                />
              )}
            </td>
          )}
          {columns.map(({ head, align }) => (
            <th key={head} scope="col" class={align}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      {isWhole ? (
        <tbody>
          {rows.map((row) => (
            <Row key={rowKey(row)} id={rowKey(row)} row={row} {...table} />
          ))}
        </tbody>
      ) : (
        <Blocks {...table} />
      )}
    </table>
  );
};

/** What comes next is loaded when it is so near below the window. */
const NEAR = '800px 0px';

/** Loads the rest of a list piece by piece: as one scrolls, or by its button. */
export const More = ({
  pages: { more, isLoadingMore, error },
  text = partWords().more,
  isAsked = false,
}: {
  readonly pages: Pick<Pages<unknown>, 'more' | 'isLoadingMore'> & { readonly error?: unknown };
  readonly text?: string;
  /** Only the button loads. */
  readonly isAsked?: boolean;
}) => {
  const place = useRef<HTMLParagraphElement>(null);
  const isStill = isAsked || error !== undefined;
  const latest = useRef(more);
  latest.current = more;
  useEffect(() => {
    if (isStill || isLoadingMore || !place.current) return;
    // A busy page is told several at once: the last one is how it is now.
    const observer = new IntersectionObserver((seen) => seen.at(-1)?.isIntersecting && latest.current?.(), {
      rootMargin: NEAR,
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isStill, isLoadingMore, more === undefined]);
  return more ? (
    <p class="more" ref={place}>
      <Button text={text} onClick={more} disabled={isLoadingMore} />
    </p>
  ) : null;
};

/** Says what was found, for those who do not see it. */
const Found = ({
  pages: { value, more, isLoading, isSearchingOn },
}: {
  readonly pages: Pick<Pages<unknown>, 'value' | 'more' | 'isLoading' | 'isSearchingOn'>;
}) => {
  const w = partWords().found;
  const isFirst = useRef(true);
  const text =
    value === undefined || isLoading ? undefined : more ? w.some(value.length) : w.all(value.length);
  const [said, say] = useState('');
  useEffect(() => {
    if (text === undefined) return;
    // The page itself has just been read out.
    if (!isFirst.current) say(text);
    isFirst.current = false;
  }, [text]);
  return (
    <>
      <p class="hidden" role="status">
        {said}
      </p>
      <p class="quiet" role="status">
        {isSearchingOn && w.searchingOn}
      </p>
    </>
  );
};

interface PagedProps<T> {
  readonly pages: Pages<T>;
  /** Where there is nothing. */
  readonly empty: ComponentChildren;
}

export const Paged = <T,>({
  pages,
  empty,
  children,
}: PagedProps<T> & { readonly children: (rows: readonly T[]) => ComponentChildren }) => {
  const { value, error, isLoading, isOther, reload, more } = pages;
  return (
    <>
      <ErrorNote error={error} onRetry={reload} />
      <Found pages={pages} />
      {value === undefined && error === undefined && <Skeleton lines={10} />}
      {value !== undefined && (
        <div class={isOther ? 'loaded old' : 'loaded'} aria-busy={isLoading}>
          {value.length > 0 ? children(value) : more ? <p>{partWords().found.noneSoFar}</p> : empty}
          <More
            pages={pages}
            isAsked={value.length === 0}
            text={value.length === 0 ? partWords().found.searchOn : undefined}
          />
        </div>
      )}
    </>
  );
};

export const PagedTable = <T,>({ pages, empty, ...table }: Omit<TableProps<T>, 'rows'> & PagedProps<T>) => (
  <Paged pages={pages} empty={empty}>
    {(rows) => <Table {...table} rows={rows} />}
  </Paged>
);
