// The practice that a report is about: found by name, domain or id, entered, paused.
import { useState } from 'preact/hooks';
import type { AbuseTicket, OperatorPractice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useData } from '#dashboard/data.ts';
import { Badge, Card } from '#dashboard/parts/basics.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { ticketWords } from './words.ts';

const SHOWN = 8;

const nameOf = (row: OperatorPractice): string => ('unavailable' in row ? row.slug : row.name);

const Find = ({ onChosen }: { readonly onChosen: (practiceId: string) => void }) => {
  const w = ticketWords();
  const [q, setQ] = useState('');
  const found = useData(
    (abort) => call('GET /api/admin/practices', { limit: SHOWN, q: q.trim() }, { abort }),
    [q],
  );
  return (
    <>
      <TextField label={w.search} hint={w.searchHint} value={q} onValue={setQ} />
      <Loaded data={found} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">{w.nothing}</p>
          ) : (
            <Table<OperatorPractice>
              caption={w.assignTitle}
              rows={data}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: 'name',
                  head: w.practice,
                  isMain: true,
                  cell: (row) => (
                    <>
                      {nameOf(row)}
                      <div class="quiet">{'unavailable' in row ? '' : row.domain}</div>
                    </>
                  ),
                },
                {
                  id: 'do',
                  head: '',
                  align: 'end',
                  cell: (row) => (
                    <button
                      type="button"
                      class="small"
                      aria-label={`${w.assign}: ${nameOf(row)}`}
                      onClick={() => onChosen(row.id)}
                    >
                      {w.assign}
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
};

const Pause = ({ id, onDone }: { readonly id: string; readonly onDone: () => void }) => {
  const w = ticketWords();
  const [reason, setReason] = useState('');
  const pause = useAction(async () => {
    await call('POST /api/practices/{id}/pause', { id, body: { reason } });
    toast(w.paused);
    onDone();
  });
  return (
    <Form action={pause} submit={w.pause} kind="danger">
      <p>{w.pauseText}</p>
      <TextField
        label={w.reason}
        hint={w.reasonHint}
        path="reason"
        required
        value={reason}
        onValue={setReason}
      />
    </Form>
  );
};

export const About = ({
  ticket,
  onChange,
}: {
  readonly ticket: AbuseTicket;
  readonly onChange: () => void;
}) => {
  const w = ticketWords();
  const { id: ticketID, practice_id: practiceId } = ticket;
  const practice = useData(
    async (abort) =>
      practiceId === null
        ? undefined
        : (await call('GET /api/admin/practices', { limit: 1, q: practiceId }, { abort })).data[0],
    [practiceId],
  );
  const assign = useAction(async (chosen: string | null) => {
    await call('PATCH /api/admin/abuse-tickets/{ticketID}', { ticketID, body: { practice_id: chosen } });
    toast(w.saved);
    onChange();
  });
  const found = practice.value;
  const isPaused = found !== undefined && !('unavailable' in found) && found.status === 'paused';
  return (
    <Card title={w.about}>
      <ErrorNote error={assign.error ?? practice.error} />
      <p>
        {practiceId === null ? (
          <span class="quiet">{w.none}</span>
        ) : (
          <strong>{found ? nameOf(found) : practiceId}</strong>
        )}{' '}
        {isPaused && <Badge tone="bad">{w.isPaused}</Badge>}
      </p>
      <p class="actions">
        {practiceId !== null && (
          <>
            <a class="button" href={`/app/${practiceId}`}>
              {w.enter}
            </a>
            <a class="button" href={`/app/${practiceId}/post?q=${encodeURIComponent(ticket.reporter.email)}`}>
              {w.findMail}
            </a>
            {!isPaused && (
              <FormDialog button={w.pause}>
                {(close) => <Pause id={practiceId} onDone={both(close, practice.reload)} />}
              </FormDialog>
            )}
            <button type="button" disabled={assign.isRunning} onClick={() => void assign.run(null)}>
              {w.unassign}
            </button>
          </>
        )}
        {practiceId === null && (
          <FormDialog button={w.assign} title={w.assignTitle} kind="primary">
            {(close) => (
              <Find
                onChosen={(chosen) => {
                  close();
                  void assign.run(chosen);
                }}
              />
            )}
          </FormDialog>
        )}
      </p>
    </Card>
  );
};
