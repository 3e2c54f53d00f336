// The conditions by which people of lists are chosen, with how many fit while one builds them; saved choices are taken and kept.
import { useEffect, useState } from 'preact/hooks';
import type { SegmentCount } from '#api';
import { call } from '#dashboard/api/call.ts';
import { allPages, useData } from '#dashboard/data.ts';
import { Button } from '#dashboard/parts/basics.tsx';
import { ErrorNote } from '#dashboard/parts/feedback.tsx';
import { number, translated } from '#dashboard/words.ts';
import { asksReading, type Choice, Condition, type Filter, wholeOf } from './conditions.tsx';
import { SavedSegments, SaveSegment } from './saved.tsx';
import { words } from './words/de.ts';

export { type Choice, wholeOf } from './conditions.tsx';

/** Counting again for each letter would be refused. */
const TYPING_MS = 800;
const MAX_CONDITIONS = 10;

const Count = ({ id, listIds, filter }: Choice & { readonly id: string }) => {
  const w = translated(words);
  const wanted = JSON.stringify({ list_ids: listIds, filter: wholeOf(filter) });
  const [found, setFound] = useState<{ readonly of: string; readonly count: SegmentCount }>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (listIds.length === 0) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      call(
        'POST /api/practices/{id}/segments/count',
        { id, body: JSON.parse(wanted) },
        { abort: controller.signal },
      ).then(
        (count) => {
          setFound({ of: wanted, count });
          setError(undefined);
        },
        (refused) => !controller.signal.aborted && setError(refused),
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [id, wanted]);
  return (
    <>
      <p role="status" class={found?.of === wanted ? undefined : 'quiet'}>
        {listIds.length === 0 ? w.noList : found && w.count(found.count.active, number(found.count.people))}
        {listIds.length > 0 && found && asksReading(filter) && ` ${w.untracked(found.count.untracked)}`}
      </p>
      <ErrorNote error={error} />
    </>
  );
};

/** Whom it is for: the lists are chosen beside it. */
export const SegmentBuilder = ({
  id,
  choice,
  onChoice,
}: {
  readonly id: string;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}) => {
  const w = translated(words);
  const { filter } = choice;
  const saved = useData(
    (abort) => allPages((page) => call('GET /api/practices/{id}/segments', { id, ...page }, { abort })),
    [id],
  );
  const setFilter = (changed: Filter): void => onChoice({ ...choice, filter: changed, segmentId: undefined });
  return (
    <fieldset class="field segment">
      <legend>{w.title}</legend>
      <p class="hint">{w.hint}</p>
      {saved.value && saved.value.length > 0 && (
        <SavedSegments
          id={id}
          choice={choice}
          segments={saved.value}
          onChoice={onChoice}
          onChanged={saved.reload}
        />
      )}
      {filter.map((condition, at) => (
        <Condition
          key={at}
          condition={condition}
          onCondition={(changed) => setFilter(filter.with(at, changed))}
          onRemove={() => setFilter(filter.toSpliced(at, 1))}
        />
      ))}
      {asksReading(filter) && <p class="hint">{w.readingHint}</p>}
      <Count id={id} {...choice} />
      <div class="actions">
        <Button
          text={w.add}
          disabled={filter.length >= MAX_CONDITIONS}
          onClick={() => setFilter([...filter, { field: '', op: 'is', value: '' }])}
        />
        {wholeOf(filter).length > 0 && choice.listIds.length > 0 && (
          <SaveSegment
            id={id}
            choice={choice}
            onSaved={(segment) => {
              onChoice({ ...choice, segmentId: segment.id });
              saved.reload();
            }}
          />
        )}
      </div>
    </fieldset>
  );
};
