// One report of abuse: what was reported, the practice it is about, its steps, and the next one.
import { useState } from 'preact/hooks';
import type { AbuseTicket } from '#api';
import { addressOf, call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Badge, Card, Facts, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextArea } from '#dashboard/parts/form.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { bytes, translated } from '#dashboard/words.ts';
import { About } from './about.tsx';
import { Reported } from './reported.tsx';
import { stageTones } from './tones.ts';
import { words } from './words/de.ts';

type Change = { readonly stage?: AbuseTicket['stage']; readonly note?: string };
const nextStage = { open: 'investigating', investigating: 'closed', closed: null } as const;

const Steps = ({ ticket, onChange }: { readonly ticket: AbuseTicket; readonly onChange: () => void }) => {
  const w = translated(words);
  const { id: ticketID, stage, steps } = ticket;
  const [note, setNote] = useState('');
  const change = useAction(async (changes: Change) => {
    const body = { ...changes, note: note.trim() ? note : undefined };
    await call('PATCH /api/admin/abuse-tickets/{ticketID}', { ticketID, body });
    setNote('');
    toast(w.saved);
    onChange();
  });
  const next = nextStage[stage];
  return (
    <Card title={w.steps}>
      <Table
        caption={w.steps}
        rows={steps.map((step, at) => ({ ...step, at, time: step.at }))}
        rowKey={({ at }) => String(at)}
        columns={[
          { head: w.received, isMain: true, cell: ({ time }) => <Time at={time} /> },
          {
            head: w.stage,
            cell: (step) => <Badge tone={stageTones[step.stage]}>{w.stages[step.stage]}</Badge>,
          },
          { head: w.note, cell: (step) => step.note && <span class="value">{step.note}</span> },
        ]}
      />
      <div>
        <Form
          action={{ ...change, run: () => change.run({}) }}
          submit={w.addNote}
          others={
            next && (
              <button
                type="button"
                disabled={change.isRunning}
                onClick={() => void change.run({ stage: next })}
              >
                {next === 'closed' ? w.close : w.begin}
              </button>
            )
          }
        >
          <TextArea
            label={w.note}
            hint={w.noteHint}
            path="note"
            rows={3}
            required
            value={note}
            onValue={setNote}
          />
        </Form>
      </div>
    </Card>
  );
};

export const Ticket = ({ id: ticketID }: { readonly id: string }) => {
  const w = translated(words);
  const ticket = useAnswer('GET /api/admin/abuse-tickets/{ticketID}', { ticketID });
  const { value } = ticket;
  return (
    <>
      <Head
        title={value?.subject ?? w.pages['operator/tickets']}
        back={{ href: '/app/operator/tickets', text: w.pages['operator/tickets'] }}
      />
      <Loaded data={ticket}>
        {(one) => (
          <div class="columns">
            <div>
              <Card title={w.description}>
                <Facts
                  facts={[
                    [
                      w.stage,
                      <Badge key="stage" tone={stageTones[one.stage]}>
                        {w.stages[one.stage]}
                      </Badge>,
                    ],
                    [w.from, one.reporter.name],
                    [
                      '',
                      <a key="mail" href={`mailto:${one.reporter.email}`}>
                        {one.reporter.email}
                      </a>,
                    ],
                    [w.received, <Time key="at" at={one.created_at} />],
                  ]}
                />
                <p class="value">{one.description}</p>
                {one.source_bytes === null ? (
                  <p class="hint">{w.noSource}</p>
                ) : (
                  <>
                    <p>
                      <LinkButton
                        text={w.source}
                        download
                        href={addressOf('GET /api/admin/abuse-tickets/{ticketID}/source', { ticketID })}
                      />
                    </p>
                    <p class="hint">{w.sourceText(bytes(one.source_bytes))}</p>
                  </>
                )}
              </Card>
              <Reported ticket={one} onChange={ticket.reload} />
              <About ticket={one} onChange={ticket.reload} />
            </div>
            <Steps ticket={one} onChange={ticket.reload} />
          </div>
        )}
      </Loaded>
    </>
  );
};
