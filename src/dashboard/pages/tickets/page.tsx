// Reports of abuse: the list, or one of them.
import type { AbuseTicketSummary } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { useList } from '#dashboard/data.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Badge, Head, LinkButton, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { translated } from '#dashboard/words.ts';
import { Ticket } from './ticket.tsx';
import { stageTones } from './tones.ts';
import { words } from './words/de.ts';

const Tickets = () => {
  const w = translated(words);
  const { values, href } = useFilters();
  const stage = values.stage ?? '';
  const pages = useList('GET /api/admin/abuse-tickets', { stage: stage as AbuseTicketSummary['stage'] });
  const tabs = [['', w.all], ...Object.entries(w.stages)].map(([id = '', text = '']) => ({
    id,
    text,
    href: href({ stage: id }),
  }));
  return (
    <>
      <Head title={w.pages['operator/tickets']} intro={w.intro} />
      <Tabs label={w.byStage} tabs={tabs} present={stage} />
      <PagedTable<AbuseTicketSummary>
        caption={w.pages['operator/tickets']}
        pages={pages}
        href={({ id }) => `/app/operator/tickets/${id}`}
        columns={[
          { head: w.subject, isMain: true, cell: ({ subject }) => subject },
          { head: w.from, cell: ({ reporter }) => reporter.name ?? reporter.email },
          { head: w.stage, cell: ({ stage: at }) => <Badge tone={stageTones[at]}>{w.stages[at]}</Badge> },
          { head: w.received, align: 'end', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty
            title={w.empty}
            text={w.emptyText}
            action={<LinkButton text={w.form} href="/api/public/abuse" target="_blank" rel="noreferrer" />}
            curl={curlOf('admin/abuse-tickets')}
          />
        }
      />
    </>
  );
};

const TicketsPage = ({ item }: PageProps) => (item === undefined ? <Tickets /> : <Ticket id={item} />);

export default TicketsPage;
