// What can be done with a message by who may send: once more, to others too; and while it waits for its time, not at all or later.
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Message } from '#api';
import { call, newKey } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Button } from '#dashboard/parts/basics.tsx';
import { Confirm, Dialog, Menu } from '#dashboard/parts/dialog.tsx';
import { toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { account, may, practice } from '#dashboard/session.ts';
import { mailboxText } from '#dashboard/statuses.ts';
import { localTime, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type Target = { readonly kind: 'recipients' | 'me' } | { readonly kind: 'other'; readonly address: string };

/** The API refuses the others; see its operation. */
const canBeRepeated = ({ source, status, campaign_id, message_kind, ...rest }: Message): boolean =>
  source !== 'system' &&
  status !== 'pending' &&
  campaign_id === null &&
  message_kind !== 'doi' &&
  !rest.content_removed &&
  !rest.attachments_removed &&
  !rest.personal_data_removed;

const SendAgain = ({ message }: { readonly message: Message }) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { route } = useLocation();
  const [target, setTarget] = useState<Target>();
  const me = account.value?.email ?? '';
  const to = target?.kind === 'me' ? me : target?.kind === 'other' ? target.address : undefined;
  // A click that is repeated because no answer came sends no second mail.
  const key = useRef('');
  const action = useAction(async () => {
    const input = { id, messageID: message.id, body: { to } };
    const headers = { 'Idempotency-Key': key.current };
    const sent = await call('POST /api/practices/{id}/messages/{messageID}/send-again', input, { headers });
    setTarget(undefined);
    toast(w.againDone);
    route(`/app/${id}/post/${sent.id}`);
  });
  const choose = (chosen: Target) => (event: MouseEvent) => {
    if (event.currentTarget instanceof HTMLElement)
      event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
    action.clear();
    key.current = newKey();
    setTarget(chosen);
  };
  return (
    <>
      <Menu label={w.sendAgain}>
        <Button text={w.againToRecipients} onClick={choose({ kind: 'recipients' })} />
        {may('messages.view_content') && (
          <>
            <Button text={w.againToMe} onClick={choose({ kind: 'me' })} />
            <Button text={w.againToOther} onClick={choose({ kind: 'other', address: '' })} />
          </>
        )}
      </Menu>
      <Dialog title={w.sendAgain} isOpen={target !== undefined} onClose={() => setTarget(undefined)}>
        <Form action={action} submit={w.send}>
          {target?.kind === 'other' ? (
            <TextField
              label={w.email}
              type="email"
              path="to"
              required
              value={target.address}
              onValue={(address) => {
                key.current = newKey();
                setTarget({ kind: 'other', address });
              }}
            />
          ) : (
            <p>{w.againText(to ?? message.recipients.map(mailboxText).join(', '))}</p>
          )}
        </Form>
      </Dialog>
    </>
  );
};

interface ScheduleProps {
  readonly message: Message;
  readonly reload: () => void;
}

const Reschedule = ({ message, reload }: ScheduleProps) => {
  const w = translated(words);
  const [time, setTime] = useState(localTime(message.scheduled_at ?? message.created_at));
  const move = useAction(async () => {
    const target = { id: practice.value?.id ?? '', messageID: message.id };
    const body = { scheduled_at: new Date(time).toISOString() };
    await call('PATCH /api/practices/{id}/messages/{messageID}', { ...target, body });
    toast(w.rescheduled);
    reload();
  });
  return (
    <Form action={move} submit={w.reschedule}>
      <TextField
        label={w.rescheduleField}
        type="datetime-local"
        path="scheduled_at"
        required
        value={time}
        onValue={setTime}
      />
    </Form>
  );
};

const Schedule = ({ message, reload }: ScheduleProps) => {
  const w = translated(words);
  const cancel = async (): Promise<void> => {
    const target = { id: practice.value?.id ?? '', messageID: message.id };
    await call('POST /api/practices/{id}/messages/{messageID}/cancel', target);
    toast(w.cancelled);
    reload();
  };
  return (
    <>
      <FormDialog button={w.reschedule}>
        {(close) => <Reschedule message={message} reload={both(close, reload)} />}
      </FormDialog>
      <Confirm kind="danger" button={w.cancel} title={w.cancelTitle} text={w.cancelText} onConfirm={cancel} />
    </>
  );
};

export const Actions = ({ message, reload }: { readonly message: Message; readonly reload: () => void }) => {
  if (!may('messages.send')) return null;
  if (message.status === 'pending') return <Schedule message={message} reload={reload} />;
  return canBeRepeated(message) ? <SendAgain message={message} /> : null;
};
