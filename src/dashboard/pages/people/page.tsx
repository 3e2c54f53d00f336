// People: who got mail lately, found by name or address.
import { useLocation } from 'preact-iso/router';
import type { MessageStatus, MessageSummary } from '#api';
import { useFilters, useTyped } from '#dashboard/address.ts';
import { type Pages, useList } from '#dashboard/data.ts';
import { Badge, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { SearchField } from '#dashboard/parts/form.tsx';
import { useLoaded } from '#dashboard/parts/on-demand.ts';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { statusNames, toneOf } from '#dashboard/statuses.ts';
import { plain, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** The limit counts messages: several go to the same person. */
const LIMIT = 100;
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

interface Known {
  readonly address: string;
  readonly name: string | null;
  readonly status: MessageStatus;
  readonly last: MessageSummary;
}

/** Each once, with the newest of their messages; `q` may have found another of its recipients. */
const peopleOf = (messages: readonly MessageSummary[], q: string): readonly Known[] => {
  const found = new Map<string, Known>();
  const fits = ({ address, name }: { readonly address: string; readonly name: string | null }): boolean =>
    plain(`${name ?? ''} ${address}`).includes(plain(q.trim()));
  for (const last of messages) {
    if (last.personal_data_removed) continue;
    const others = last.recipients.filter(fits);
    for (const { address, name, status } of others.length > 0 ? others : last.recipients)
      if (!found.has(address)) found.set(address, { address, name, status, last });
  }
  return [...found.values()];
};

const columns = (): readonly Column<Known>[] => {
  const w = translated(words);
  return [
    {
      head: w.person,
      isMain: true,
      cell: ({ name, address }) => (
        <>
          {name ?? address}
          {name && (
            <>
              {' '}
              <span class="quiet address">{address}</span>
            </>
          )}
        </>
      ),
    },
    { head: w.lastMail, cell: ({ last }) => last.subject || w.noSubject },
    { head: w.status, cell: ({ status }) => <Badge tone={toneOf(status)}>{statusNames()[status]}</Badge> },
    { head: w.time, cell: ({ last }) => <Time at={last.created_at} short />, align: 'end' },
  ];
};

const Written = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { route } = useLocation();
  const filters = useFilters();
  const { q = '' } = filters.values;
  const [typed, setTyped] = useTyped(filters);
  const messages = useList('GET /api/practices/{id}/messages/search', { id, q, limit: LIMIT });
  const people: Pages<Known> = {
    ...messages,
    value: messages.value && peopleOf(messages.value, q),
    replace: () => {},
  };
  const pathOf = (address: string): string => `/app/${id}/people/${encodeURIComponent(address)}`;
  const address = ADDRESS.test(typed.trim()) ? typed.trim() : undefined;
  const openTyped = address && <LinkButton text={w.open(address)} href={pathOf(address)} />;
  return (
    <>
      <search>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            if (address) route(pathOf(address));
          }}
        >
          <SearchField label={w.search} value={typed} onValue={setTyped} />
          {openTyped}
          {may('campaigns.send') && may('lists.manage') && (
            <LinkButton text={w.byConditions} href={filters.href({ by: 'conditions', q: '' })} />
          )}
        </form>
      </search>
      <PagedTable
        caption={w.caption}
        columns={columns()}
        pages={people}
        rowKey={(row) => row.address}
        href={(row) => pathOf(row.address)}
        empty={
          q ? (
            <Empty title={w.nothing} text={w.nothingText} action={openTyped} />
          ) : (
            <Empty
              title={w.empty}
              text={w.emptyText}
              action={
                may('messages.send') && (
                  <LinkButton text={w.sendFirst} kind="primary" href={`/app/${id}/letter`} />
                )
              }
              curl={curlOf(`practices/${id}/people?address=erika@example.org`)}
            />
          )
        }
      />
    </>
  );
};

/** In the place of those who got mail, the people of lists for whom conditions hold. */
const People = () => {
  const w = translated(words);
  const { values, href } = useFilters();
  const isChosen = values.by === 'conditions';
  const part = useLoaded(() => import('#dashboard/parts/segment/people.tsx'), isChosen);
  return (
    <>
      <Head title={w.pages.people} intro={w.intro} />
      {isChosen ? (
        <>
          <LinkButton text={w.allAgain} href={href({ by: '' })} />
          {part && <part.SegmentPeople id={practice.value?.id ?? ''} />}
        </>
      ) : (
        <Written />
      )}
    </>
  );
};

export default People;
