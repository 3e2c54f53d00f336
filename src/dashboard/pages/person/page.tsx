// A person: all that is held of one address. Mail both ways, why there may be none, lists, consent, and their rights.
import { useState } from 'preact/hooks';
import type { ConsentEntry, Erasure, MessageStatus, Person, Subscription } from '#api';
import { addressOf, call } from '#dashboard/api/call.ts';
import { usePages } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Badge, Card, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { Loaded } from '#dashboard/parts/feedback.tsx';
import { Suppressions } from '#dashboard/parts/suppressions.tsx';
import { type Column, More, Table } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { letterTo, statusNames, subscriberStatuses, subscriberTones, toneOf } from '#dashboard/statuses.ts';
import { translated } from '#dashboard/words.ts';
import { Erased, Rights } from './rights.tsx';
import { words } from './words/de.ts';

interface Mail {
  readonly id: string;
  readonly at: string;
  readonly subject: string;
  readonly href: string;
  /** Null of what was received. */
  readonly status: MessageStatus | null;
}

/**
 * Joins the cursors of both lists: each goes on from its own. Ended lists are not asked for again: what they answer is left
 * out.
 */
const join = ({ messages, received }: Person): string | null =>
  messages?.next_cursor || received?.next_cursor
    ? JSON.stringify([messages?.next_cursor ?? null, received?.next_cursor ?? null])
    : null;

const load = async (id: string, address: string, cursors: string | undefined, abort: AbortSignal) => {
  const [sent, received]: readonly (string | null)[] = cursors ? JSON.parse(cursors) : [];
  const person = await call(
    'GET /api/practices/{id}/people',
    {
      id,
      address,
      cursor: sent ?? undefined,
      received_cursor: received ?? undefined,
    },
    { abort },
  );
  const rest: Person = {
    ...person,
    messages: cursors && !sent ? null : person.messages,
    received: cursors && !received ? null : person.received,
  };
  return { data: [rest], next_cursor: join(rest) };
};

const mailOf = (id: string, address: string, parts: readonly Person[]): readonly Mail[] => {
  const sent = parts.flatMap(({ messages }) => messages?.data ?? []);
  const received = parts.flatMap(({ received: mails }) => mails?.data ?? []);
  return [
    ...sent.map((one) => ({
      id: one.id,
      at: one.status === 'pending' ? (one.scheduled_at ?? one.created_at) : one.created_at,
      subject: one.subject,
      href: `/app/${id}/post/${one.id}`,
      status:
        one.recipients.find((recipient) => recipient.address.toLowerCase() === address.toLowerCase())
          ?.status ?? one.status,
    })),
    ...received.map((one) => ({
      id: one.id,
      at: one.received_at,
      subject: one.subject,
      href: `/app/${id}/inbox/${one.id}`,
      status: null,
    })),
  ].sort((a, b) => b.at.localeCompare(a.at));
};

const mailColumns = (): readonly Column<Mail>[] => {
  const w = translated(words);
  return [
    { head: w.subject, cell: ({ subject }) => subject || w.noSubject, isMain: true },
    {
      head: w.status,
      cell: ({ status }) =>
        status === null ? (
          <Badge tone="plain">{w.received}</Badge>
        ) : (
          <Badge tone={toneOf(status)}>{statusNames()[status]}</Badge>
        ),
    },
    { head: w.time, cell: ({ at }) => <Time at={at} short />, align: 'end' },
  ];
};

const Lists = ({ subscriptions }: { readonly subscriptions: readonly Subscription[] }) => {
  const w = translated(words);
  return (
    <Card title={w.lists}>
      {subscriptions.length === 0 ? (
        <p class="quiet">{w.noLists}</p>
      ) : (
        <Table
          caption={w.lists}
          rows={subscriptions}
          href={({ list_id }) => `/app/${practice.value?.id}/lists/${list_id}`}
          columns={[
            { head: w.list, cell: ({ list_name }) => list_name, isMain: true },
            {
              head: w.status,
              cell: ({ status }) => (
                <Badge tone={subscriberTones[status]}>{subscriberStatuses()[status]}</Badge>
              ),
            },
            { head: w.since, cell: (row) => <Time at={row.confirmed_at ?? row.created_at} />, align: 'end' },
          ]}
        />
      )}
    </Card>
  );
};

const Consent = ({
  address,
  consent,
}: {
  readonly address: string;
  readonly consent: readonly ConsentEntry[];
}) => {
  const w = translated(words);
  const evidence = (format: 'json' | 'html'): string =>
    addressOf('GET /api/practices/{id}/consent/evidence', { id: practice.value?.id ?? '', address, format });
  return (
    <Card title={w.consent}>
      {consent.length === 0 ? (
        <p class="quiet">{w.noConsent}</p>
      ) : (
        <>
          <p class="quiet">{w.consentIntro}</p>
          <Table
            caption={w.consent}
            rows={consent}
            columns={[
              { head: w.action, cell: ({ action }) => w.actions[action], isMain: true },
              { head: w.list, cell: ({ list_name }) => list_name ?? '–' },
              { head: w.evidence, cell: (row) => row.evidence ?? row.form_address ?? row.way },
              { head: w.time, cell: ({ at }) => <Time at={at} />, align: 'end' },
            ]}
          />
          <p class="actions more">
            <a class="button small" href={evidence('html')} target="_blank" rel="noreferrer">
              {w.evidencePage}
            </a>
            <a class="button small" href={evidence('json')} download>
              {w.evidenceFile}
            </a>
          </p>
        </>
      )}
    </Card>
  );
};

const PersonPage = ({ item = '' }: PageProps) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const [erasure, setErasure] = useState<Erasure>();
  const pages = usePages((cursors, abort) => load(id, item, cursors, abort), [id, item]);
  useLive(({ data: { recipient, address } }) => {
    if (recipient === item || address === item) pages.reload();
  }, pages.reload);
  const [person] = pages.value ?? [];
  const back = { href: `/app/${id}/people`, text: w.pages.people };
  if (erasure)
    return (
      <>
        <Head title={w.erased} back={back} />
        <Erased erasure={erasure} />
      </>
    );
  const name =
    person?.messages?.data
      .flatMap(({ recipients }) => recipients)
      .find((one) => one.address.toLowerCase() === item.toLowerCase() && one.name)?.name ??
    person?.subscriptions?.find((one) => one.name)?.name;
  return (
    <>
      <Head
        title={name ?? item}
        intro={name && item}
        back={back}
        actions={
          may('messages.send') && (
            <LinkButton
              text={w.sendMessage}
              kind="primary"
              href={letterTo(id, { address: item, name: name ?? null })}
            />
          )
        }
      />
      <Loaded data={pages} lines={10}>
        {(parts) => {
          const mail = mailOf(id, item, parts);
          return (
            <>
              <Suppressions suppressions={person?.suppressions ?? []} onLifted={pages.reload} />
              <Card title={w.mail}>
                {mail.length === 0 ? (
                  <p class="quiet">{w.noMail}</p>
                ) : (
                  <Table
                    caption={w.mailCaption}
                    columns={mailColumns()}
                    rows={mail}
                    href={(row) => row.href}
                  />
                )}
                {(person?.not_shown.length ?? 0) > 0 && <p class="quiet">{w.notShown}</p>}
                <More pages={pages} />
              </Card>
              {person?.subscriptions && <Lists subscriptions={person.subscriptions} />}
              {person?.consent && <Consent address={item} consent={person.consent} />}
              {person && <Rights person={person} reload={pages.reload} onErased={setErasure} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
};

export default PersonPage;
