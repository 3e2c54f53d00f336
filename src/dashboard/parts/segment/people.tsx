// The people of lists who fit conditions: in the place of the table of a page, with the builder above it.
import { useEffect, useState } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { allPages, useData, usePages } from '#dashboard/data.ts';
import { Badge, Time } from '#dashboard/parts/basics.tsx';
import { Empty, Loaded } from '#dashboard/parts/feedback.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { subscriberStatuses, subscriberTones } from '#dashboard/statuses.ts';
import { number, translated } from '#dashboard/words.ts';
import { type Choice, SegmentBuilder, wholeOf } from './segment.tsx';
import { words } from './words/de.ts';

/** What is typed is not asked for letter by letter. */
const TYPING_MS = 500;

const Lists = ({
  id,
  choice,
  onChoice,
}: {
  readonly id: string;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}) => {
  const w = translated(words);
  const lists = useData(
    (abort) => allPages((page) => call('GET /api/practices/{id}/lists', { id, ...page }, { abort })),
    [id],
  );
  const { listIds } = choice;
  return (
    <Loaded data={lists}>
      {(all) => (
        <fieldset class="field">
          <legend>{w.lists}</legend>
          {all.map((list) => (
            <label key={list.id} class="choice">
              <input
                type="checkbox"
                checked={listIds.includes(list.id)}
                onChange={({ currentTarget: { checked } }) =>
                  onChoice({
                    ...choice,
                    listIds: checked ? [...listIds, list.id] : listIds.filter((one) => one !== list.id),
                    segmentId: undefined,
                  })
                }
              />
              <span>
                {list.name} <span class="quiet">({number(list.counts.active)})</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </Loaded>
  );
};

/** `listId`: the one list whose people they are; absent: lists are chosen too. */
export const SegmentPeople = ({ id, listId }: { readonly id: string; readonly listId?: string }) => {
  const w = translated(words);
  const [choice, setChoice] = useState<Choice>({ listIds: listId ? [listId] : [], filter: [] });
  const wanted = JSON.stringify({ list_ids: choice.listIds, filter: wholeOf(choice.filter) });
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), TYPING_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const pages = usePages(
    async (cursor, abort) => {
      const body = JSON.parse(asked);
      if (body.list_ids.length === 0) return { data: [], next_cursor: null };
      return call('POST /api/practices/{id}/segments/people', { id, body: { ...body, cursor } }, { abort });
    },
    [id, asked],
  );
  const onChoice = (chosen: Choice): void =>
    // A saved choice of other lists is counted with its own; on the page of a list it is about that list.
    setChoice(listId && chosen.segmentId !== choice.segmentId ? { ...chosen, listIds: [listId] } : chosen);
  return (
    <>
      {!listId && <Lists id={id} choice={choice} onChoice={setChoice} />}
      <SegmentBuilder id={id} choice={choice} onChoice={onChoice} />
      <PagedTable
        caption={w.people}
        pages={pages}
        rowKey={(row) => row.id}
        href={(row) => `/app/${id}/people/${encodeURIComponent(row.address)}`}
        columns={[
          { head: w.address, isMain: true, cell: ({ address }) => address },
          { head: w.personName, cell: ({ name }) => name ?? '–' },
          {
            head: w.status,
            cell: ({ status }) => (
              <Badge tone={subscriberTones[status]}>{subscriberStatuses()[status]}</Badge>
            ),
          },
          {
            head: w.lastOpened,
            align: 'end',
            cell: ({ opened_at }) => (opened_at ? <Time at={opened_at} short /> : '–'),
          },
        ]}
        empty={<Empty title={choice.listIds.length === 0 ? w.noList : w.nobody} text={w.nobodyText} />}
      />
    </>
  );
};
