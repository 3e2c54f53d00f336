// The people on a list: found, added, and one of them with their consent.
import { useState } from 'preact/hooks';
import type { List, Subscriber } from '#api';
import { useFilters, useTyped } from '#dashboard/address.ts';
import { addressOf, call } from '#dashboard/api/call.ts';
import { useAction, useData, usePages } from '#dashboard/data.ts';
import { Badge, Facts, Time } from '#dashboard/parts/basics.tsx';
import { Confirm, Dialog } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSelect } from '#dashboard/parts/filters.tsx';
import { CheckField, Form, named, SearchField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { PagedTable, Table } from '#dashboard/parts/table.tsx';
import { subscriberStatuses, subscriberTones } from '#dashboard/statuses.ts';
import { type Asserted, Assertion, assertedBy, NOT_ASSERTED } from './assertion.tsx';
import { listWords } from './words.ts';

export interface ListProps {
  readonly id: string;
  readonly list: List;
  readonly onChanged: () => void;
}

const statuses = Object.keys(subscriberTones) as readonly Subscriber['status'][];

const Status = ({ status }: Pick<Subscriber, 'status'>) => (
  <Badge tone={subscriberTones[status]}>{subscriberStatuses()[status]}</Badge>
);

const AddPerson = ({ id, list, onChanged }: ListProps) => {
  const w = listWords();
  const { fields, field } = useFields({ address: '', name: '' });
  const [isActive, setActive] = useState(false);
  const [asserted, setAsserted] = useState<Asserted>(NOT_ASSERTED);
  const action = useAction(async () => {
    const body = {
      ...fields,
      name: fields.name || undefined,
      ...(isActive && { status: 'active' as const, consent: assertedBy(asserted) }),
    };
    await call('POST /api/practices/{id}/lists/{listID}/subscribers', { id, listID: list.id, body });
    toast(isActive ? w.addedActive(fields.address) : w.added(fields.address));
    onChanged();
  });
  return (
    <Form action={action} submit={w.addIt}>
      <TextField label={w.address} type="email" required {...field('address')} />
      <TextField label={w.name} optional {...field('name')} />
      <CheckField
        label={w.hasConsent}
        hint={isActive ? undefined : w.byMail}
        value={isActive}
        onValue={setActive}
      />
      {isActive && <Assertion value={asserted} onValue={setAsserted} path="consent." />}
    </Form>
  );
};

const Person = ({
  id,
  list,
  subscriberId,
  onChanged,
  onClose,
}: ListProps & { readonly subscriberId: string; readonly onClose: () => void }) => {
  const w = listWords();
  const at = { id, listID: list.id, subscriberID: subscriberId };
  const data = useData(
    async (abort) => {
      const subscriber = await call('GET /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}', at, {
        abort,
      });
      const { data: consent } = await call(
        'GET /api/practices/{id}/consent',
        { id, address: subscriber.address },
        { abort },
      );
      return { subscriber, consent };
    },
    [subscriberId],
  );
  const done = (text: string): void => {
    toast(text);
    onChanged();
  };
  const ask = useAction(async () => {
    await call('POST /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}/confirmation', at);
    done(w.asked);
  });
  const unsubscribe = async (): Promise<void> => {
    await call('PATCH /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}', {
      ...at,
      body: { status: 'unsubscribed' },
    });
    done(w.unsubscribed);
    data.reload();
  };
  const remove = async (): Promise<void> => {
    await call('DELETE /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}', at);
    done(w.removed);
    onClose();
  };
  return (
    <Dialog title={data.value?.subscriber.address ?? w.person} isOpen wide onClose={onClose}>
      <Loaded data={data}>
        {({ subscriber, consent }) => (
          <div class="stack">
            <Facts
              facts={[
                [w.name, subscriber.name],
                [w.status, <Status key="status" status={subscriber.status} />],
                [w.since, <Time key="since" at={subscriber.created_at} />],
                [
                  w.confirmed,
                  subscriber.confirmed_at && <Time key="confirmed" at={subscriber.confirmed_at} />,
                ],
                ...Object.entries(subscriber.data).map(([key, value]) => [key, value] as const),
                [
                  w.otherLists,
                  subscriber.other_lists
                    .map(({ list_name, status }) => `${list_name} (${subscriberStatuses()[status]})`)
                    .join(', '),
                ],
              ]}
            />
            <h3>{w.consent}</h3>
            {consent.length === 0 ? (
              <p class="quiet">{w.noConsent}</p>
            ) : (
              <Table
                caption={w.consent}
                rows={consent}
                rowKey={(row) => row.id}
                columns={[
                  { id: 'when', head: w.when, cell: ({ at: when }) => <Time at={when} /> },
                  { id: 'what', head: w.what, cell: ({ action }) => w.actions[action] },
                  { id: 'list', head: w.back, cell: ({ list_name }) => list_name ?? w.allLists },
                  {
                    id: 'proof',
                    head: w.proof,
                    cell: ({ evidence, wording }) => evidence ?? wording ?? '–',
                  },
                ]}
              />
            )}
            <ErrorNote error={ask.error} />
            <div class="actions">
              {subscriber.status === 'pending' && (
                <button type="button" class="primary" disabled={ask.isRunning} onClick={() => void ask.run()}>
                  {w.askAgain}
                </button>
              )}
              <a
                class="button"
                target="_blank"
                rel="noopener"
                href={addressOf('GET /api/practices/{id}/consent/evidence', {
                  id,
                  address: subscriber.address,
                  format: 'html',
                })}
              >
                {w.proofFile}
              </a>
              <a class="button" href={`/app/${id}/people/${encodeURIComponent(subscriber.address)}`}>
                {w.openPerson}
              </a>
              {(subscriber.status === 'active' || subscriber.status === 'pending') && (
                <Confirm
                  button={w.unsubscribe}
                  title={`${w.unsubscribe}?`}
                  text={w.unsubscribeText}
                  onConfirm={unsubscribe}
                />
              )}
              <Confirm
                button={w.remove}
                title={`${w.remove}?`}
                text={w.removeText}
                kind="danger"
                onConfirm={remove}
              />
            </div>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
};

export const People = (props: ListProps) => {
  const { id, list } = props;
  const w = listWords();
  const filters = useFilters();
  const { values, set, href } = filters;
  const { q = '', status = '', person } = values;
  const [typed, setTyped] = useTyped(filters);
  const pages = usePages(
    (cursor, abort) =>
      call(
        'GET /api/practices/{id}/lists/{listID}/subscribers',
        {
          id,
          listID: list.id,
          cursor,
          q,
          status: status as Subscriber['status'],
        },
        { abort },
      ),
    [id, list.id, q, status],
  );
  const onChanged = (): void => {
    pages.reload();
    props.onChanged();
  };
  const isFiltered = q !== '' || status !== '';
  const add = list.archived_at === null && (
    <FormDialog button={w.add} kind="primary">
      {(close) => <AddPerson {...props} onChanged={both(close, onChanged)} />}
    </FormDialog>
  );
  return (
    <>
      <search class="filters">
        <SearchField label={w.search} value={typed} onValue={setTyped} />
        <FilterSelect
          filters={filters}
          name="status"
          label={w.status}
          options={{
            '': w.all,
            ...named(
              statuses.map((one) => ({
                id: one,
                name: `${subscriberStatuses()[one]} (${list.counts[one]})`,
              })),
            ),
          }}
        />
        <a
          class="button"
          download
          href={addressOf('GET /api/practices/{id}/lists/{listID}/subscribers/export', {
            id,
            listID: list.id,
          })}
        >
          {w.export}
        </a>
        {add}
      </search>
      <PagedTable
        caption={w.found}
        pages={pages}
        rowKey={(row) => row.id}
        href={(row) => href({ person: row.id })}
        columns={[
          { id: 'address', head: w.address, isMain: true, cell: ({ address }) => address },
          { id: 'name', head: w.name, cell: ({ name }) => name ?? '–' },
          { id: 'status', head: w.status, cell: ({ status: one }) => <Status status={one} /> },
          { id: 'since', head: w.since, align: 'end', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          isFiltered ? (
            <Empty
              title={w.nothingFound}
              text={w.nothingFoundText}
              action={
                <a class="button" href={href({ q: '', status: '' })}>
                  {w.reset}
                </a>
              }
            />
          ) : (
            <Empty
              title={w.empty}
              text={w.emptyText}
              action={
                <a class="button" href={href({ view: 'import' })}>
                  {w.importTitle}
                </a>
              }
              curl={curlOf(
                `practices/${id}/lists/${list.id}/subscribers`,
                '{"address": "erika@example.org", "name": "Erika Muster"}',
              )}
            />
          )
        }
      />
      {person && (
        <Person
          {...props}
          key={person}
          subscriberId={person}
          onChanged={onChanged}
          onClose={() => set({ person: '' })}
        />
      )}
    </>
  );
};
