// What members do with a conversation among themselves: who has it, whether it is done, and notes that are never sent.
import { type Answer, call } from '#dashboard/api/call.ts';
import { type Data, useAction, useAnswer } from '#dashboard/data.ts';
import { Badge, Button, Card, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, SelectField, TextArea, useFields } from '#dashboard/parts/form.tsx';
import { account } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const THREAD = '/api/practices/{id}/inbound/threads/{threadID}';
export type Thread = Answer<`GET ${typeof THREAD}`>;

interface DeskProps {
  readonly id: string;
  readonly data: Data<Thread>;
}

/** The other buttons of the page are beside it. */
export const Done = ({ id, data }: DeskProps) => {
  const w = translated(words);
  const thread = data.value;
  const change = useAction(async (done: boolean) => {
    if (!thread) return;
    data.replace(await call(`PATCH ${THREAD}`, { id, threadID: thread.id, body: { done } }));
    toast(done ? w.isDone : w.isOpenAgain);
  });
  if (!thread) return null;
  const isDone = thread.done_at !== null;
  return (
    <>
      <Button
        text={isDone ? w.openAgain : w.markDone}
        disabled={change.isRunning}
        onClick={() => void change.run(!isDone)}
      />
      <ErrorNote error={change.error} />
    </>
  );
};

const Assignee = ({ id, data, thread }: DeskProps & { readonly thread: Thread }) => {
  const w = translated(words);
  const members = useAnswer('GET /api/practices/{id}/inbound/assignees', { id, limit: 200 });
  const assign = useAction(async (assignee: string) => {
    const body = { assignee_id: assignee || null };
    data.replace(await call(`PATCH ${THREAD}`, { id, threadID: thread.id, body }));
    toast(w.assigned);
  });
  const own = account.value?.email;
  const known = members.value?.data ?? (thread.assignee ? [thread.assignee] : []);
  const options: Readonly<Record<string, string>> = {
    '': w.noOne,
    ...Object.fromEntries(known.map((one) => [one.id, one.email === own ? w.me(one.email) : one.email])),
  };
  return (
    <>
      <SelectField
        label={w.assignee}
        options={options}
        value={thread.assignee?.id ?? ''}
        onValue={(value) => void assign.run(value)}
      />
      <ErrorNote error={assign.error} />
    </>
  );
};

const NewNote = ({ id, data, thread }: DeskProps & { readonly thread: Thread }) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields({ text: '' });
  const add = useAction(async () => {
    data.replace(await call(`POST ${THREAD}/notes`, { id, threadID: thread.id, body: fields }));
    setFields({ text: '' });
  });
  return (
    <Form action={add} submit={w.addNote}>
      <TextArea label={w.note} hint={w.noteHint} required rows={3} {...field('text')} />
    </Form>
  );
};

export const Desk = ({ id, data }: DeskProps) => {
  const w = translated(words);
  return (
    <Card title={w.desk}>
      <Loaded data={data} lines={3}>
        {(thread) => (
          <div class="stack">
            {thread.done_at && (
              <p>
                <Badge tone="good">{w.done}</Badge> <Time at={thread.done_at} />
              </p>
            )}
            <Assignee id={id} data={data} thread={thread} />
            {thread.notes.length > 0 && (
              <ul class="notes" aria-label={w.notes}>
                {thread.notes.map((note) => (
                  <li key={note.id}>
                    <p class="quiet">
                      {note.author} · <Time at={note.created_at} />
                    </p>
                    <p class="lines">{note.text}</p>
                    <Confirm
                      small
                      button={w.deleteNote}
                      text={w.deleteNoteText}
                      kind="danger"
                      onConfirm={async () => {
                        const at = { id, threadID: thread.id, noteID: note.id };
                        await call(`DELETE ${THREAD}/notes/{noteID}`, at);
                        data.replace({
                          ...thread,
                          notes: thread.notes.filter((other) => other.id !== note.id),
                        });
                      }}
                    />
                  </li>
                ))}
              </ul>
            )}
            <NewNote id={id} data={data} thread={thread} />
          </div>
        )}
      </Loaded>
    </Card>
  );
};
