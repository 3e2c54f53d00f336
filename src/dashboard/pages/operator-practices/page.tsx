// All practices of the installation, for its operator.
import { useState } from 'preact/hooks';
import type { OperatorPractice } from '#api';
import { useFilters } from '#dashboard/address.ts';
import type { Input } from '#dashboard/api/call.ts';
import { useAnswer, useList } from '#dashboard/data.ts';
import { Badge, Button, Head, Lamp, LinkButton } from '#dashboard/parts/basics.tsx';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { FilterSearch, FilterSelect, ShowAll } from '#dashboard/parts/filters.tsx';
import { NewPractice } from '#dashboard/parts/new-practice.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { planNames } from '#dashboard/plans.ts';
import { moment, number, percent, translated } from '#dashboard/words.ts';
import { Manage, type Readable } from './manage.tsx';
import { words } from './words/de.ts';

type Query = Input<'GET /api/admin/practices'>;

const nameOf = (row: OperatorPractice): string => ('unavailable' in row ? row.slug : row.name);

const States = ({ row }: { readonly row: Readable }) => {
  const w = translated(words);
  return (
    <>
      <Badge tone={row.status === 'paused' ? 'bad' : 'good'}>{w.statuses[row.status]}</Badge>{' '}
      {row.safe_mode && <Badge tone="plain">{w.safeMode}</Badge>}{' '}
      {row.approval === 'waiting' && <Badge tone="warn">{w.approvals.waiting}</Badge>}
    </>
  );
};

const columns = (onManage: (row: Readable) => void): readonly Column<OperatorPractice>[] => {
  const w = translated(words);
  return [
    { head: w.practice, isMain: true, cell: nameOf },
    {
      head: w.plan,
      cell: (row) => ('unavailable' in row ? '–' : <span class="whole">{planNames[row.plan]}</span>),
    },
    {
      head: w.used,
      cell: (row) =>
        'unavailable' in row
          ? '–'
          : w.usedOf(number(row.usage.accepted), number(row.monthly_cap), percent(row.usage.share)),
    },
    { head: w.state, cell: (row) => ('unavailable' in row ? '–' : <States row={row} />) },
    {
      head: w.storage,
      cell: ({ storage: { state, since } }) => (
        <Lamp
          tone={state === 'ok' ? 'good' : 'bad'}
          text={[w.storages[state], since && w.since(moment(since))].filter(Boolean).join(' ')}
        />
      ),
    },
    { head: w.owners, cell: (row) => ('unavailable' in row ? '–' : row.owners.join(', ') || w.noOwner) },
    {
      head: '',
      align: 'end',
      cell: (row) =>
        !('unavailable' in row) && (
          <Button
            text={w.manage}
            kind="small"
            aria-label={w.manageOf(row.name)}
            onClick={() => onManage(row)}
          />
        ),
    },
  ];
};

const AllPractices = () => {
  const w = translated(words);
  // The practice of the service itself has its mails, also the codes, where nothing is sent on.
  const system = useAnswer('GET /api/admin/practices', { purpose: 'system' });
  const own = system.value?.data[0];
  const filters = useFilters();
  const { q = '', plan = '', status = '', approval = '' } = filters.values;
  const [managed, setManaged] = useState<Readable>();
  const pages = useList('GET /api/admin/practices', { ...({ q, plan, status, approval } as Query) });
  const isFiltered = [q, plan, status, approval].some(Boolean);
  return (
    <>
      <Head
        title={w.pages['operator/practices']}
        intro={w.intro}
        actions={
          <>
            {own && <LinkButton text={w.ownMail} href={`/app/${own.id}/captures`} />}
            <NewPractice />
          </>
        }
      />
      <search class="filters">
        <FilterSearch filters={filters} label={w.search} />
        <FilterSelect filters={filters} name="plan" label={w.plan} all={w.anyPlan} options={planNames} />
        <FilterSelect
          filters={filters}
          name="status"
          label={w.state}
          all={w.anyStatus}
          options={w.statuses}
        />
        <FilterSelect
          filters={filters}
          name="approval"
          label={w.approval}
          all={w.anyApproval}
          options={w.approvals}
        />
      </search>
      <PagedTable
        caption={w.pages['operator/practices']}
        columns={columns(setManaged)}
        pages={pages}
        href={({ id }) => `/app/${id}`}
        empty={
          <Empty
            title={isFiltered ? w.noPracticeFits : w.empty}
            text={w.emptyText}
            action={isFiltered && <ShowAll filters={filters} names={['q', 'plan', 'status', 'approval']} />}
            curl={curlOf('admin/practices')}
          />
        }
      />
      <Dialog
        title={managed ? w.manageOf(managed.name) : ''}
        isOpen={managed !== undefined}
        onClose={() => setManaged(undefined)}
      >
        {managed && (
          <Manage
            row={managed}
            onDone={() => {
              setManaged(undefined);
              pages.reload();
            }}
          />
        )}
      </Dialog>
    </>
  );
};

export default AllPractices;
