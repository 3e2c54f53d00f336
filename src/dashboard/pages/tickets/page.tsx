// Reports of abuse: the list, or one of them.
import type { AbuseTicketSummary } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { usePages } from '#dashboard/data.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Badge, Head, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { Ticket } from './ticket.tsx';
import { stageTones } from './tones.ts';
import { ticketWords } from './words.ts';

const Tickets = () => {
  const w = ticketWords();
  const { values, href } = useFilters();
  const stage = values.stage ?? '';
  const pages = usePages(
    (cursor, abort) =>
      call(
        'GET /api/admin/abuse-tickets',
        {
          cursor,
          stage: stage as AbuseTicketSummary['stage'],
        },
        { abort },
      ),
    [stage],
  );
  const tabs = [['', w.all], ...Object.entries(w.stages)].map(([id = '', text = '']) => ({
    id,
    text,
    href: href({ stage: id }),
  }));
  return (
    <>
      <Head title={w.title} intro={w.intro} />
      <Tabs label={w.byStage} tabs={tabs} present={stage} />
      <PagedTable<AbuseTicketSummary>
        caption={w.title}
        pages={pages}
        rowKey={({ id }) => id}
        href={({ id }) => `/app/operator/tickets/${id}`}
        columns={[
          { id: 'subject', head: w.subject, isMain: true, cell: ({ subject }) => subject },
          { id: 'from', head: w.reporter, cell: ({ reporter }) => reporter.name ?? reporter.email },
          {
            id: 'stage',
            head: w.stage,
            cell: ({ stage: at }) => <Badge tone={stageTones[at]}>{w.stages[at]}</Badge>,
          },
          {
            id: 'received',
            head: w.received,
            align: 'end',
            cell: ({ created_at }) => <Time at={created_at} />,
          },
        ]}
        empty={
          <Empty
            title={w.empty}
            text={w.emptyText}
            action={
              <a class="button" href="/api/public/abuse" target="_blank" rel="noreferrer">
                {w.form}
              </a>
            }
            curl={curlOf('admin/abuse-tickets')}
          />
        }
      />
    </>
  );
};

const TicketsPage = ({ item }: PageProps) => (item === undefined ? <Tickets /> : <Ticket id={item} />);

export default TicketsPage;
