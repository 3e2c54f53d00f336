// All practices of a person at a glance, those first that need attention.
import type { PracticeSummary } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useAction, usePages } from '#dashboard/data.ts';
import { Badge, Button, Head, Lamp, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty, ErrorNote, Note, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSearch, FilterSelect, ShowAll } from '#dashboard/parts/filters.tsx';
import { NewPractice } from '#dashboard/parts/new-practice.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { roleName } from '#dashboard/role-names.ts';
import { account, loadAccount } from '#dashboard/session.ts';
import { language, number, translated } from '#dashboard/words.ts';
import { attention, type LampOf, lampsOf } from './lamps.ts';
import { words } from './words/de.ts';

const AT_ONCE = 200;

const nameOf = (row: PracticeSummary): string => ('unavailable' in row ? row.slug : row.name);

const Invitations = () => {
  const w = translated(words);
  const accept = useAction(async (practiceID: string) => {
    await call('POST /api/auth/memberships/{practiceID}/accept', { practiceID });
    await loadAccount();
    toast(w.youAreMember);
  });
  const invited = (account.value?.practices ?? []).filter(({ status }) => status === 'invited');
  return (
    <>
      <ErrorNote error={accept.error} />
      {invited.map(({ practice_id, name, role }) => (
        <Note key={practice_id}>
          <p>{w.invitedTo(name, roleName(role))}</p>
          <Button text={w.accept} disabled={accept.isRunning} onClick={() => void accept.run(practice_id)} />
        </Note>
      ))}
    </>
  );
};

const lamp = (shown: LampOf | null | undefined) => (shown ? <Lamp {...shown} /> : '–');

const columns = (): readonly Column<PracticeSummary>[] => {
  const w = translated(words);
  return [
    { head: w.practice, isMain: true, cell: nameOf },
    {
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
    { head: w.dns, cell: (row) => lamp(lampsOf(row)?.dns) },
    { head: w.rates, cell: (row) => lamp(lampsOf(row)?.rates) },
    { head: w.plan, cell: (row) => lamp(lampsOf(row)?.plan) },
    {
      head: w.last,
      cell: (row) => <Time at={'unavailable' in row ? null : row.last_accepted_at} relative />,
    },
    {
      head: w.waiting,
      align: 'end',
      cell: (row) => ('unavailable' in row || row.waiting === null ? '–' : number(row.waiting)),
    },
  ];
};

const Practices = () => {
  const w = translated(words);
  const filters = useFilters();
  const { q = '', order = '' } = filters.values;
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
      <Head title={w.pages.practices} intro={w.intro} actions={<NewPractice />} />
      <Invitations />
      <search class="filters">
        <FilterSearch filters={filters} label={w.search} />
        <FilterSelect
          filters={filters}
          name="order"
          label={w.order}
          all={w.problemsFirst}
          options={{ name: w.byName }}
        />
      </search>
      <PagedTable
        caption={w.pages.practices}
        columns={columns()}
        pages={{ ...found, value }}
        href={({ id }) => `/app/${id}`}
        empty={
          <Empty
            title={q ? w.noPracticeFits : w.empty}
            text={w.emptyText}
            action={q && <ShowAll filters={filters} names={['q']} />}
            curl={curlOf('practices/summary', undefined, 'session')}
          />
        }
      />
    </>
  );
};

export default Practices;
