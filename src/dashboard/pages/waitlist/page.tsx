// Who waits for a plan.
import type { WaitlistEntry } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useList } from '#dashboard/data.ts';
import { Head, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSelect } from '#dashboard/parts/filters.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { planNames } from '#dashboard/plans.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const Waitlist = () => {
  const w = translated(words);
  const filters = useFilters();
  const { plan } = filters.values;
  const { termin, praxis, gruppe } = planNames;
  const pages = useList('GET /api/admin/waitlist', { plan: plan as WaitlistEntry['plan'] });
  const remove = async (entryID: string): Promise<void> => {
    await call('DELETE /api/admin/waitlist/{entryID}', { entryID });
    toast(w.removed);
    pages.reload();
  };
  return (
    <>
      <Head title={w.pages['operator/waitlist']} intro={w.intro} />
      <search class="filters">
        <FilterSelect
          filters={filters}
          name="plan"
          label={w.plan}
          all={w.anyPlan}
          options={{ termin, praxis, gruppe }}
        />
      </search>
      <PagedTable<WaitlistEntry>
        caption={w.pages['operator/waitlist']}
        pages={pages}
        columns={[
          {
            head: w.email,
            isMain: true,
            cell: ({ email, name }) => (
              <>
                <a href={`mailto:${email}`}>{email}</a>
                {name && <div class="quiet">{name}</div>}
              </>
            ),
          },
          { head: w.plan, cell: (entry) => <span class="whole">{planNames[entry.plan]}</span> },
          { head: w.message, cell: ({ note }) => <span class="value">{note ?? '–'}</span> },
          { head: w.entered, cell: ({ created_at }) => <Time at={created_at} /> },
          { head: w.asked, cell: ({ asked_at }) => <Time at={asked_at} relative /> },
          {
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
