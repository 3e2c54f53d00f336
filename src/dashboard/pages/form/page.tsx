// A form for the practice's website: its fields and texts, what follows when it is sent, its HTML to copy, and how it looks.
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { WebsiteForm } from '#api';
import { call } from '#dashboard/api/call.ts';
import { type Data, useAction, useAnswer } from '#dashboard/data.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Card, Code, Copied, Head, LinkButton } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { held } from '#dashboard/parts/draft.tsx';
import { Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, SelectField, TextArea, TextField, useFields } from '#dashboard/parts/form.tsx';
import { DraftFrame } from '#dashboard/parts/mail-frame.tsx';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { type EditedField, editedFields, Fields, savedFields } from './fields.tsx';
import { words } from './words/de.ts';

const ONE = '/api/practices/{id}/website-forms/{formID}';

interface OneProps {
  readonly id: string;
  readonly data: Data<WebsiteForm>;
  readonly form: WebsiteForm;
}

const Settings = ({ id, data, form }: OneProps) => {
  const w = translated(words);
  const [shown, setShown] = useState<readonly EditedField[]>(editedFields(form.fields));
  const { fields, field, setFields } = useFields({
    name: form.name,
    title: form.title,
    language: form.language,
    purpose: form.purpose ?? '',
    proof: form.proof,
    receipt: form.receipt ?? '',
    thanks: form.thanks ?? '',
    redirect_url: form.redirect_url ?? '',
    per_day: String(form.per_day),
    is_open: form.is_open,
  });
  const save = useAction(async () => {
    const body = {
      ...fields,
      purpose: fields.purpose || null,
      receipt: (fields.proof && fields.receipt) || null,
      thanks: fields.thanks || null,
      redirect_url: fields.redirect_url || null,
      per_day: Number(fields.per_day),
      fields: savedFields(shown),
    };
    data.replace(await call(`PATCH ${ONE}`, { id, formID: form.id, body }));
    toast(w.saved);
  });
  const draft = held({ fields, shown }, (before) => {
    setFields(before.fields);
    setShown(before.shown);
  });
  return (
    <Card title={w.settings}>
      <Form action={save} submit={w.save} held={draft}>
        <div class="columns">
          <TextField label={w.formName} required {...field('name')} />
          <TextField label={w.title} hint={w.titleHint} required {...field('title')} />
          <SelectField label={w.formLanguage} options={w.languages} {...field('language')} />
        </div>
        <TextArea label={w.purposeOf} hint={w.purposeHint} optional rows={3} {...field('purpose')} />
        <h3>{w.fields}</h3>
        <Fields fields={shown} onFields={setShown} />
        <h3>{w.rules}</h3>
        <CheckField label={w.proof} hint={w.proofHint} {...field('proof')} />
        {fields.proof && (
          <TextArea label={w.receipt} hint={w.receiptHint} optional rows={3} {...field('receipt')} />
        )}
        <TextArea label={w.thanks} hint={w.thanksHint} optional rows={2} {...field('thanks')} />
        <div class="columns">
          <TextField
            label={w.redirect}
            hint={w.redirectHint}
            optional
            type="url"
            {...field('redirect_url')}
          />
          <TextField
            label={w.perDay}
            hint={w.perDayHint}
            required
            type="number"
            min={1}
            max={2_000}
            {...field('per_day')}
          />
        </div>
        <CheckField label={w.isOpen} {...field('is_open')} />
      </Form>
    </Card>
  );
};

const One = ({ id, data, form }: OneProps) => {
  const w = translated(words);
  const { route } = useLocation();
  return (
    <>
      <Head
        title={form.name}
        back={{ href: `/app/${id}/forms`, text: w.pages.forms }}
        actions={
          <Confirm
            button={w.delete}
            title={w.deleteTitle(form.name)}
            text={w.deleteText}
            kind="danger"
            onConfirm={async () => {
              await call(`DELETE ${ONE}`, { id, formID: form.id });
              toast(w.deleted);
              route(`/app/${id}/forms`);
            }}
          />
        }
      />
      {form.reason && (
        <Note kind="warn">
          <p>{w.closedReasons[form.reason]}</p>
          {form.reason === 'receiving_off' && (
            <LinkButton text={w.enableReceiving} kind="small" href={`/app/${id}/inbox?view=settings`} />
          )}
        </Note>
      )}
      <Settings id={id} data={data} form={form} />
      <Card title={w.publish}>
        <p>{w.publishText}</p>
        <Code text={form.html} label={w.copyHtml} />
        <h3>{w.page}</h3>
        <p>{w.pageText}</p>
        <p>
          <Copied text={form.url} name={w.page} />
        </p>
        <LinkButton text={w.look} href={form.url} target="_blank" rel="noopener" />
      </Card>
      <Card title={w.preview}>
        <p class="quiet">{w.previewHint}</p>
        <DraftFrame title={w.previewOf} html={form.html} />
      </Card>
    </>
  );
};

const FormPage = ({ item = '' }: PageProps) => {
  const id = practice.value?.id ?? '';
  const data = useAnswer(`GET ${ONE}`, { id, formID: item });
  return <Loaded data={data}>{(form) => <One id={id} data={data} form={form} />}</Loaded>;
};

export default FormPage;
