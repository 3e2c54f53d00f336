// Post: every message of the practice, found as one types.
import { useState } from 'preact/hooks';
import type { Activity, MessageStatus, MessageSummary } from '#api';
import { useFilters, useTyped } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useData, useGathered, usePages } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Badge, Head, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { FilterDay } from '#dashboard/parts/filters.tsx';
import { SearchField } from '#dashboard/parts/form.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { statusNames, toneOf } from '#dashboard/statuses.ts';
import { ExportLink, filterIn, MoreFilters, StatusChips, statusesIn, statusQuery } from './filters.tsx';
import { postWords } from './words.ts';

const Recipients = ({ message: { to, cc, bcc } }: { readonly message: MessageSummary }) => {
  const [first, ...others] = [...to, ...cc, ...bcc];
  if (!first) return <>–</>;
  return (
    <>
      {first.name ?? first.address}
      {first.name && (
        <>
          {' '}
          <span class="quiet address">{first.address}</span>
        </>
      )}
      {others.length > 0 && <span class="quiet"> {postWords().others(others.length)}</span>}
    </>
  );
};

const columns = (): readonly Column<MessageSummary>[] => {
  const w = postWords();
  return [
    { id: 'to', head: w.recipients, cell: (message) => <Recipients message={message} />, isMain: true },
    { id: 'subject', head: w.subject, cell: ({ subject }) => subject || w.noSubject },
    {
      id: 'status',
      head: w.status,
      cell: ({ status }) => <Badge tone={toneOf(status)}>{statusNames()[status]}</Badge>,
    },
    {
      id: 'sent',
      head: w.sent,
      cell: ({ status, scheduled_at, created_at }) => (
        <Time at={status === 'pending' ? (scheduled_at ?? created_at) : created_at} short />
      ),
      align: 'end',
    },
  ];
};

/** The status that an event leaves a message with, where it says so. */
const statusIn = ({
  data,
}: Activity): { readonly id: string; readonly status: MessageStatus } | undefined => {
  const { message_id: id, status } = data as {
    readonly message_id?: string;
    readonly status?: MessageStatus;
  };
  return id !== undefined && status !== undefined ? { id, status } : undefined;
};

const Post = () => {
  const w = postWords();
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const { values } = filters;
  const [typed, setTyped] = useTyped(filters);
  const [fresh, setFresh] = useState(0);
  const filter = filterIn(values);
  const statuses = statusesIn(values);
  const key = JSON.stringify(filter);
  const pages = usePages(
    (cursor, abort) =>
      call(
        'GET /api/practices/{id}/messages/search',
        { id, cursor, ...filter, ...statusQuery(statuses) },
        { abort },
      ),
    [id, key, statuses.join()],
  );
  const counts = useData(
    (abort) => call('GET /api/practices/{id}/messages/search/counts', { id, ...filter }, { abort }),
    [id, key],
  );
  const showFresh = (): void => {
    setFresh(0);
    pages.reload();
  };
  // Rows do not move away from under what is read further down.
  const showIfAtTop = useGathered(() => scrollY === 0 && showFresh());
  const countAgain = useGathered(counts.reload);
  useLive(
    (event) => {
      const changed = statusIn(event);
      if (!changed) return;
      countAgain();
      if (event.event === 'message.created') {
        setFresh((before) => before + 1);
        showIfAtTop();
      } else if (pages.value?.some((row) => row.id === changed.id))
        pages.replace(
          pages.value.map((row) => (row.id === changed.id ? { ...row, status: changed.status } : row)),
        );
    },
    () => {
      showFresh();
      counts.reload();
    },
  );
  const isFiltered = Object.values(filter).some(Boolean) || statuses.length > 0;
  return (
    <>
      <Head
        title={w.title}
        intro={w.intro}
        actions={
          <>
            <ExportLink values={values} />
            {may('messages.send') && (
              <a class="button primary" href={`/app/${id}/send`}>
                {w.send}
              </a>
            )}
          </>
        }
      />
      <search class="postsearch">
        <div class="filters">
          <SearchField label={w.search} value={typed} onValue={setTyped} />
          <FilterDay filters={filters} name="from" label={w.since} />
          <FilterDay filters={filters} name="to" label={w.until} />
        </div>
        <StatusChips counts={counts.value?.data} filters={filters} />
        <MoreFilters filters={filters} />
      </search>
      <p role="status">
        {fresh > 0 && (
          <button type="button" onClick={showFresh}>
            {w.fresh(fresh)}
          </button>
        )}
      </p>
      <PagedTable
        caption={w.found}
        columns={columns()}
        pages={pages}
        rowKey={(row) => row.id}
        href={(row) => `/app/${id}/post/${row.id}`}
        empty={
          isFiltered ? (
            <Empty
              title={w.nothingFound}
              text={w.nothingFoundText}
              action={
                <a class="button" href={`/app/${id}/post`}>
                  {w.reset}
                </a>
              }
            />
          ) : (
            <Empty
              title={w.empty}
              text={w.emptyText}
              action={
                may('messages.send') && (
                  <a class="button primary" href={`/app/${id}/send`}>
                    {w.emptyAction}
                  </a>
                )
              }
              curl={curlOf(
                `practices/${id}/send`,
                '{"to": "erika@example.org", "subject": "Hallo", "text": "Guten Tag"}',
              )}
            />
          )
        }
      />
    </>
  );
};

export default Post;
