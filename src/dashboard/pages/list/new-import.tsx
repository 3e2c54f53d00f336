// A file or pasted addresses on their way onto a list: looked at first, with what its columns are for, then imported.
import { useState } from 'preact/hooks';
import type { ImportPreview } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Button, Card } from '#dashboard/parts/basics.tsx';
import { ErrorNote, Note } from '#dashboard/parts/feedback.tsx';
import { CheckField, Field, Form, Select, TextArea } from '#dashboard/parts/form.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { may } from '#dashboard/session.ts';
import { number, translated } from '#dashboard/words.ts';
import { type Asserted, Assertion, assertedBy, NOT_ASSERTED } from './assertion.tsx';
import type { ListProps } from './people.tsx';
import { words } from './words/de.ts';

type Role = ImportPreview['columns'][number]['role'];
/** Roles by numbers of columns. */
type Roles = Readonly<Record<number, Role>>;

/** The practice's newsletters, on whose route people unsubscribe. */
const NEWSLETTERS = 'broadcast';

const formOf = (fields: Readonly<Record<string, string | File | undefined>>): FormData => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.append(name, value);
  return body;
};

const columnsOf = (roles: Roles): string | undefined =>
  Object.entries(roles)
    .map(([column, role]) => `${column}:${role}`)
    .join(',') || undefined;

interface PreviewProps {
  readonly preview: ImportPreview;
  readonly isBusy: boolean;
  readonly onRole: (column: number, role: Role) => void;
}

