// Tables: on a phone each row becomes a small card that names its cells. `j` and `k` walk through the rows that lead somewhere.
import type { ComponentChildren } from 'preact';
import type { Pages } from '#dashboard/data.ts';
import { Button } from './basics.tsx';
import { ErrorNote, Skeleton } from './feedback.tsx';
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

export const Table = <T,>({ caption, columns, rows, rowKey = idOf, href }: TableProps<T>) => (
  <table>
    <caption class="hidden">{caption}</caption>
    <thead>
      <tr>
        {columns.map(({ head, align }) => (
          <th key={head} scope="col" class={align}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={rowKey(row)} onClick={href && followLink}>
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
      ))}
    </tbody>
  </table>
);

/** Loads the rest of a list piece by piece. */
export const More = ({
  pages: { more, isLoadingMore },
  text = partWords().more,
}: {
  readonly pages: Pick<Pages<unknown>, 'more' | 'isLoadingMore'>;
  readonly text?: string;
}) =>
  more ? (
    <p class="more">
      <Button text={text} onClick={more} disabled={isLoadingMore} />
    </p>
  ) : null;

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
      {value === undefined && error === undefined && <Skeleton lines={10} />}
      {value !== undefined && (
        <div class={isOther ? 'loaded old' : 'loaded'} aria-busy={isLoading}>
          {value.length === 0 && !more ? empty : children(value)}
          <More pages={pages} />
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
