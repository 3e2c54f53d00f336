// Saved replies: texts that are inserted where one answers.
import type { SavedReply } from '#api';
import { call } from '#dashboard/api/call.ts';
import { hasRows, useAction, useList } from '#dashboard/data.ts';
import { Head } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Empty, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextArea, TextField, useFields } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const Writing = ({
  id,
  reply,
  onDone,
}: {
  readonly id: string;
  /** Absent: a new one. */
  readonly reply?: SavedReply;
  readonly onDone: () => void;
}) => {
  const w = translated(words);
  const { fields, field } = useFields({ name: reply?.name ?? '', text: reply?.text ?? '' });
  const save = useAction(async () => {
    if (reply)
      await call('PATCH /api/practices/{id}/saved-replies/{replyID}', {
        id,
        replyID: reply.id,
        body: fields,
      });
    else await call('POST /api/practices/{id}/saved-replies', { id, body: fields });
    toast(w.saved);
    onDone();
  });
  return (
    <Form action={save} submit={w.save}>
      <TextField label={w.name} hint={w.replyNameHint} required {...field('name')} />
      <TextArea label={w.text} hint={w.replyTextHint} required rows={10} {...field('text')} />
    </Form>
  );
};

export const Replies = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const pages = useList('GET /api/practices/{id}/saved-replies', { id });
  const create = (
    <FormDialog button={w.newReply} kind="primary" wide>
      {(close) => <Writing id={id} onDone={both(close, pages.reload)} />}
    </FormDialog>
  );
  return (
    <>
      <Head
        title={w.replies}
        intro={w.repliesIntro}
        back={{ href: `/app/${id}/inbox`, text: w.pages.inbox }}
        actions={hasRows(pages) && create}
      />
      <PagedTable
        caption={w.replies}
        pages={pages}
        empty={<Empty title={w.noReplies} text={w.noRepliesText} action={create} />}
        columns={[
          { head: w.name, isMain: true, cell: ({ name }) => name },
          { head: w.text, cell: ({ text }) => text.split('\n').find(Boolean) ?? '' },
          {
            head: w.actions,
            align: 'end',
            cell: (reply) => (
              <span class="actions">
                <FormDialog button={w.change} kind="small" title={reply.name} wide>
                  {(close) => <Writing id={id} reply={reply} onDone={both(close, pages.reload)} />}
                </FormDialog>
                <Confirm
                  small
                  kind="danger"
                  button={w.delete}
                  title={w.removeTitle(reply.name)}
                  text={w.deleteReplyText}
                  onConfirm={async () => {
                    await call('DELETE /api/practices/{id}/saved-replies/{replyID}', {
                      id,
                      replyID: reply.id,
                    });
                    toast(w.removed);
                    pages.reload();
                  }}
                />
              </span>
            ),
          },
        ]}
      />
    </>
  );
};
