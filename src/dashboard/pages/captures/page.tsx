// Captured mail: what would have gone out in test mode.

import type { CapturedMail } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { useGathered, useList } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Head, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { FilterSearch, ShowAll } from '#dashboard/parts/filters.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { bytes, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const columns = (): readonly Column<CapturedMail>[] => {
  const w = translated(words);
  return [
    { head: w.subject, cell: ({ subject }) => subject ?? w.unknown, isMain: true },
    { head: w.recipient, cell: ({ recipient }) => recipient },
    { head: w.size, cell: ({ size_bytes }) => bytes(size_bytes), align: 'end' },
    { head: w.captured, cell: ({ captured_at }) => <Time at={captured_at} seconds />, align: 'end' },
  ];
};

const Captures = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const { message_id = '', q = '' } = filters.values;
  const pages = useList('GET /api/practices/{id}/captures', { id, message_id, q });
  const reload = useGathered(pages.reload);
  useLive(({ event }) => {
    if (event === 'message.sent') reload();
  }, pages.reload);
  return (
    <>
      <Head title={w.pages.captures} intro={w.intro} />
      {message_id !== '' && (
        <p>
          {w.ofMessage} <a href={filters.href({ message_id: '' })}>{w.showAll}</a>
        </p>
      )}
      <search class="filters">
        <FilterSearch filters={filters} label={w.search} />
      </search>
      <PagedTable
        caption={w.capturedMails}
        columns={columns()}
        pages={pages}
        href={(mail) => `/app/${id}/captures/${mail.id}`}
        empty={
          <Empty
            title={q === '' ? w.empty : w.nothingFound}
            text={q === '' ? w.emptyText : w.nothingFoundText}
            action={q !== '' && <ShowAll filters={filters} names={['q']} />}
            curl={curlOf(`practices/${id}/captures`)}
          />
        }
      />
    </>
  );
};

export default Captures;
