// The people on a list: found, added, and one of them with their consent.
import { useState } from 'preact/hooks';
import type { List, Subscriber } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { addressOf, call } from '#dashboard/api/call.ts';
import { useAction, useData, useList } from '#dashboard/data.ts';
import { Badge, Button, Facts, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { Confirm, Dialog } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSearch, FilterSelect, ShowAll } from '#dashboard/parts/filters.tsx';
import { CheckField, Form, named, TextField, useFields } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { useLoaded } from '#dashboard/parts/on-demand.ts';
import { BulkBar, useSelection } from '#dashboard/parts/selection.tsx';
import { PagedTable, Table } from '#dashboard/parts/table.tsx';
import { may } from '#dashboard/session.ts';
import { letterTo, subscriberStatuses, subscriberTones } from '#dashboard/statuses.ts';
import { language, translated } from '#dashboard/words.ts';
import { type Asserted, Assertion, assertedBy, NOT_ASSERTED } from './assertion.tsx';
import { words } from './words/de.ts';

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
  const w = translated(words);
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
  const w = translated(words);
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
                columns={[
                  { head: w.when, cell: ({ at: when }) => <Time at={when} /> },
                  { head: w.what, cell: ({ action }) => w.actions[action] },
                  { head: w.pages.lists, cell: ({ list_name }) => list_name ?? w.allLists },
                  { head: w.proof, cell: ({ evidence, wording }) => evidence ?? wording ?? '–' },
                ]}
              />
            )}
            <ErrorNote error={ask.error} />
            <div class="actions">
              {subscriber.status === 'pending' && (
                <Button
                  text={w.askAgain}
                  kind="primary"
                  disabled={ask.isRunning}
                  onClick={() => void ask.run()}
                />
              )}
              <LinkButton
                text={w.proofFile}
                target="_blank"
                rel="noopener"
                href={addressOf('GET /api/practices/{id}/consent/evidence', {
                  id,
                  address: subscriber.address,
                  format: 'html',
                })}
              />
              {may('messages.send') && <LinkButton text={w.sendMessage} href={letterTo(id, subscriber)} />}
              <LinkButton
                text={w.openPerson}
                href={`/app/${id}/people/${encodeURIComponent(subscriber.address)}`}
              />
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

const AllPeople = (props: ListProps) => {
  const { id, list } = props;
  const w = translated(words);
  const filters = useFilters();
  const { values, set, href } = filters;
  const { q = '', status = '', person } = values;
  const pages = useList('GET /api/practices/{id}/lists/{listID}/subscribers', {
    id,
    listID: list.id,
    q,
    status: status as Subscriber['status'],
  });
  const onChanged = (): void => {
    pages.reload();
    props.onChanged();
  };
  const selection = useSelection(pages.value, { nameOf: ({ address }) => address });
  const at = ({ id: subscriberID }: Subscriber) => ({ id, listID: list.id, subscriberID });
  const isFiltered = q !== '' || status !== '';
  const add = list.archived_at === null && (
    <FormDialog button={w.add} kind="primary">
      {(close) => <AddPerson {...props} onChanged={both(close, onChanged)} />}
    </FormDialog>
  );
  return (
    <>
      <search class="filters">
        <FilterSearch filters={filters} label={w.search} />
        <FilterSelect
          filters={filters}
          name="status"
          label={w.status}
          options={{
            '': w.all,
            ...named(
              statuses.map((one) => ({
                id: one,
                // They are those of the whole list.
                name:
                  q === '' ? `${subscriberStatuses()[one]} (${list.counts[one]})` : subscriberStatuses()[one],
              })),
            ),
          }}
        />
        <LinkButton
          text={w.asCsv}
          download
          href={addressOf('GET /api/practices/{id}/lists/{listID}/subscribers/export', {
            id,
            listID: list.id,
            language: language.value,
          })}
        />
        {may('campaigns.send') && <LinkButton text={w.byConditions} href={href({ by: 'conditions' })} />}
        {add}
      </search>
      <BulkBar
        selection={selection}
        onDone={onChanged}
        actions={[
          {
            button: w.unsubscribe,
            text: w.unsubscribeText,
            run: (row) =>
              call('PATCH /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}', {
                ...at(row),
                body: { status: 'unsubscribed' },
              }),
          },
          {
            button: w.remove,
            text: w.removeText,
            kind: 'danger',
            run: (row) =>
              call('DELETE /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}', at(row)),
          },
        ]}
      />
      <PagedTable
        selection={selection}
        caption={w.found}
        pages={pages}
        href={(row) => href({ person: row.id })}
        columns={[
          { head: w.address, isMain: true, cell: ({ address }) => address },
          { head: w.name, cell: ({ name }) => name ?? '–' },
          { head: w.status, cell: ({ status: one }) => <Status status={one} /> },
          { head: w.since, align: 'end', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          isFiltered ? (
            <Empty
              title={w.nothingFound}
              text={w.nothingFoundText}
              action={<ShowAll filters={filters} names={['q', 'status']} />}
            />
          ) : (
            <Empty
              title={w.empty}
              text={w.emptyText}
              action={<LinkButton text={w.importTitle} href={href({ view: 'import' })} />}
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

/** In the place of all, those for whom conditions hold. */
export const People = (props: ListProps) => {
  const w = translated(words);
  const { values, href } = useFilters();
  const isChosen = values.by === 'conditions';
  const part = useLoaded(() => import('#dashboard/parts/segment/people.tsx'), isChosen);
  if (!isChosen) return <AllPeople {...props} />;
  return (
    <>
      <LinkButton text={w.allAgain} href={href({ by: '' })} />
      {part && <part.SegmentPeople id={props.id} listId={props.list.id} />}
    </>
  );
};
