// Suppresses the addresses of a file, and shows how far it is and which rows were not taken.
import { useEffect, useState } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer, useList } from '#dashboard/data.ts';
import { Facts } from '#dashboard/parts/basics.tsx';
import { Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { Field, Form } from '#dashboard/parts/form.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const POLL_MS = 1_000;
const ONE = 'GET /api/practices/{id}/imports/{importID}';

interface ReportProps {
  readonly id: string;
  readonly importID: string;
  readonly onDone: () => void;
}

const Rows = ({ id, importID }: Omit<ReportProps, 'onDone'>) => {
  const w = translated(words);
  const pages = useList(`${ONE}/report`, { id, importID });
  return (
    <PagedTable
      caption={w.report}
      pages={pages}
      empty={null}
      rowKey={({ line }) => String(line)}
      columns={[
        { head: w.line, cell: ({ line }) => line },
        { head: w.address, cell: ({ address }) => address ?? '–', isMain: true },
        { head: w.why, cell: ({ reason }) => reason },
      ]}
    />
  );
};

const Report = ({ id, importID, onDone }: ReportProps) => {
  const w = translated(words);
  const data = useAnswer(ONE, { id, importID });
  const status = data.value?.status;
  const isOver = status !== undefined && status !== 'pending' && status !== 'running';
  useEffect(() => {
    if (isOver) onDone();
    if (isOver || data.isLoading) return;
    const timer = setTimeout(data.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isOver, data.isLoading]);
  return (
    <Loaded data={data} lines={2}>
      {({ status: now, rows, counts, failure }) => (
        <>
          <Note kind={now === 'failed' ? 'bad' : isOver ? 'good' : 'plain'}>
            <p role="status">
              <strong>{now === 'failed' ? w.failed : isOver ? w.finished : w.running(rows.done)}</strong>{' '}
              {failure}
            </p>
          </Note>
          <Facts
            facts={Object.entries(counts).map(([name, count]) => [
              w.counts[name as keyof typeof counts],
              count > 0 ? number(count) : null,
            ])}
          />
          {isOver && <Rows id={id} importID={importID} />}
        </>
      )}
    </Loaded>
  );
};

export const ImportFile = ({ id, onDone }: { readonly id: string; readonly onDone: () => void }) => {
  const w = translated(words);
  const [file, setFile] = useState<File>();
  const [importID, setImport] = useState<string>();
  const action = useAction(async () => {
    if (!file) return;
    const body = new FormData();
    body.append('file', file);
    setImport((await call('POST /api/practices/{id}/suppression/import', { id, body })).id);
  });
  if (importID !== undefined) return <Report id={id} importID={importID} onDone={onDone} />;
  return (
    <Form action={action} submit={w.importIt}>
      <Field label={w.file} hint={w.fileHint} path="file">
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            required
            accept=".csv,.txt,.tsv,.xlsx,.vcf,text/csv,text/plain,text/vcard"
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
    </Form>
  );
};
