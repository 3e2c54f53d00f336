// Chat alerts of the practice.
import type { Alert } from '#api';
import { call } from '#dashboard/api/call.ts';
import { hasRows, useAction, useList } from '#dashboard/data.ts';
import { Button, Head, Time } from '#dashboard/parts/basics.tsx';
import { Current } from '#dashboard/parts/current.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, ErrorNote, toast } from '#dashboard/parts/feedback.tsx';
import { FollowerState, failureOf } from '#dashboard/parts/followers.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { partWords } from '#dashboard/parts/words.ts';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { AlertForm } from './form.tsx';
import { words } from './words/de.ts';

const Alerts = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const pages = useList('GET /api/practices/{id}/alerts', { id });
  const test = useAction(async (alertID: string) => {
    const { delivered, error } = await call('POST /api/practices/{id}/alerts/{alertID}/test', {
      id,
      alertID,
    });
    toast(delivered ? w.tested : w.testFailed(failureOf(error ?? '')));
  });
  const switchTo = useAction(async (alertID: string, status: Alert['status']) => {
    await call('PATCH /api/practices/{id}/alerts/{alertID}', { id, alertID, body: { status } });
    pages.reload();
  });
  const remove = async (alertID: string): Promise<void> => {
    await call('DELETE /api/practices/{id}/alerts/{alertID}', { id, alertID });
    toast(w.removed);
    pages.reload();
  };
  const columns: readonly Column<Alert>[] = [
    { head: w.name, cell: ({ name }) => <strong>{name}</strong>, isMain: true },
    {
      head: w.kind,
      cell: ({ kind, url }) => (
        <>
          {w.kinds[kind]}
          <br />
          <code>{url}</code>
        </>
      ),
    },
    { head: w.state, cell: (alert) => <FollowerState follower={{ ...alert, failing_since: null }} /> },
    { head: w.last, cell: ({ last_sent_at }) => <Time at={last_sent_at} relative /> },
    {
      head: w.error,
      cell: ({ last_error }) =>
        last_error ? <span lang="en">{failureOf(last_error)}</span> : <span class="quiet">–</span>,
    },
    {
      head: w.actions,
      align: 'end',
      cell: (alert) => (
        <span class="actions">
          <Button
            text={w.test}
            kind="small"
            aria-label={w.testOf(alert.name)}
            disabled={test.isRunning}
            onClick={() => void test.run(alert.id)}
          />
          <FormDialog button={w.edit} kind="small" wide>
            {(close) => (
              <Current of="GET /api/practices/{id}/alerts/{alertID}" at={{ id, alertID: alert.id }}>
                {(record, take) => (
                  <AlertForm
                    alert={record}
                    submit={w.save}
                    onSubmit={async (body) => {
                      const names = { name: w.name, url: w.address, events: w.events, language: w.language };
                      const values = { events: partWords().events.names, language: w.languages };
                      await call(
                        'PATCH /api/practices/{id}/alerts/{alertID}',
                        { id, alertID: alert.id, body },
                        { over: { record, names, values, take } },
                      );
                      close();
                      toast(w.saved);
                      pages.reload();
                    }}
                  />
                )}
              </Current>
            )}
          </FormDialog>
          <button
            type="button"
            class="small"
            disabled={switchTo.isRunning}
            onClick={() => void switchTo.run(alert.id, alert.status === 'active' ? 'disabled' : 'active')}
          >
            {alert.status === 'active' ? w.disable : w.enable}
          </button>
          <Confirm
            button={w.delete}
            text={w.removeText(alert.name)}
            kind="danger"
            small
            onConfirm={() => remove(alert.id)}
          />
        </span>
      ),
    },
  ];
  const create = (
    <FormDialog button={w.create} kind="primary" wide>
      {(close) => (
        <AlertForm
          submit={w.create}
          onSubmit={async (body) => {
            await call('POST /api/practices/{id}/alerts', { id, body });
            close();
            pages.reload();
          }}
        />
      )}
    </FormDialog>
  );
  return (
    <>
      <Head title={w.pages.alerts} intro={w.intro} actions={hasRows(pages) && create} />
      <ErrorNote error={test.error ?? switchTo.error} />
      <PagedTable
        caption={w.list}
        columns={columns}
        pages={pages}
        empty={
          <Empty
            title={w.empty}
            text={w.emptyText}
            action={create}
            curl={curlOf(
              `practices/${id}/alerts`,
              '{"name": "Empfang", "kind": "slack", "url": "https://chat.example.org/hooks/…"}',
            )}
          />
        }
      />
    </>
  );
};

export default Alerts;
