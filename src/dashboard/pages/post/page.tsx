// Post: every message of the practice, found as one types.
import { useState } from 'preact/hooks';
import type { Activity, MessageStatus, MessageSummary } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call, newKey } from '#dashboard/api/call.ts';
import { useAnswer, useGathered, useList } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Badge, Button, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { FilterDay, FilterSearch } from '#dashboard/parts/filters.tsx';
import { BulkBar, useSelection } from '#dashboard/parts/selection.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { statusNames, toneOf } from '#dashboard/statuses.ts';
import { translated } from '#dashboard/words.ts';
import { ExportLink, filterIn, MoreFilters, StatusChips, statusesIn, statusQuery } from './filters.tsx';
import { words } from './words/de.ts';

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
      {others.length > 0 && <span class="quiet"> {translated(words).others(others.length)}</span>}
    </>
  );
};

const columns = (): readonly Column<MessageSummary>[] => {
  const w = translated(words);
  return [
    { head: w.to, cell: (message) => <Recipients message={message} />, isMain: true },
    { head: w.subject, cell: ({ subject }) => subject || w.noSubject },
    {
      head: w.status,
      cell: ({ status, held }) => (
        <Badge tone={held ? 'warn' : toneOf(status)}>{held ? w.held : statusNames()[status]}</Badge>
      ),
    },
    {
      head: w.time,
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
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const { values } = filters;
  const [fresh, setFresh] = useState(0);
  const filter = filterIn(values);
  const statuses = statusesIn(values);
  const pages = useList('GET /api/practices/{id}/messages/search', {
    id,
    ...filter,
    ...statusQuery(statuses),
  });
  const counts = useAnswer('GET /api/practices/{id}/messages/search/counts', { id, ...filter });
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
          pages.value
            .map((row) => (row.id === changed.id ? { ...row, status: changed.status } : row))
            // The counts beside the statuses are those of the rows.
            .filter(({ status }) => statuses.length === 0 || statuses.includes(status)),
        );
    },
    () => {
      showFresh();
      counts.reload();
    },
  );
  const selection = useSelection(pages.value, {
    nameOf: ({ to: [first], subject }) => `${first?.name ?? first?.address ?? ''}, ${subject}`,
    canPick: ({ status }) => status !== 'pending',
  });
  const isFiltered = Object.values(filter).some(Boolean) || statuses.length > 0;
  return (
    <>
      <Head
        title={w.pages.post}
        intro={w.intro}
        actions={
          <>
            <ExportLink values={values} />
            {may('messages.send') && (
              <LinkButton text={w.sendMessage} kind="primary" href={`/app/${id}/letter`} />
            )}
          </>
        }
      />
      <search class="postsearch">
        <div class="filters">
          <FilterSearch filters={filters} label={w.searchMail} />
          <FilterDay filters={filters} name="from" label={w.from} />
          <FilterDay filters={filters} name="to" label={w.until} />
        </div>
        <StatusChips counts={counts.value?.data} filters={filters} />
        <MoreFilters filters={filters} />
      </search>
      <p role="status">{fresh > 0 && <Button text={w.fresh(fresh)} onClick={showFresh} />}</p>
      <BulkBar
        selection={selection}
        onDone={showFresh}
        actions={[
          {
            button: w.sendAgain,
            text: w.againText,
            run: ({ id: messageID }) =>
              call(
                'POST /api/practices/{id}/messages/{messageID}/send-again',
                { id, messageID, body: {} },
                { headers: { 'Idempotency-Key': newKey() } },
              ),
          },
        ]}
      />
      <PagedTable
        selection={may('messages.send') ? selection : undefined}
        caption={w.found}
        columns={columns()}
        pages={pages}
        href={(row) => `/app/${id}/post/${row.id}`}
        empty={
          isFiltered ? (
            <Empty
              title={w.nothingFound}
              text={w.nothingFoundText}
              action={<LinkButton text={w.showAll} href={`/app/${id}/post`} />}
            />
          ) : (
            <Empty
              title={w.noMailYet}
              text={w.emptyText}
              action={
                may('messages.send') && (
                  <LinkButton text={w.sendFirst} kind="primary" href={`/app/${id}/letter`} />
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
