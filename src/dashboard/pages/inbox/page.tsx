// The inbox: mail received, held and in quarantine, found as one types; and, as a view of its own, how mail is received.
import type { InboundMessageState, InboundMessageSummary } from '#api';
import { useFilters, useTyped } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { type Data, useData, usePages } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Badge, Head, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty, ErrorNote, Note, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSelect } from '#dashboard/parts/filters.tsx';
import { SearchField } from '#dashboard/parts/form.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import type { Inbound } from './setting-words.ts';
import { Settings } from './settings.tsx';
import { inboxWords } from './words.ts';

const folders: readonly InboundMessageState[] = ['inbox', 'held', 'quarantined'];

const columns = (state: InboundMessageState): readonly Column<InboundMessageSummary>[] => {
  const w = inboxWords();
  const emphasize = (text: string, { read }: InboundMessageSummary) =>
    read ? text : <strong>{text}</strong>;
  return [
    {
      id: 'subject',
      head: w.subject,
      cell: (mail) => (
        <>
          {!mail.read && <Badge tone="busy">{w.unread} </Badge>}
          {emphasize(mail.subject || w.noSubject, mail)}
        </>
      ),
      isMain: true,
    },
    {
      id: 'from',
      head: w.from,
      cell: (mail) => emphasize(mail.from?.name || mail.from?.address || mail.mail_from || w.noSender, mail),
    },
    ...(state === 'inbox'
      ? []
      : [{ id: 'reason', head: w.reason, cell: (mail: InboundMessageSummary) => mail.state_reason ?? '' }]),
    {
      id: 'received',
      head: w.received,
      cell: ({ received_at }) => <Time at={received_at} short />,
      align: 'end',
    },
  ];
};

const NoMail = ({ inbound, reset }: { readonly inbound: Inbound | undefined; readonly reset?: string }) => {
  const w = inboxWords();
  const id = practice.value?.id ?? '';
  if (reset !== undefined)
    return (
      <Empty
        title={w.nothingFound}
        text={w.nothingFoundText}
        action={
          <a class="button" href={reset}>
            {w.reset}
          </a>
        }
      />
    );
  if (inbound?.state !== 'disabled') return <Empty title={w.empty} text={w.emptyText(inbound?.host ?? '')} />;
  return (
    <Empty
      title={w.off}
      text={
        <>
          {w.offText(inbound.host)} {!may('inbound.manage') && w.offAsk}
        </>
      }
      action={
        may('inbound.manage') && (
          <a class="button primary" href={`/app/${id}/inbox?view=settings`}>
            {w.offAction}
          </a>
        )
      }
      curl={curlOf(`practices/${id}/inbound/enable`, '{}')}
    />
  );
};

const List = ({ inbound }: { readonly inbound: Data<Inbound> }) => {
  const w = inboxWords();
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const { values, href } = filters;
  const { q = '', read = '' } = values;
  const state = folders.find((one) => one === values.folder) ?? 'inbox';
  const [typed, setTyped] = useTyped(filters);
  const pages = usePages(
    (cursor, abort) =>
      call(
        'GET /api/practices/{id}/inbound/messages',
        { id, state, q, cursor, read: read === 'false' ? read : undefined },
        { abort },
      ),
    [id, state, q, read],
  );
  const reload = (): void => {
    pages.reload();
    inbound.reload();
  };
  useLive(({ event }) => {
    if (event !== 'inbound.received') return;
    reload();
    toast(w.arrived);
  }, reload);
  const counts = inbound.value?.counts;
  const countOf = { inbox: counts?.unread, held: counts?.held, quarantined: counts?.quarantined };
  const isFiltered = q !== '' || read !== '';
  return (
    <>
      <Head
        title={w.title}
        intro={w.intro}
        actions={
          may('inbound.manage') && (
            <a class="button" href={`/app/${id}/inbox?view=settings`}>
              {w.settings}
            </a>
          )
        }
      />
      <ErrorNote error={inbound.error} />
      <Tabs
        label={w.folders}
        present={state}
        tabs={folders.map((one) => ({
          id: one,
          text: w[one],
          href: href({ folder: one === 'inbox' ? '' : one }),
          count: countOf[one] || undefined,
        }))}
      />
      {state !== 'inbox' && pages.value?.length !== 0 && (
        <Note kind="warn">{state === 'held' ? w.heldText : w.quarantinedText}</Note>
      )}
      <search class="filters">
        <SearchField label={w.search} value={typed} onValue={setTyped} />
        <FilterSelect
          filters={filters}
          name="read"
          label={w.which}
          options={{ '': w.all, false: w.onlyUnread }}
        />
      </search>
      <PagedTable
        caption={w.found}
        columns={columns(state)}
        pages={pages}
        rowKey={(mail) => mail.id}
        href={(mail) => `/app/${id}/inbox/${mail.id}`}
        empty={
          state !== 'inbox' && !isFiltered ? (
            <Empty title={w.nothing} text={w.nothingText} />
          ) : (
            <NoMail inbound={inbound.value} reset={isFiltered ? href({ q: '', read: '' }) : undefined} />
          )
        }
      />
    </>
  );
};

const Inbox = () => {
  const id = practice.value?.id ?? '';
  const inbound = useData((abort) => call('GET /api/practices/{id}/inbound', { id }, { abort }), [id]);
  const isSettings = useFilters().values.view === 'settings' && may('inbound.manage');
  return isSettings ? <Settings inbound={inbound} /> : <List inbound={inbound} />;
};

export default Inbox;
