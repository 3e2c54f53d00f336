// All practices of a person at a glance, those first that need attention.
import type { PracticeSummary } from '#api';
import { useFilters, useTyped } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useAction, usePages } from '#dashboard/data.ts';
import { Badge, Head, Lamp, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty, ErrorNote, Note, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSelect } from '#dashboard/parts/filters.tsx';
import { SearchField } from '#dashboard/parts/form.tsx';
import { NewPractice } from '#dashboard/parts/new-practice.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { roleName } from '#dashboard/role-names.ts';
import { account, loadAccount } from '#dashboard/session.ts';
import { language, number } from '#dashboard/words.ts';
import { attention, type LampOf, lampsOf } from './lamps.ts';
import { practicesWords } from './words.ts';

const AT_ONCE = 200;

const nameOf = (row: PracticeSummary): string => ('unavailable' in row ? row.slug : row.name);

const Invitations = () => {
  const w = practicesWords();
  const accept = useAction(async (practiceID: string) => {
    await call('POST /api/auth/memberships/{practiceID}/accept', { practiceID });
    await loadAccount();
    toast(w.accepted);
  });
  const invited = (account.value?.practices ?? []).filter(({ status }) => status === 'invited');
  return (
    <>
      <ErrorNote error={accept.error} />
      {invited.map(({ practice_id, name, role }) => (
        <Note key={practice_id}>
          <p>{w.invitedTo(name, roleName(role))}</p>
          <button type="button" disabled={accept.isRunning} onClick={() => void accept.run(practice_id)}>
            {w.accept}
          </button>
        </Note>
      ))}
    </>
  );
};

const lamp = (shown: LampOf | null | undefined) => (shown ? <Lamp {...shown} /> : '–');

const columns = (): readonly Column<PracticeSummary>[] => {
  const w = practicesWords();
  return [
    { id: 'name', head: w.practice, isMain: true, cell: nameOf },
    {
      id: 'state',
      head: '',
      cell: (row) =>
        'unavailable' in row ? (
          <Badge tone="bad">{w.unavailable}</Badge>
        ) : (
          <>
            {row.status === 'paused' && <Badge tone="bad">{w.paused}</Badge>}{' '}
            {row.safe_mode && <Badge tone="plain">{w.safeMode}</Badge>}
          </>
        ),
    },
    { id: 'dns', head: w.dns, cell: (row) => lamp(lampsOf(row)?.dns) },
    { id: 'rates', head: w.rates, cell: (row) => lamp(lampsOf(row)?.rates) },
    { id: 'plan', head: w.plan, cell: (row) => lamp(lampsOf(row)?.plan) },
    {
      id: 'last',
      head: w.last,
      cell: (row) => <Time at={'unavailable' in row ? null : row.last_accepted_at} relative />,
    },
    {
      id: 'waiting',
      head: w.waiting,
      align: 'end',
      cell: (row) => ('unavailable' in row || row.waiting === null ? '–' : number(row.waiting)),
    },
  ];
};

const Practices = () => {
  const w = practicesWords();
  const filters = useFilters();
  const { q = '', order = '' } = filters.values;
  const [typed, setTyped] = useTyped(filters);
  const found = usePages(
    (cursor, abort) => call('GET /api/practices/summary', { limit: AT_ONCE, cursor, q }, { abort }),
    [q, account.value?.practices],
  );
  const byName = (a: PracticeSummary, b: PracticeSummary): number =>
    nameOf(a).localeCompare(nameOf(b), language.value);
  const value = found.value?.toSorted((a, b) =>
    order === 'name' ? byName(a, b) : attention(b) - attention(a) || byName(a, b),
  );
  return (
    <>
      <Head title={w.title} intro={w.intro} actions={<NewPractice />} />
      <Invitations />
      <search class="filters">
        <SearchField label={w.search} value={typed} onValue={setTyped} />
        <FilterSelect
          filters={filters}
          name="order"
          label={w.order}
          options={{ '': w.problemsFirst, name: w.byName }}
        />
      </search>
      <PagedTable
        caption={w.title}
        columns={columns()}
        pages={{ ...found, value }}
        rowKey={({ id }) => id}
        href={({ id }) => `/app/${id}`}
        empty={
          <Empty
            title={q ? w.nothingFound : w.empty}
            text={w.emptyText}
            action={
              q && (
                <a class="button" href={filters.href({ q: '' })}>
                  {w.reset}
                </a>
              )
            }
            curl={curlOf('practices/summary', undefined, 'session')}
          />
        }
      />
    </>
  );
};

export default Practices;
