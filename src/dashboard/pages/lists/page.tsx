// Lists of subscribers, with how many are in which state, and a new one.

import { useLocation } from 'preact-iso/router';
import type { List } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { hasRows, useAction, useList } from '#dashboard/data.ts';
import { Badge, Head, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { language, number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const columns = (): readonly Column<List>[] => {
  const w = translated(words);
  return [
    { head: w.name, isMain: true, cell: ({ name }) => name },
    { head: w.active, align: 'end', cell: ({ counts }) => <strong>{number(counts.active)}</strong> },
    { head: w.pending, align: 'end', cell: ({ counts }) => number(counts.pending) },
    { head: w.left, align: 'end', cell: ({ counts }) => number(counts.unsubscribed) },
    { head: w.bounced, align: 'end', cell: ({ counts }) => number(counts.bounced + counts.complained) },
    {
      head: w.created,
      align: 'end',
      cell: ({ created_at, archived_at }) =>
        archived_at === null ? <Time at={created_at} /> : <Badge tone="plain">{w.archived}</Badge>,
    },
  ];
};

type Channel = keyof typeof words.channels;

const NewList = ({ id }: { readonly id: string }) => {
  const w = translated(words);
  const { route } = useLocation();
  const { fields, field } = useFields({
    name: '',
    description: '',
    channel: 'newsletter' as Channel,
    language: language.value,
    is_public: true,
  });
  const action = useAction(async () => {
    const body = { ...fields, description: fields.description || null };
    const { id: listId } = await call('POST /api/practices/{id}/lists', { id, body });
    route(`/app/${id}/lists/${listId}`);
  });
  return (
    <Form action={action} submit={w.createIt}>
      <TextField label={w.name} required {...field('name')} />
      <TextField label={w.description} hint={w.descriptionHint} optional {...field('description')} />
      <SelectField label={w.channel} options={w.channels} {...field('channel')} />
      <SelectField label={w.language} options={w.languages} {...field('language')} />
      <CheckField label={w.everyoneMaySubscribe} hint={w.isPublicHint} {...field('is_public')} />
    </Form>
  );
};

const Lists = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { values, set } = useFilters();
  const withArchived = values.archived === 'true';
  const pages = useList('GET /api/practices/{id}/lists', { id, archived: withArchived ? 'true' : undefined });
  const create = (
    <FormDialog button={w.create} kind="primary">
      {() => <NewList id={id} />}
    </FormDialog>
  );
  return (
    <>
      <Head title={w.pages.lists} intro={w.intro} actions={hasRows(pages) && create} />
      <PagedTable
        caption={w.list}
        columns={columns()}
        pages={pages}
        href={(row) => `/app/${id}/lists/${row.id}`}
        empty={
          <Empty
            title={w.empty}
            text={w.emptyText}
            action={create}
            curl={curlOf(
              `practices/${id}/lists`,
              '{"name": "Rundbrief", "channel": "newsletter", "is_public": true}',
            )}
          />
        }
      />
      <CheckField
        label={w.showArchived}
        value={withArchived}
        onValue={(isChecked) => set({ archived: isChecked ? 'true' : '' })}
      />
    </>
  );
};

export default Lists;
