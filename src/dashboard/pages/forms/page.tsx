// Forms by which people write to the practice, and a new one.
import { useLocation } from 'preact-iso/router';
import type { WebsiteForm } from '#api';
import { call } from '#dashboard/api/call.ts';
import { hasRows, useAction, useList } from '#dashboard/data.ts';
import { Badge, Head, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { Form, SelectField, useFields } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { language, number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type Preset = keyof typeof words.presets;

const columns = (): readonly Column<WebsiteForm>[] => {
  const w = translated(words);
  return [
    { head: w.name, isMain: true, cell: ({ name }) => name },
    {
      head: w.status,
      cell: ({ state }) => (
        <Badge tone={state === 'open' ? 'good' : 'warn'}>{state === 'open' ? w.open : w.closed}</Badge>
      ),
    },
    { head: w.sent, align: 'end', cell: ({ sent_last_day }) => number(sent_last_day) },
    { head: w.changed, align: 'end', cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
};

const NewForm = ({ id }: { readonly id: string }) => {
  const w = translated(words);
  const { route } = useLocation();
  const { fields, field } = useFields({ preset: 'contact' as Preset });
  const create = useAction(async () => {
    const body = { preset: fields.preset, language: language.value };
    const made = await call('POST /api/practices/{id}/website-forms', { id, body });
    route(`/app/${id}/forms/${made.id}`);
  });
  return (
    <Form action={create} submit={w.createIt}>
      <SelectField label={w.preset} options={w.presets} {...field('preset')} />
    </Form>
  );
};

const Forms = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const pages = useList('GET /api/practices/{id}/website-forms', { id });
  const create = (
    <FormDialog button={w.create} kind="primary">
      {() => <NewForm id={id} />}
    </FormDialog>
  );
  return (
    <>
      <Head title={w.pages.forms} intro={w.intro} actions={hasRows(pages) && create} />
      <PagedTable
        caption={w.list}
        columns={columns()}
        pages={pages}
        href={(row) => `/app/${id}/forms/${row.id}`}
        empty={
          <Empty
            title={w.empty}
            text={w.emptyText}
            action={create}
            curl={curlOf(`practices/${id}/website-forms`, '{"preset": "contact"}')}
          />
        }
      />
    </>
  );
};

export default Forms;
