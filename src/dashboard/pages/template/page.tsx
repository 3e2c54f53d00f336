// A template: written beside its preview, sent to oneself for a look, and its earlier versions.

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Template, UpdateTemplateBody } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer, useList, useNewer } from '#dashboard/data.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Badge, Button, Head, Tabs, Time } from '#dashboard/parts/basics.tsx';
import {
  type Content,
  ContentFields,
  ContentPreview,
  contentNames,
  contentOf,
  sentContent,
  type Values,
} from '#dashboard/parts/content.tsx';
import { Confirm, Dialog } from '#dashboard/parts/dialog.tsx';
import { held } from '#dashboard/parts/draft.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { makeDocument } from '#dashboard/parts/made-content.ts';
import { asHtml, filled, placeholdersIn, practiceValues } from '#dashboard/parts/placeholders.ts';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { account, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

interface OneProps {
  readonly id: string;
  readonly template: Template;
  readonly onChanged: (template: Template) => void;
}

const namesOf = ({ name, description, reply_to }: Template) => ({
  name,
  description: description ?? '',
  reply_to: reply_to ?? '',
});

/** What the form holds. */
interface Written {
  readonly content: Content;
  readonly fields: ReturnType<typeof namesOf>;
}

const Writing = ({ id, template, onChanged }: OneProps) => {
  const w = translated(words);
  const [content, setContent] = useState<Content>(contentOf(template));
  /** Counts what was put in the place of the content. */
  const [takenIn, setTakenIn] = useState(0);
  const { fields, field, setFields } = useFields(namesOf(template));
  const [values, setValues] = useState<Values>({});
  const record = useAnswer('GET /api/practices/{id}', { id });
  const known = record.value ? practiceValues(record.value) : {};
  const takeIn = (taken: Written): void => {
    setContent(taken.content);
    setFields(taken.fields);
    setTakenIn((before) => before + 1);
  };
  const save = useAction(async () => {
    const body = {
      ...sentContent(content),
      name: fields.name,
      description: fields.description || null,
      reply_to: fields.reply_to.trim() || null,
    } as UpdateTemplateBody;
    const over = {
      record: template,
      names: { ...contentNames(), name: w.name, description: w.purpose, reply_to: w.replyTo },
      take: (current: Template) => {
        takeIn({ content: contentOf(current), fields: namesOf(current) });
        onChanged(current);
      },
    };
    const saved = await call(
      'PATCH /api/practices/{id}/templates/{templateID}',
      { id, templateID: template.id, body },
      { over },
    );
    // The content becomes what was stored; what was typed meanwhile stays.
    setContent((present) => (present === content ? contentOf(saved) : present));
    onChanged(saved);
    toast(w.saved);
  });
  const test = useAction(async () => {
    const to = account.value?.email ?? '';
    const { subject, document } = content;
    const { text, html } = document === null ? content : await makeDocument(id, document, subject);
    const names = placeholdersIn(subject, text, html);
    const shown = Object.fromEntries(names.map((one) => [one, values[one] || known[one] || `[${one}]`]));
    await call('POST /api/practices/{id}/send', {
      id,
      body: {
        to,
        subject: filled(subject, shown),
        text: text === '' ? undefined : filled(text, shown),
        html: html === '' ? undefined : filled(html, shown, asHtml),
        message_kind: 'test',
      },
    });
    toast(w.tested(to));
  });
  const isChanged =
    JSON.stringify([contentOf(template), namesOf(template)]) !== JSON.stringify([content, fields]);
  return (
    <Form
      action={save}
      submit={w.save}
      held={held({ content, fields }, takeIn)}
      others={
        <>
          <Button text={w.testMailToMe} disabled={test.isRunning} onClick={() => void test.run()} />
          {isChanged && <span class="quiet">{w.notSavedYet}</span>}
        </>
      }
    >
      <ContentFields
        key={takenIn}
        content={content}
        onContent={setContent}
        values={values}
        onValues={setValues}
        known={known}
        error={save.error}
      />
      <div class="columns">
        <TextField label={w.name} required maxLength={100} {...field('name')} />
        <TextField label={w.purpose} optional maxLength={500} {...field('description')} />
        <TextField label={w.replyTo} hint={w.replyToHint} optional type="email" {...field('reply_to')} />
      </div>
      <ErrorNote error={test.error} />
    </Form>
  );
};

const OneVersion = ({
  id,
  template,
  version,
  onChanged,
  onClose,
}: OneProps & { readonly version: number; readonly onClose: () => void }) => {
  const w = translated(words);
  const data = useAnswer('GET /api/practices/{id}/templates/{templateID}/versions/{version}', {
    id,
    templateID: template.id,
    version: String(version),
  });
  const takeBack = useAction(async () => {
    if (!data.value) return;
    const body = sentContent(contentOf(data.value)) as UpdateTemplateBody;
    onChanged(
      await call('PATCH /api/practices/{id}/templates/{templateID}', { id, templateID: template.id, body }),
    );
    toast(w.takenBack(version));
    onClose();
  });
  return (
    <Dialog title={w.open(version)} isOpen wide onClose={onClose}>
      <Loaded data={data}>{(shown) => <ContentPreview content={contentOf(shown)} />}</Loaded>
      {version !== template.version && (
        <Form action={takeBack} submit={w.takeBack}>
          {null}
        </Form>
      )}
    </Dialog>
  );
};

const Versions = (props: OneProps) => {
  const { id, template } = props;
  const w = translated(words);
  const [version, setVersion] = useState<number>();
  const pages = useList('GET /api/practices/{id}/templates/{templateID}/versions', {
    id,
    templateID: template.id,
  });
  useNewer(pages, template.version);
  return (
    <>
      <PagedTable
        caption={w.versions}
        pages={pages}
        rowKey={(row) => String(row.version)}
        empty={null}
        columns={[
          {
            head: w.version,
            cell: (row) => (
              <>
                {row.version} {row.version === template.version && <Badge tone="good">{w.current}</Badge>}
              </>
            ),
          },
          { head: w.subject, cell: ({ subject }) => subject },
          { head: w.by, cell: ({ created_by: by }) => w.makers[by] ?? by },
          { head: w.savedShort, cell: ({ created_at }) => <Time at={created_at} />, align: 'end' },
          {
            head: '',
            align: 'end',
            cell: (row) => (
              <Button
                text={w.look}
                kind="small"
                aria-label={`${w.look}: ${w.open(row.version)}`}
                onClick={() => setVersion(row.version)}
              />
            ),
          },
        ]}
      />
      {version !== undefined && (
        <OneVersion {...props} version={version} onClose={() => setVersion(undefined)} />
      )}
    </>
  );
};

const TemplatePage = ({ item = '' }: PageProps) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { route } = useLocation();
  const { values, href } = useFilters();
  const view = values.view === 'versions' ? 'versions' : 'write';
  const data = useAnswer('GET /api/practices/{id}/templates/{templateID}', { id, templateID: item });
  const remove = async (): Promise<void> => {
    await call('DELETE /api/practices/{id}/templates/{templateID}', { id, templateID: item });
    toast(w.removed);
    route(`/app/${id}/templates`, true);
  };
  return (
    <>
      <Head
        title={data.value?.name ?? w.pages.templates}
        intro={data.value?.description}
        back={{ href: `/app/${id}/templates`, text: w.pages.templates }}
        actions={
          <Confirm
            button={w.delete}
            title={w.removeTitle}
            text={w.removeText}
            kind="danger"
            onConfirm={remove}
          />
        }
      />
      <Tabs
        label={w.views}
        present={view}
        tabs={[
          { id: 'write', text: w.write, href: href({ view: '' }) },
          { id: 'versions', text: w.versions, href: href({ view: 'versions' }) },
        ]}
      />
      <Loaded data={data} lines={12}>
        {(template) => {
          const props = { id, template, onChanged: data.replace };
          return view === 'write' ? <Writing {...props} /> : <Versions {...props} />;
        }}
      </Loaded>
    </>
  );
};

export default TemplatePage;
