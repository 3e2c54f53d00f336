// Addresses that nothing goes to: found, added, lifted with a warning, read from a file and written to one.
import { useState } from 'preact/hooks';
import type { Suppression } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { addressOf, call } from '#dashboard/api/call.ts';
import { allPages, useAction, useData, useList } from '#dashboard/data.ts';
import { givenName } from '#dashboard/given-names.ts';
import { useLive } from '#dashboard/live.ts';
import { Badge, Button, Head, LinkButton, Time, type Tone } from '#dashboard/parts/basics.tsx';
import { Confirm, Dialog } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, ErrorNote, Note, toast } from '#dashboard/parts/feedback.tsx';
import { FilterSearch, FilterSelect, ShowAll } from '#dashboard/parts/filters.tsx';
import { Form, type Options, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { BulkBar, useSelection } from '#dashboard/parts/selection.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { language, translated } from '#dashboard/words.ts';
import { ImportFile } from './import.tsx';
import { words } from './words/de.ts';

type Reason = Suppression['reason'];

const tones: Readonly<Record<Reason, Tone>> = {
  hard_bounce: 'bad',
  soft_bounces: 'warn',
  complaint: 'bad',
  unsubscribe: 'plain',
  unsubscribe_all: 'plain',
  manual: 'plain',
  import: 'plain',
  erasure: 'plain',
};

const optionOf = <V extends string>(options: Options<V>, value: string | undefined): V | undefined =>
  (Object.keys(options) as V[]).find((one) => one === value);

/** Why it should not be lifted. */
const warningOf = (reason: Reason): string | undefined => {
  const { warnings } = translated(words);
  if (reason === 'complaint') return warnings.complaint;
  if (reason === 'unsubscribe' || reason === 'unsubscribe_all') return warnings.unsubscribe;
  return reason === 'hard_bounce' ? warnings.unreachable : undefined;
};

const Lift = ({ id, row, onDone }: { id: string; row: Suppression; onDone: () => void }) => {
  const w = translated(words);
  const warning = warningOf(row.reason);
  return (
    <Confirm
      small
      button={w.lift}
      title={w.liftTitle(row.address ?? w.erasedMark)}
      text={
        <>
          {warning && <Note kind="warn">{warning}</Note>}
          <p>{w.liftText}</p>
        </>
      }
      kind={warning ? 'danger' : undefined}
      onConfirm={async () => {
        await call('DELETE /api/practices/{id}/suppression/{suppressionID}', { id, suppressionID: row.id });
        toast(w.lifted);
        onDone();
      }}
    />
  );
};

/** A field of the body and its value. */
const EVERYTHING = 'scope team';

const Add = ({ id, onDone }: { readonly id: string; readonly onDone: () => void }) => {
  const w = translated(words);
  const { fields, field } = useFields({ address: '', note: '' });
  const [chosen, choose] = useState<string>();
  // Who is limited to projects may not suppress for others too.
  const isLimited = practice.value?.allProjects === false;
  const places = useData(async () => {
    const [projects, routes] = await Promise.all([
      allPages((page) => call('GET /api/practices/{id}/projects', { id, ...page })),
      allPages((page) => call('GET /api/practices/{id}/routes', { id, ...page })),
    ]);
    return Object.fromEntries([
      ...projects
        .filter(({ archived_at }) => archived_at === null)
        .map((one) => [`project_id ${one.id}`, w.project(givenName(one))]),
      ...routes
        .filter(({ project_id }) => project_id !== null || !isLimited)
        .map((one) => [`route_id ${one.id}`, w.route(givenName(one))]),
    ]);
  }, [id]);
  const options = { ...(isLimited ? {} : { [EVERYTHING]: w.scopes.team }), ...places.value };
  const place = chosen ?? Object.keys(options)[0] ?? EVERYTHING;
  const action = useAction(async () => {
    const [name = '', where] = place.split(' ');
    const body = { ...fields, [name]: where, note: fields.note || undefined };
    await call('POST /api/practices/{id}/suppression', { id, body });
    toast(w.added);
    onDone();
  });
  return (
    <Form action={action} submit={w.addIt}>
      <TextField label={w.address} type="email" required {...field('address')} />
      <SelectField label={w.scope} value={place} onValue={choose} options={options} />
      <ErrorNote error={places.error} onRetry={places.reload} />
      <TextField label={w.note} optional {...field('note')} />
    </Form>
  );
};

const columns = (id: string, reload: () => void): readonly Column<Suppression>[] => {
  const w = translated(words);
  return [
    {
      head: w.address,
      cell: ({ address }) => (
        <span class={address !== null && address.length < 40 ? 'whole' : undefined}>
          {address ?? w.erasedMark}
        </span>
      ),
      isMain: true,
    },
    {
      head: w.reason,
      cell: ({ reason, source_message_id }) => (
        <span>
          <Badge tone={tones[reason]}>{w.reasons[reason]}</Badge>{' '}
          {source_message_id && may('messages.view') && (
            <a href={`/app/${id}/post/${source_message_id}`}>{w.message}</a>
          )}
        </span>
      ),
    },
    {
      head: w.scope,
      cell: ({ scope, project_slug, route_slug }) => (
        <span class="whole">
          {route_slug
            ? w.route(givenName({ slug: route_slug }))
            : project_slug
              ? w.project(givenName({ slug: project_slug }))
              : w.scopes[scope]}
        </span>
      ),
    },
    { head: w.note, cell: ({ note }) => note },
    { head: w.since, cell: ({ created_at }) => <Time at={created_at} />, align: 'end' },
    { head: w.change, cell: (row) => row.reason !== 'erasure' && <Lift id={id} row={row} onDone={reload} /> },
  ];
};

const Suppressions = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const { values } = filters;
  const { q = '' } = values;
  const reason = optionOf(w.reasons, values.reason);
  const scope = optionOf(w.scopes, values.scope);
  const [opened, open] = useState<'add' | 'import'>();
  const pages = useList('GET /api/practices/{id}/suppression', { id, q, reason, scope });
  useLive(({ event }) => {
    if (event === 'suppression.added' || event === 'suppression.removed') pages.reload();
  }, pages.reload);
  const selection = useSelection(pages.value, {
    nameOf: ({ address }) => address ?? w.erasedMark,
    canPick: (row) => row.reason !== 'erasure',
  });
  const close = (): void => open(undefined);
  const isFiltered = q !== '' || reason !== undefined || scope !== undefined;
  const addButton = <Button text={w.add} kind="primary" onClick={() => open('add')} />;
  return (
    <>
      <Head
        title={w.pages.suppressions}
        intro={w.intro}
        actions={
          <>
            <LinkButton
              text={w.asCsv}
              download
              href={addressOf('GET /api/practices/{id}/suppression/export', {
                id,
                language: language.value,
              })}
            />
            <Button text={w.import} onClick={() => open('import')} />
            {(isFiltered || pages.value?.length !== 0) && addButton}
          </>
        }
      />
      <search class="filters">
        <FilterSearch filters={filters} label={w.search} />
        <FilterSelect
          filters={filters}
          name="reason"
          label={w.reason}
          all={w.anyReason}
          options={w.reasons}
        />
        <FilterSelect filters={filters} name="scope" label={w.scope} all={w.anyScope} options={w.scopes} />
      </search>
      <BulkBar
        selection={selection}
        onDone={pages.reload}
        actions={[
          {
            button: w.lift,
            text: w.liftText,
            kind: 'danger',
            run: ({ id: suppressionID }) =>
              call('DELETE /api/practices/{id}/suppression/{suppressionID}', { id, suppressionID }),
          },
        ]}
      />
      <PagedTable
        selection={selection}
        caption={w.found}
        columns={columns(id, pages.reload)}
        pages={pages}
        empty={
          isFiltered ? (
            <Empty
              title={w.nothingFound}
              text={w.nothingFoundText}
              action={<ShowAll filters={filters} names={['q', 'reason', 'scope']} />}
            />
          ) : (
            <Empty
              title={w.empty}
              text={w.emptyText}
              action={addButton}
              curl={curlOf(`practices/${id}/suppression`, '{"address": "erika@example.org"}')}
            />
          )
        }
      />
      <Dialog title={w.add} isOpen={opened === 'add'} onClose={close}>
        <Add
          id={id}
          onDone={() => {
            close();
            pages.reload();
          }}
        />
      </Dialog>
      <Dialog title={w.importTitle} isOpen={opened === 'import'} onClose={close} wide>
        <ImportFile id={id} onDone={pages.reload} />
      </Dialog>
    </>
  );
};

export default Suppressions;
