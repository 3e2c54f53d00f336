// A table of people taken onto a list: chosen, watched, and what was not taken of it.
import { useEffect } from 'preact/hooks';
import type { Import } from '#api';
import { call } from '#dashboard/api/call.ts';
import { allPages, useAction, useData, useList } from '#dashboard/data.ts';
import { Badge, Button, Card, Meter, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { moment, translated } from '#dashboard/words.ts';
import { NewImport } from './new-import.tsx';
import type { ListProps } from './people.tsx';
import { words } from './words/de.ts';

const POLL_MS = 1_000;
/** The latest ones. */
const SHOWN = 5;

const isUnfinished = ({ status }: Import): boolean => status === 'pending' || status === 'running';

const Report = ({ id, imported }: { readonly id: string; readonly imported: Import }) => {
  const w = translated(words);
  const pages = useList('GET /api/practices/{id}/imports/{importID}/report', { id, importID: imported.id });
  const download = useAction(async () => {
    const csv = await call(
      'GET /api/practices/{id}/imports/{importID}/report',
      { id, importID: imported.id },
      { headers: { Accept: 'text/csv' } },
    );
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([String(csv)], { type: 'text/csv' }));
    link.download = 'import.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  });
  return (
    <>
      <div class="cardhead">
        <h3>{w.report}</h3>
        {(pages.value?.length ?? 0) > 0 && (
          <Button text={w.downloadReport} kind="small" onClick={() => void download.run()} />
        )}
      </div>
      <ErrorNote error={download.error} />
      <PagedTable
        caption={w.report}
        pages={pages}
        rowKey={(row) => String(row.line)}
        empty={<p class="quiet">{w.allTaken}</p>}
        columns={[
          { head: w.line, cell: ({ line }) => line },
          { head: w.address, cell: ({ address }) => address ?? '–' },
          { head: w.outcome, cell: ({ outcome }) => w.outcomes[outcome] },
          { head: w.reason, cell: ({ reason }) => reason },
        ]}
      />
    </>
  );
};

const OneImport = ({
  id,
  imported,
  onChanged,
}: {
  readonly id: string;
  readonly imported: Import;
  readonly onChanged: () => void;
}) => {
  const w = translated(words);
  const { rows, counts, status, failure, waits, suppressible } = imported;
  const cancel = async (): Promise<void> => {
    await call('DELETE /api/practices/{id}/imports/{importID}', { id, importID: imported.id });
    onChanged();
  };
  const tone = status === 'done' ? 'good' : status === 'failed' ? 'bad' : 'busy';
  return (
    <Card
      title={imported.file_name ?? w.pasted}
      actions={
        <>
          <Time at={imported.created_at} />
          <Badge tone={tone}>{w.importStatuses[status]}</Badge>
          {isUnfinished(imported) && (
            <Confirm
              button={w.cancelIt}
              title={`${w.cancelIt}?`}
              text={w.cancelImportText}
              kind="danger"
              small
              onConfirm={cancel}
            />
          )}
        </>
      }
    >
      <div class="stack">
        <div role="status">
          {rows.total === null ? (
            <p>{w.progress(rows.done, rows.total)}</p>
          ) : (
            <Meter label={w.rows} value={rows.done} max={rows.total} />
          )}
        </div>
        {failure && (
          <Note kind="bad">
            <p>{failure}</p>
          </Note>
        )}
        {suppressible > 0 && <Note>{translated(words).left(suppressible)}</Note>}
        {waits && <Note kind="warn">{w.waits(waits.reason, moment(waits.until))}</Note>}
        <ul class="counts">
          {Object.entries(counts)
            .filter(([, count]) => count > 0)
            .map(([outcome, count]) => (
              <li key={outcome}>
                <strong>{count}</strong> {w.outcomes[outcome as keyof typeof counts]}
              </li>
            ))}
        </ul>
        {!isUnfinished(imported) && rows.done > 0 && <Report id={id} imported={imported} />}
      </div>
    </Card>
  );
};

export const Imports = (props: ListProps) => {
  const { id, list, onChanged } = props;
  const data = useData(
    async (abort) => {
      const all = await allPages((page) =>
        call('GET /api/practices/{id}/imports', { id, ...page }, { abort }),
      );
      return all.filter(({ list_id }) => list_id === list.id).slice(0, SHOWN);
    },
    [id, list.id],
  );
  const isRunning = data.value?.some(isUnfinished) ?? false;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(data.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [data.value]);
  useEffect(() => {
    if (!isRunning && data.value) onChanged();
  }, [isRunning]);
  return (
    <>
      {list.archived_at === null && <NewImport {...props} onStarted={data.reload} />}
      <Loaded data={data}>
        {(imports) =>
          imports.map((imported) => (
            <OneImport key={imported.id} id={id} imported={imported} onChanged={data.reload} />
          ))
        }
      </Loaded>
    </>
  );
};
