// Rows of a list that are chosen, and what is done to them: the API takes one at a time, so they are sent one after another, with how
// far it has come. What was refused stays chosen, with the reason.
import { useRef, useState } from 'preact/hooks';
import { Refusal } from '#dashboard/api/call.ts';
import { Button } from './basics.tsx';
import { Confirm } from './dialog.tsx';
import { partWords } from './words.ts';

export interface Selection<T> {
  readonly ids: ReadonlySet<string>;
  readonly rows: readonly T[];
  readonly canPick: (row: T) => boolean;
  /** What people call the row. */
  readonly nameOf: (row: T) => string;
  readonly pick: (rows: readonly T[], isPicked: boolean) => void;
}

/** Longer ones are done in several goes. */
const MAX_AT_ONCE = 500;

export const useSelection = <T extends { readonly id: string }>(
  rows: readonly T[] | undefined,
  { nameOf, canPick = () => true }: Pick<Selection<T>, 'nameOf'> & Partial<Pick<Selection<T>, 'canPick'>>,
): Selection<T> => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    ids,
    // What is not shown any more is not chosen.
    rows: ids.size === 0 ? [] : (rows ?? []).filter(({ id }) => ids.has(id)),
    canPick,
    nameOf,
    pick: (changed, isPicked) =>
      setIds((before) => {
        const next = new Set(before);
        for (const { id } of changed) isPicked ? next.add(id) : next.delete(id);
        return next;
      }),
  };
};

interface BulkAction<T> {
  readonly button: string;
  readonly text: string;
  readonly kind?: 'danger';
  readonly run: (row: T) => Promise<unknown>;
}

interface Progress {
  readonly done: number;
  readonly all: number;
}

export const BulkBar = <T extends { readonly id: string }>({
  selection: { rows, nameOf, pick },
  actions,
  onDone,
}: {
  readonly selection: Selection<T>;
  readonly actions: readonly BulkAction<T>[];
  readonly onDone: () => void;
}) => {
  const w = partWords().pick;
  const [progress, setProgress] = useState<Progress>();
  const [failed, setFailed] = useState<readonly (readonly [name: string, why: string])[]>([]);
  const isStopped = useRef(false);
  const runAll = async (run: BulkAction<T>['run']): Promise<void> => {
    isStopped.current = false;
    setFailed([]);
    const refused: (readonly [string, string])[] = [];
    const chosen = rows.slice(0, MAX_AT_ONCE);
    for (const [done, row] of chosen.entries()) {
      if (isStopped.current) break;
      setProgress({ done, all: chosen.length });
      try {
        await run(row);
        pick([row], false);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refused.push([nameOf(row), error.message || partWords().unreachable]);
        // No other one would get through either.
        if (error.status === 0) break;
      }
    }
    setProgress(undefined);
    setFailed(refused);
    onDone();
  };
  if (rows.length === 0 && failed.length === 0 && !progress) return null;
  return (
    <section class="bulk" aria-label={w.title}>
      <div class="actions">
        <strong role="status">
          {progress ? w.progress(progress.done, progress.all) : w.count(rows.length)}
        </strong>
        {progress ? (
          <>
            <progress max={progress.all} value={progress.done} aria-label={w.title} />
            <Button text={w.stop} kind="small" onClick={() => (isStopped.current = true)} />
          </>
        ) : (
          <>
            {rows.length > 0 &&
              actions.map(({ button, text, kind, run }) => (
                <Confirm
                  small
                  key={button}
                  button={button}
                  title={w.ask(button, Math.min(rows.length, MAX_AT_ONCE))}
                  text={text}
                  kind={kind}
                  onConfirm={async () => {
                    void runAll(run);
                  }}
                />
              ))}
            <Button
              text={w.none}
              kind="small plain"
              onClick={() => {
                pick(rows, false);
                setFailed([]);
              }}
            />
          </>
        )}
      </div>
      {rows.length > MAX_AT_ONCE && <p class="hint">{w.most(MAX_AT_ONCE)}</p>}
      {failed.length > 0 && (
        <div role="alert">
          <p>{w.failed(failed.length)}</p>
          <ul>
            {failed.map(([name, why]) => (
              <li key={name}>
                {name}: {why}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
};
