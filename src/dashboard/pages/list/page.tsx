// A list: its people, what is imported into it, its sign-up form, and what it is.
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Card, Code, Copy, Head, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Empty, Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, SelectField, TextArea, TextField, useFields } from '#dashboard/parts/form.tsx';
import { practice } from '#dashboard/session.ts';
import { language, translated } from '#dashboard/words.ts';
import { Imports } from './imports.tsx';
import { type ListProps, People } from './people.tsx';
import { words } from './words/de.ts';

const sumOf = (counts: ListProps['list']['counts']): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const useForm = (id: string, listID: string) =>
  useAnswer('GET /api/practices/{id}/lists/{listID}/form', { id, listID, language: language.value });
type FormProps = { readonly form: ReturnType<typeof useForm> };

/** Why the form takes no requests, or their mails wait, and what to do. */
const FormNote = ({ form }: FormProps) => {
  const w = translated(words);
  const { reason = null, until = null, state } = form.value ?? {};
  return reason === null ? null : (
    <Note kind={state === 'closed' ? 'bad' : 'warn'}>
      {w.formReasons[reason]}
      {until !== null && (
        <>
          {' '}
          {w.formUntil} <Time at={until} />
        </>
      )}
    </Note>
  );
};

const SignUpForm = ({ form }: FormProps) => {
  const w = translated(words);
  return (
    <Loaded data={form}>
      {({ url, html }) => (
        <Card>
          <div class="stack">
            <p>{w.formText}</p>
            <h2>{w.link}</h2>
            <p>
              <a href={url} target="_blank" rel="noopener">
                {url}
              </a>{' '}
              <Copy text={url} />
            </p>
            <h2>{w.html}</h2>
            <Code text={html} label={w.html} />
          </div>
        </Card>
      )}
    </Loaded>
  );
};

const typedOf = ({ name, description, wording, ...list }: ListProps['list']) => ({
  ...{ name, description: description ?? '', wording },
  is_public: list.is_public,
  two_steps: list.two_steps,
  tracking_consent: list.tracking_consent,
});

const Settings = ({ id, list, onChanged }: ListProps) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields(typedOf(list));
  const save = useAction(async () => {
    const body = {
      ...fields,
      description: fields.description || null,
      wording: fields.wording === list.wording ? undefined : fields.wording,
    };
    const over = {
      record: list,
      names: {
        ...{ name: w.name, description: w.description, wording: w.wording, two_steps: w.twoSteps },
        ...{ is_public: w.everyoneMaySubscribe, tracking_consent: w.tracking },
      },
      values: { tracking_consent: w.trackingNames },
      take: (current: ListProps['list']) => {
        setFields(typedOf(current));
        onChanged();
      },
    };
    await call('PATCH /api/practices/{id}/lists/{listID}', { id, listID: list.id, body }, { over });
    toast(w.saved);
    onChanged();
  });
  const archive = async (): Promise<void> => {
    await call('DELETE /api/practices/{id}/lists/{listID}', { id, listID: list.id });
    toast(w.archivedNow);
    onChanged();
  };
  return (
    <Card>
      <Form
        action={save}
        submit={w.save}
        others={
          <Confirm
            button={w.archive}
            title={`${w.archive}?`}
            text={w.archiveText}
            kind="danger"
            onConfirm={archive}
          />
        }
      >
        <TextField label={w.name} required {...field('name')} />
        <TextField label={w.description} optional {...field('description')} />
        <TextArea label={w.wording} hint={w.wordingHint} required rows={3} {...field('wording')} />
        <CheckField label={w.everyoneMaySubscribe} {...field('is_public')} />
        <CheckField label={w.twoSteps} hint={w.twoStepsHint} {...field('two_steps')} />
        <SelectField
          label={w.tracking}
          hint={w.trackingHint[fields.tracking_consent]}
          options={w.trackingNames}
          {...field('tracking_consent')}
        />
      </Form>
    </Card>
  );
};

const ListPage = ({ item = '' }: PageProps) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { values, href } = useFilters();
  const data = useAnswer('GET /api/practices/{id}/lists/{listID}', { id, listID: item });
  const form = useForm(id, item);
  const view = values.view ?? 'people';
  const hrefOf = (to: string): string => href({ view: to, q: '', status: '', person: '' });
  return (
    <>
      <Head
        title={data.value?.name ?? w.pages.lists}
        intro={data.value?.description}
        back={{ href: `/app/${id}/lists`, text: w.pages.lists }}
      />
      <Loaded data={data}>
        {(list) => {
          const onChanged = (): void => {
            data.reload();
            form.reload();
          };
          const props = { id, list, onChanged };
          const isOpen = list.archived_at === null;
          return (
            <>
              {!isOpen && <Note kind="warn">{w.archived}</Note>}
              {isOpen && list.is_public && <FormNote form={form} />}
              <Tabs
                label={w.views}
                present={view}
                tabs={[
                  { id: 'people', text: w.people, href: hrefOf(''), count: sumOf(list.counts) },
                  { id: 'import', text: w.importView, href: hrefOf('import') },
                  ...(isOpen
                    ? [
                        { id: 'form', text: w.formView, href: hrefOf('form') },
                        { id: 'settings', text: w.settings, href: hrefOf('settings') },
                      ]
                    : []),
                ]}
              />
              <p class="quiet">
                {w.tracking}: {w.trackingNames[list.tracking_consent]}
              </p>
              {view === 'people' && <People {...props} />}
              {view === 'import' && <Imports {...props} />}
              {view === 'form' &&
                (list.is_public ? (
                  <SignUpForm form={form} />
                ) : (
                  <Empty title={w.notPublic} text={w.notPublicText} />
                ))}
              {view === 'settings' && isOpen && <Settings {...props} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
};

export default ListPage;
