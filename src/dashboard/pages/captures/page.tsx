// Captured mail: what would have gone out in test mode.
import type { CapturedMail } from '#api';
import { useFilters, useTyped } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useGathered, usePages } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Head, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { SearchField } from '#dashboard/parts/form.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { bytes } from '#dashboard/words.ts';
import { capturesWords } from './words.ts';

const columns = (): readonly Column<CapturedMail>[] => {
  const w = capturesWords();
  return [
    { id: 'subject', head: w.subject, cell: ({ subject }) => subject ?? w.unknown, isMain: true },
    { id: 'recipient', head: w.recipient, cell: ({ recipient }) => recipient },
    { id: 'size', head: w.size, cell: ({ size_bytes }) => bytes(size_bytes), align: 'end' },
    {
      id: 'captured',
      head: w.captured,
      cell: ({ captured_at }) => <Time at={captured_at} seconds />,
      align: 'end',
    },
  ];
};

const Captures = () => {
  const w = capturesWords();
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const { message_id = '', q = '' } = filters.values;
  const [typed, setTyped] = useTyped(filters);
  const pages = usePages(
    (cursor, abort) => call('GET /api/practices/{id}/captures', { id, message_id, q, cursor }, { abort }),
    [id, message_id, q],
  );
  const reload = useGathered(pages.reload);
  useLive(({ event }) => {
    if (event === 'message.sent') reload();
  }, pages.reload);
  return (
    <>
      <Head title={w.title} intro={w.intro} />
      {message_id !== '' && (
        <p>
          {w.ofMessage} <a href={filters.href({ message_id: '' })}>{w.showAll}</a>
        </p>
      )}
      <search class="filters">
        <SearchField label={w.search} value={typed} onValue={setTyped} />
      </search>
      <PagedTable
        caption={w.found}
        columns={columns()}
        pages={pages}
        rowKey={(mail) => mail.id}
        href={(mail) => `/app/${id}/captures/${mail.id}`}
        empty={
          <Empty
            title={q === '' ? w.empty : w.nothingFound}
            text={q === '' ? w.emptyText : w.nothingFoundText}
            action={
              q !== '' && (
                <a class="button" href={filters.href({ q: '' })}>
                  {w.showAll}
                </a>
              )
            }
            curl={curlOf(`practices/${id}/captures`)}
          />
        }
      />
    </>
  );
};

export default Captures;
