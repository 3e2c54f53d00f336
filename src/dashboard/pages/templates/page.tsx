// Templates in a folder for each kind of message, a new one, and the finished ones for who has none.

import { useLocation } from 'preact-iso/router';
import type { CreateTemplateBody, MessageKind, TemplateSummary } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { allPages, useAction, useData } from '#dashboard/data.ts';
import { Button, Head, Hidden, LinkButton, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { contentOf, documentOf, sentContent } from '#dashboard/parts/content.tsx';
import { curlOf, Empty, ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, named, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { kindNames } from '#dashboard/statuses.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** Kinds that go to everyone on a list, not to one person. */
const FOR_MANY: ReadonlySet<string> = new Set(['newsletter', 'custom', 'doi']);
const ALL = '';
/** Names of templates are no longer. */
const MAX_NAME = 100;

/** `termin-2`, or the next number that no other template has. */
const freeName = (name: string, taken: readonly string[]): string => {
  const base = name.replace(/-\d+$/, '').slice(0, MAX_NAME - 4);
  for (let number = 2; ; number += 1) if (!taken.includes(`${base}-${number}`)) return `${base}-${number}`;
};

/** The kinds that people write templates for. */
const kinds = ['transactional', 'termin', 'recall', 'newsletter', 'quality'] as const;
type Kind = (typeof kinds)[number];

const NewTemplate = ({ id, kind }: { readonly id: string; readonly kind: string }) => {
  const w = translated(words);
  const { route } = useLocation();
  const { fields, field } = useFields({
    name: '',
    description: '',
    subject: '',
    message_kind: kinds.find((one) => one === kind) ?? ('transactional' as Kind),
  });
  const action = useAction(async () => {
    const body = { ...fields, description: fields.description || null, document: documentOf(w.firstText) };
    const { id: templateId } = await call('POST /api/practices/{id}/templates', {
      id,
      body: body as CreateTemplateBody,
    });
    route(`/app/${id}/templates/${templateId}`);
  });
  return (
    <Form action={action} submit={w.createAndWrite}>
      <TextField
        label={w.name}
        hint={w.nameHint}
        required
        maxLength={MAX_NAME}
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

/** One tab for each kind that there is, with how many it has. */
const folders = (
  all: readonly TemplateSummary[],
  href: (changes: Readonly<Record<string, string>>) => string,
) => {
  const w = translated(words);
  const names = kindNames();
  const kinds = (Object.keys(names) as MessageKind[]).filter((kind) =>
    all.some(({ message_kind }) => message_kind === kind),
  );
  return [
    { id: ALL, text: w.allKinds, href: href({ kind: ALL }), count: all.length },
    ...kinds.map((kind) => ({
      id: kind,
      text: names[kind],
      href: href({ kind }),
      count: all.filter(({ message_kind }) => message_kind === kind).length,
    })),
  ];
};

const Templates = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { route } = useLocation();
  const { values, href } = useFilters();
  const { kind = ALL } = values;
  const data = useData(
    (abort) => allPages((page) => call('GET /api/practices/{id}/templates', { id, ...page }, { abort })),
    [id],
  );
  const all = data.value ?? [];
  const seed = useAction(async () => {
    const { created } = await call('POST /api/practices/{id}/presets/seed', { id });
    toast(w.seeded(created.length));
    data.reload();
  });
  const duplicate = useAction(async ({ id: templateID, name }: TemplateSummary) => {
    const of = await call('GET /api/practices/{id}/templates/{templateID}', { id, templateID });
    const { description, message_kind, track_opens, track_clicks, reply_to } = of;
    const settings = { description, message_kind, track_opens, track_clicks, reply_to };
    const taken = all.map((one) => one.name);
    const body = { ...settings, ...sentContent(contentOf(of)), name: freeName(name, taken) };
    const made = await call('POST /api/practices/{id}/templates', { id, body: body as CreateTemplateBody });
    toast(w.duplicated);
    route(`/app/${id}/templates/${made.id}`);
  });
  const columns: readonly Column<TemplateSummary>[] = [
    { head: w.name, cell: ({ name }) => name, isMain: true },
    { head: w.subject, cell: ({ subject }) => subject },
    { head: w.purpose, cell: ({ description }) => description ?? '–' },
    { head: w.changed, cell: ({ updated_at }) => <Time at={updated_at} />, align: 'end' },
    {
      head: w.actions,
      align: 'end',
      cell: (row) => (
        <span class="actions">
          {!FOR_MANY.has(row.message_kind) && (
            <LinkButton
              kind="small"
              text={
                <>
                  {w.useIt}
                  <Hidden> {row.name}</Hidden>
                </>
              }
              href={`/app/${id}/letter?template=${row.id}`}
            />
          )}
          {may('campaigns.send') && (
            <LinkButton
              kind="small"
              text={
                <>
                  {w.useForMany}
                  <Hidden> {row.name}</Hidden>
                </>
              }
              href={`/app/${id}/campaigns?template=${row.id}`}
            />
          )}
          <Button
            kind="small"
            disabled={duplicate.isRunning}
            text={
              <>
                {w.duplicate}
                <Hidden> {row.name}</Hidden>
              </>
            }
            onClick={() => void duplicate.run(row)}
          />
        </span>
      ),
    },
  ];
  const create = (
    <FormDialog button={w.create} kind={data.value?.length === 0 ? undefined : 'primary'}>
      {() => <NewTemplate id={id} kind={kind} />}
    </FormDialog>
  );
  return (
    <>
      <Head
        title={w.pages.templates}
        intro={w.intro}
        actions={
          <>
            {may('practice.manage') && (
              <LinkButton text={w.pages.letterhead} href={`/app/${id}/letterhead`} />
            )}
            {create}
          </>
        }
      />
      <ErrorNote error={seed.error ?? duplicate.error} />
      <Loaded data={data} lines={10}>
        {(rows) =>
          rows.length === 0 ? (
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
          ) : (
            <>
              <Tabs label={w.folders} present={kind} tabs={folders(rows, href)} />
              <Table
                caption={w.list}
                columns={columns}
                rows={rows.filter(({ message_kind }) => kind === ALL || message_kind === kind)}
                href={(row) => `/app/${id}/templates/${row.id}`}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
};

export default Templates;
