// The practice that a report is about: found by name, domain or id, entered, paused.
import { useState } from 'preact/hooks';
import type { AbuseTicket, OperatorPractice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer, useData } from '#dashboard/data.ts';
import { Badge, Button, Card, LinkButton } from '#dashboard/parts/basics.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const SHOWN = 8;

const nameOf = (row: OperatorPractice): string => ('unavailable' in row ? row.slug : row.name);

const Find = ({ onChosen }: { readonly onChosen: (practiceId: string) => void }) => {
  const w = translated(words);
  const [q, setQ] = useState('');
  const found = useAnswer('GET /api/admin/practices', { limit: SHOWN, q: q.trim() });
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
              columns={[
                {
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
                  head: '',
                  align: 'end',
                  cell: (row) => (
                    <Button
                      text={w.assign}
                      kind="small"
                      aria-label={`${w.assign}: ${nameOf(row)}`}
                      onClick={() => onChosen(row.id)}
                    />
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
  const w = translated(words);
  const { fields, field } = useFields({ reason: '' });
  const pause = useAction(async () => {
    await call('POST /api/practices/{id}/pause', { id, body: fields });
    toast(w.paused);
    onDone();
  });
  return (
    <Form action={pause} submit={w.pause} kind="danger">
      <p>{w.pauseText}</p>
      <TextField label={w.reason} hint={w.reasonHint} required {...field('reason')} />
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
  const w = translated(words);
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
            <LinkButton text={w.openAsOperator} href={`/app/${practiceId}`} />
            <LinkButton
              text={w.findMail}
              href={`/app/${practiceId}/post?q=${encodeURIComponent(ticket.reporter.email)}`}
            />
            {!isPaused && (
              <FormDialog button={w.pause}>
                {(close) => <Pause id={practiceId} onDone={both(close, practice.reload)} />}
              </FormDialog>
            )}
            <Button text={w.unassign} disabled={assign.isRunning} onClick={() => void assign.run(null)} />
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
