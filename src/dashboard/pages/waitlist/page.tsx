// Who waits for a plan.
import type { WaitlistEntry } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { usePages } from '#dashboard/data.ts';
import { Head, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSelect } from '#dashboard/parts/filters.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { planNames } from '#dashboard/plans.ts';
import { waitlistWords } from './words.ts';

const Waitlist = () => {
  const w = waitlistWords();
  const filters = useFilters();
  const { plan } = filters.values;
  const { termin, praxis, gruppe } = planNames;
  const pages = usePages(
    (cursor, abort) =>
      call('GET /api/admin/waitlist', { cursor, plan: plan as WaitlistEntry['plan'] }, { abort }),
    [plan],
  );
  const remove = async (entryID: string): Promise<void> => {
    await call('DELETE /api/admin/waitlist/{entryID}', { entryID });
    toast(w.removed);
    pages.reload();
  };
  return (
    <>
      <Head title={w.title} intro={w.intro} />
      <search class="filters">
        <FilterSelect
          filters={filters}
          name="plan"
          label={w.plan}
          options={{ '': w.anyPlan, termin, praxis, gruppe }}
        />
      </search>
      <PagedTable<WaitlistEntry>
        caption={w.title}
        pages={pages}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'address',
            head: w.address,
            isMain: true,
            cell: ({ email, name }) => (
              <>
                <a href={`mailto:${email}`}>{email}</a>
                {name && <div class="quiet">{name}</div>}
              </>
            ),
          },
          { id: 'plan', head: w.plan, cell: (entry) => <span class="whole">{planNames[entry.plan]}</span> },
          { id: 'note', head: w.note, cell: ({ note }) => <span class="value">{note ?? '–'}</span> },
          { id: 'entered', head: w.entered, cell: ({ created_at }) => <Time at={created_at} /> },
          { id: 'asked', head: w.asked, cell: ({ asked_at }) => <Time at={asked_at} relative /> },
          {
            id: 'do',
            head: '',
            align: 'end',
            cell: ({ id, email }) => (
              <Confirm
                small
                kind="danger"
                button={w.remove}
                title={w.removeTitle(email)}
                text={w.removeText}
                onConfirm={() => remove(id)}
              />
            ),
          },
        ]}
        empty={<Empty title={w.empty} text={w.emptyText} curl={curlOf('admin/waitlist')} />}
      />
    </>
  );
};

export default Waitlist;