const Preview = ({ preview, isBusy, onRole }: PreviewProps) => {
  const w = translated(words);
  const { columns, counts, reasons, first, failure, form, encoding, delimiter, rows } = preview;
  const isList = form === 'addresses' || form === 'vcard';
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <div class="stack">
      <p role="status">
        {[
          w.forms[form],
          encoding?.toUpperCase(),
          delimiter && w.separatedBy(w.delimiters[delimiter] ?? delimiter),
          w.rowsRead(rows.read, rows.is_complete),
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      {failure && (
        <Note kind="bad">
          <p>{failure}</p>
        </Note>
      )}
      <ul class="counts">
        {states.map(([state, count]) => (
          <li key={state}>
            <strong>{number(count)}</strong> {w.states[state as keyof typeof counts]}
          </li>
        ))}
      </ul>
      {reasons.length > 0 && (
        <Table
          caption={w.counts}
          rows={reasons}
          rowKey={({ state, reason }) => state + reason}
          columns={[
            { head: w.rows, cell: ({ count }) => number(count) },
            { head: w.becomes, cell: ({ state }) => w.states[state] },
            { head: w.reason, cell: ({ reason }) => reason },
          ]}
        />
      )}
      {!isList && columns.length > 0 && (
        <>
          <h3>{w.columns}</h3>
          <Table
            caption={w.columns}
            rows={columns}
            rowKey={(column) => String(column.number)}
            columns={[
              { head: w.column, cell: (column) => column.heading || w.columnNumber(column.number) },
              {
                head: w.meaning,
                cell: (column) => (
                  <Select
                    aria-label={`${w.meaning}: ${column.heading || w.columnNumber(column.number)}`}
                    value={column.role}
                    disabled={isBusy}
                    options={w.columnRoles}
                    onValue={(role) => onRole(column.number, role)}
                  />
                ),
              },
              { head: w.examples, cell: ({ examples }) => examples.join(' · ') || '–' },
            ]}
          />
        </>
      )}
      {first.length > 0 && (
        <>
          <h3>{w.first}</h3>
          <Table
            caption={w.first}
            rows={first}
            rowKey={({ line }) => String(line)}
            columns={[
              { head: w.line, cell: ({ line }) => line },
              { head: w.address, cell: ({ address }) => address ?? '–' },
              { head: w.name, cell: ({ name }) => name ?? '–' },
              { head: w.becomes, cell: ({ state, reason }) => reason ?? w.states[state] },
            ]}
          />
        </>
      )}
      <p class="quiet">{w.byFile}</p>
    </div>
  );
};

interface StartProps extends ListProps {
  readonly file: File | string;
  readonly onStarted: () => void;
  readonly onBack: () => void;
}

/** The file as it was looked at, its columns as they were chosen, and the import of it. */
const Chosen = ({
  id,
  list,
  file,
  first,
  onStarted,
  onBack,
}: StartProps & { readonly first: ImportPreview }) => {
  const w = translated(words);
  const [preview, setPreview] = useState(first);
  const [roles, setRoles] = useState<Roles>({});
  const [isActive, setActive] = useState(false);
  const [asserted, setAsserted] = useState<Asserted>(NOT_ASSERTED);
  const [isSuppressing, setSuppressing] = useState(false);
  const status = isActive ? 'active' : 'pending';
  const look = useAction(async (chosen: Roles, as: string) => {
    const body = formOf({ file, status: as, columns: columnsOf(chosen) });
    const path = { id, listID: list.id };
    setPreview(
      await call('POST /api/practices/{id}/lists/{listID}/subscribers/import/preview', { ...path, body }),
    );
    setRoles(chosen);
  });
  const choose = (active: boolean): void => {
    setActive(active);
    void look.run(roles, active ? 'active' : 'pending');
  };
  const action = useAction(async () => {
    const columns = columnsOf(roles);
    const body = formOf({ file, status, columns, ...(isActive && assertedBy(asserted)) });
    await call('POST /api/practices/{id}/lists/{listID}/subscribers/import', { id, listID: list.id, body });
    if (isSuppressing) {
      const suppressed = formOf({ file, columns, route_id: NEWSLETTERS });
      await call('POST /api/practices/{id}/suppression/import', { id, body: suppressed });
    }
    onStarted();
  });
  return (
    <>
      <Preview
        preview={preview}
        isBusy={look.isRunning}
        onRole={(column, role) => void look.run({ ...roles, [column]: role }, status)}
      />
      <ErrorNote error={look.error} />
      <Form action={action} submit={w.importIt} others={<Button text={w.back} onClick={onBack} />}>
        <fieldset class="field">
          <legend>{w.how}</legend>
          {[false, true].map((active) => (
            <label key={String(active)} class="choice">
              <input type="radio" name="how" checked={isActive === active} onChange={() => choose(active)} />
              {active ? w.asActive : w.asPending}
            </label>
          ))}
        </fieldset>
        {isActive && <Assertion value={asserted} onValue={setAsserted} />}
        {preview.suppressible > 0 && may('suppressions.manage') && (
          <CheckField
            label={w.suppress(preview.suppressible)}
            hint={w.suppressHint}
            value={isSuppressing}
            onValue={setSuppressing}
          />
        )}
      </Form>
    </>
  );
};

export const NewImport = ({ onStarted, ...props }: ListProps & { readonly onStarted: () => void }) => {
  const { id, list } = props;
  const w = translated(words);
  const [file, setFile] = useState<File>();
  const [text, setText] = useState('');
  const [shown, setShown] = useState<{ readonly file: File | string; readonly first: ImportPreview }>();
  const action = useAction(async () => {
    const given = file ?? text;
    const path = { id, listID: list.id };
    const body = formOf({ file: given });
    const first = await call('POST /api/practices/{id}/lists/{listID}/subscribers/import/preview', {
      ...path,
      body,
    });
    setShown({ file: given, first });
  });
  const back = (): void => {
    setShown(undefined);
    setFile(undefined);
    setText('');
  };
  if (shown)
    return (
      <Card title={w.becomes}>
        <Chosen
          {...props}
          {...shown}
          onBack={back}
          onStarted={() => {
            back();
            onStarted();
          }}
        />
      </Card>
    );
  return (
    <Card title={translated(words).importTitle}>
      <p>{w.intro}</p>
      <Form action={action} submit={w.preview}>
        <Field label={w.file} hint={w.fileHint} path="file">
          {(wiring) => (
            <input
              {...wiring}
              type="file"
              required={text.trim() === ''}
              accept=".csv,.txt,.tsv,.xlsx,.vcf,text/csv,text/plain,text/vcard"
              onChange={(event) => setFile(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        {!file && (
          <TextArea label={w.paste} hint={w.pasteHint} optional rows={3} value={text} onValue={setText} />
        )}
      </Form>
    </Card>
  );
};
