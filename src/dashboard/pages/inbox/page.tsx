// The inbox: mail received, held and in quarantine, found as one types; and, as a view of its own, how mail is received.
import type { InboundListedMessage, InboundMessageState } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { type Data, useAnswer, useList } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Badge, Head, LinkButton, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty, ErrorNote, Note, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSearch, FilterSelect } from '#dashboard/parts/filters.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { account, may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import type { Inbound } from './addresses.tsx';
import { Replies } from './replies.tsx';
import { Settings } from './settings.tsx';
import { words } from './words/de.ts';

const folders: readonly InboundMessageState[] = ['inbox', 'held', 'quarantined'];

const columns = (state: InboundMessageState): readonly Column<InboundListedMessage>[] => {
  const w = translated(words);
  const own = account.value?.email;
  const emphasize = (text: string, { read }: InboundListedMessage) => (read ? text : <strong>{text}</strong>);
  return [
    {
      head: w.subject,
      cell: (mail) => (
        <>
          {!mail.read && <Badge tone="busy">{w.unread} </Badge>}
          {emphasize(mail.subject || w.noSubject, mail)}{' '}
          {mail.thread.done && <Badge tone="good">{w.done}</Badge>}
        </>
      ),
      isMain: true,
    },
    {
      head: w.from,
      cell: (mail) => emphasize(mail.from?.name || mail.from?.address || mail.mail_from || w.noSender, mail),
    },
    ...(state === 'inbox'
      ? []
      : [
          {
            head: w.reason,
            cell: ({ state_reason: reason }: InboundListedMessage) =>
              reason === null ? '' : (w.stateReasons[reason] ?? reason),
          },
        ]),
    {
      head: w.assignee,
      cell: ({ thread: { assignee } }) => (assignee?.email === own ? w.you : (assignee?.email ?? '')),
    },
    { head: w.received, cell: ({ received_at }) => <Time at={received_at} short />, align: 'end' },
  ];
};

const NoMail = ({ inbound, reset }: { readonly inbound: Inbound | undefined; readonly reset?: string }) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  if (reset !== undefined)
    return (
      <Empty
        title={w.nothingFound}
        text={w.nothingFoundText}
        action={<LinkButton text={w.showAll} href={reset} />}
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
          <LinkButton text={w.enableReceiving} kind="primary" href={`/app/${id}/inbox?view=settings`} />
        )
      }
      curl={curlOf(`practices/${id}/inbound/enable`, '{}')}
    />
  );
};

const List = ({ inbound }: { readonly inbound: Data<Inbound> }) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const { values, href } = filters;
  const { q = '', read = '', assignee = '', done = '' } = values;
  const state = folders.find((one) => one === values.folder) ?? 'inbox';
  const pages = useList('GET /api/practices/{id}/inbound/messages', {
    id,
    state,
    q,
    read: read === 'false' ? read : undefined,
    assignee: assignee === 'me' || assignee === 'none' ? assignee : undefined,
    done: done === 'true' || done === 'false' ? done : undefined,
  });
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
  const isFiltered = [q, read, assignee, done].some((value) => value !== '');
  return (
    <>
      <Head
        title={w.pages.inbox}
        intro={w.intro}
        actions={
          <>
            {may('messages.send') && <LinkButton text={w.replies} href={`/app/${id}/inbox?view=replies`} />}
            {may('inbound.manage') && (
              <LinkButton text={w.receivingSettings} href={`/app/${id}/inbox?view=settings`} />
            )}
          </>
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
        <FilterSearch filters={filters} label={w.searchMail} />
        <FilterSelect
          filters={filters}
          name="read"
          label={w.which}
          all={w.all}
          options={{ false: w.onlyUnread }}
        />
        <FilterSelect
          filters={filters}
          name="assignee"
          label={w.whose}
          all={w.anyones}
          options={{ me: w.mine, none: w.noOnes }}
        />
        <FilterSelect
          filters={filters}
          name="done"
          label={w.openOrDone}
          all={w.openAndDone}
          options={{ false: w.onlyOpen, true: w.onlyDone }}
        />
      </search>
      <PagedTable
        caption={w.found}
        columns={columns(state)}
        pages={pages}
        href={(mail) => `/app/${id}/inbox/${mail.id}`}
        empty={
          state !== 'inbox' && !isFiltered ? (
            <Empty title={w.nothing} text={w.nothingText} />
          ) : (
            <NoMail
              inbound={inbound.value}
              reset={isFiltered ? href({ q: '', read: '', assignee: '', done: '' }) : undefined}
            />
          )
        }
      />
    </>
  );
};

const Inbox = () => {
  const id = practice.value?.id ?? '';
  const inbound = useAnswer('GET /api/practices/{id}/inbound', { id });
  const { view } = useFilters().values;
  if (view === 'replies' && may('messages.send')) return <Replies />;
  const isSettings = view === 'settings' && may('inbound.manage');
  return isSettings ? <Settings inbound={inbound} /> : <List inbound={inbound} />;
};

export default Inbox;
