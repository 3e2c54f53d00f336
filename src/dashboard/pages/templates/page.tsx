// Templates: all of them, a new one, and the finished ones for who has none.

import { useLocation } from 'preact-iso/router';
import type { TemplateSummary } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useList } from '#dashboard/data.ts';
import { Button, Head, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty, ErrorNote, toast } from '#dashboard/parts/feedback.tsx';
import { Form, named, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const columns = (): readonly Column<TemplateSummary>[] => {
  const w = translated(words);
  return [
    { head: w.name, cell: ({ name }) => name, isMain: true },
    { head: w.subject, cell: ({ subject }) => subject },
    { head: w.purpose, cell: ({ description }) => description ?? '–' },
    { head: w.changed, cell: ({ updated_at }) => <Time at={updated_at} />, align: 'end' },
  ];
};

/** The kinds that people write templates for. */
const kinds = ['transactional', 'termin', 'recall', 'newsletter', 'quality'] as const;
type Kind = (typeof kinds)[number];

const NewTemplate = ({ id }: { readonly id: string }) => {
  const w = translated(words);
  const { route } = useLocation();
  const { fields, field } = useFields({
    name: '',
    description: '',
    subject: '',
    message_kind: 'transactional' as Kind,
  });
  const action = useAction(async () => {
    const { id: templateId } = await call('POST /api/practices/{id}/templates', {
      id,
      body: { ...fields, description: fields.description || null, text: w.firstText },
    });
    route(`/app/${id}/templates/${templateId}`);
  });
  return (
    <Form action={action} submit={w.createAndWrite}>
      <TextField
        label={w.name}
        hint={w.nameHint}
        required
        maxLength={100}
        placeholder="terminerinnerung"
        {...field('name')}
      />
      <TextField label={w.subject} required {...field('subject')} />
      <SelectField
        label={w.kind}
        options={named(kinds.map((id) => ({ id, name: w.kinds[id] })))}
        {...field('message_kind')}
      />
      <TextField label={w.purpose} optional maxLength={500} {...field('description')} />
    </Form>
  );
};

const Templates = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const pages = useList('GET /api/practices/{id}/templates', { id });
  const seed = useAction(async () => {
    const { created } = await call('POST /api/practices/{id}/presets/seed', { id });
    toast(w.seeded(created.length));
    pages.reload();
  });
  const create = (
    <FormDialog button={w.create} kind={pages.value?.length === 0 ? undefined : 'primary'}>
      {() => <NewTemplate id={id} />}
    </FormDialog>
  );
  return (
    <>
      <Head title={w.pages.templates} intro={w.intro} actions={create} />
      <ErrorNote error={seed.error} />
      <PagedTable
        caption={w.list}
        columns={columns()}
        pages={pages}
        href={(row) => `/app/${id}/templates/${row.id}`}
        empty={
          <Empty
            title={w.empty}
            text={w.emptyText}
            action={
              <Button
                text={w.seed}
                kind="primary"
                disabled={seed.isRunning}
                onClick={() => void seed.run()}
              />
            }
            curl={curlOf(`practices/${id}/presets/seed`, '{}')}
          />
        }
      />
    </>
  );
};

export default Templates;
