// All practices of the installation, for its operator.
import { useState } from 'preact/hooks';
import type { OperatorPractice } from '#api';
import { useFilters, useTyped } from '#dashboard/address.ts';
import type { Input } from '#dashboard/api/call.ts';
import { call } from '#dashboard/api/call.ts';
import { useData, usePages } from '#dashboard/data.ts';
import { Badge, Head, Lamp } from '#dashboard/parts/basics.tsx';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { FilterSelect } from '#dashboard/parts/filters.tsx';
import { SearchField } from '#dashboard/parts/form.tsx';
import { NewPractice } from '#dashboard/parts/new-practice.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { planNames } from '#dashboard/plans.ts';
import { moment, number, percent } from '#dashboard/words.ts';
import { Manage, type Readable } from './manage.tsx';
import { allWords } from './words.ts';

type Query = Input<'GET /api/admin/practices'>;

const nameOf = (row: OperatorPractice): string => ('unavailable' in row ? row.slug : row.name);

const States = ({ row }: { readonly row: Readable }) => {
  const w = allWords();
  return (
    <>
      <Badge tone={row.status === 'paused' ? 'bad' : 'good'}>{w.statuses[row.status]}</Badge>{' '}
      {row.safe_mode && <Badge tone="plain">{w.safeMode}</Badge>}{' '}
      {row.approval === 'waiting' && <Badge tone="warn">{w.approvals.waiting}</Badge>}
    </>
  );
};

const columns = (onManage: (row: Readable) => void): readonly Column<OperatorPractice>[] => {
  const w = allWords();
  return [
    { id: 'name', head: w.practice, isMain: true, cell: nameOf },
    {
      id: 'plan',
      head: w.plan,
      cell: (row) => ('unavailable' in row ? '–' : <span class="whole">{planNames[row.plan]}</span>),
    },
    {
      id: 'used',
      head: w.used,
      cell: (row) =>
        'unavailable' in row
          ? '–'
          : w.usedOf(number(row.usage.accepted), number(row.monthly_cap), percent(row.usage.share)),
    },
    { id: 'state', head: w.status, cell: (row) => ('unavailable' in row ? '–' : <States row={row} />) },
    {
      id: 'storage',
      head: w.storage,
      cell: ({ storage: { state, since } }) => (
        <Lamp
          tone={state === 'ok' ? 'good' : 'bad'}
          text={[w.storages[state], since && w.since(moment(since))].filter(Boolean).join(' ')}
        />
      ),
    },
    {
      id: 'owners',
      head: w.owners,
      cell: (row) => ('unavailable' in row ? '–' : row.owners.join(', ') || w.noOwner),
    },
    {
      id: 'do',
      head: '',
      align: 'end',
      cell: (row) =>
        !('unavailable' in row) && (
          <button type="button" class="small" aria-label={w.manageOf(row.name)} onClick={() => onManage(row)}>
            {w.manage}
          </button>
        ),
    },
  ];
};

const AllPractices = () => {
  const w = allWords();
  // Of the service itself: its mails are there, also the codes, where nothing is sent on.
  const system = useData((abort) => call('GET /api/admin/practices', { purpose: 'system' }, { abort }), []);
  const own = system.value?.data[0];
  const filters = useFilters();
  const { q = '', plan = '', status = '', approval = '' } = filters.values;
  const [typed, setTyped] = useTyped(filters);
  const [managed, setManaged] = useState<Readable>();
  const pages = usePages(
    (cursor, abort) =>
      call(
        'GET /api/admin/practices',
        {
          cursor,
          ...({ q, plan, status, approval } as Query),
        },
        { abort },
      ),
    [q, plan, status, approval],
  );
  const isFiltered = [q, plan, status, approval].some(Boolean);
  return (
    <>
      <Head
        title={w.title}
        intro={w.intro}
        actions={
          <>
            {own && (
              <a class="button" href={`/app/${own.id}/captures`}>
                {w.ownMail}
              </a>
            )}
            <NewPractice />
          </>
        }
      />
      <search class="filters">
        <SearchField label={w.search} value={typed} onValue={setTyped} />
        <FilterSelect
          filters={filters}
          name="plan"
          label={w.plan}
          options={{ '': w.anyPlan, ...planNames }}
        />
        <FilterSelect
          filters={filters}
          name="status"
          label={w.status}
          options={{ '': w.anyStatus, ...w.statuses }}
        />
        <FilterSelect
          filters={filters}
          name="approval"
          label={w.approval}
          options={{ '': w.anyApproval, ...w.approvals }}
        />
      </search>
      <PagedTable
        caption={w.title}
        columns={columns(setManaged)}
        pages={pages}
        rowKey={({ id }) => id}
        href={({ id }) => `/app/${id}`}
        empty={
          <Empty
            title={isFiltered ? w.nothingFound : w.empty}
            text={w.emptyText}
            action={
              isFiltered && (
                <a class="button" href={filters.href({ q: '', plan: '', status: '', approval: '' })}>
                  {w.reset}
                </a>
              )
            }
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
