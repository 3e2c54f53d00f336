// What one does with a webhook: test it, change it, give it another secret, switch it, delete it.
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Webhook } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Button } from '#dashboard/parts/basics.tsx';
import { Current } from '#dashboard/parts/current.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, toast } from '#dashboard/parts/feedback.tsx';
import { failureOf } from '#dashboard/parts/followers.tsx';
import { CheckField } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { Secret } from '#dashboard/parts/secret.tsx';
import { partWords } from '#dashboard/parts/words.ts';
import { translated } from '#dashboard/words.ts';
import { WebhookForm, webhookNames } from './form.tsx';
import { words } from './words/de.ts';

interface ActionsProps {
  readonly id: string;
  readonly webhook: Webhook;
  readonly onChange: (webhook: Webhook) => void;
  /** A test was sent. */
  readonly onTest: () => void;
}

export const WebhookActions = ({ id, webhook, onChange, onTest }: ActionsProps) => {
  const w = translated(words);
  const { route } = useLocation();
  const at = { id, webhookID: webhook.id };
  const [revokes, setRevokes] = useState(false);
  const [secret, setSecret] = useState<string>();
  const test = useAction(async () => {
    const { status, error } = await call('POST /api/practices/{id}/webhooks/{webhookID}/test', at);
    toast(
      status === 'delivered'
        ? w.tested
        : status === 'pending'
          ? w.testPending
          : w.testFailed(failureOf(error ?? '')),
    );
    onTest();
  });
  const set = async (status: Webhook['status']): Promise<void> =>
    onChange(await call('PATCH /api/practices/{id}/webhooks/{webhookID}', { ...at, body: { status } }));
  const enable = useAction(() => set('active'));
  return (
    <>
      <Button text={w.test} kind="primary" disabled={test.isRunning} onClick={() => void test.run()} />
      <FormDialog button={w.edit} wide>
        {(close) => (
          <Current of="GET /api/practices/{id}/webhooks/{webhookID}" at={at}>
            {(record, take) => (
              <WebhookForm
                webhook={record}
                submit={w.save}
                onSubmit={async (body) => {
                  const over = {
                    record,
                    names: webhookNames(),
                    values: { events: partWords().events.names },
                    take,
                  };
                  onChange(
                    await call('PATCH /api/practices/{id}/webhooks/{webhookID}', { ...at, body }, { over }),
                  );
                  close();
                  toast(w.saved);
                }}
              />
            )}
          </Current>
        )}
      </FormDialog>
      <Confirm
        button={w.rotate}
        text={
          <>
            <p>{w.rotateText}</p>
            <CheckField label={w.revoke} value={revokes} onValue={setRevokes} />
          </>
        }
        onConfirm={async () => {
          const { secret: fresh, ...rotated } = await call(
            'POST /api/practices/{id}/webhooks/{webhookID}/rotate',
            { ...at, body: { revoke_previous: revokes } },
          );
          onChange(rotated);
          setSecret(fresh);
        }}
      />
      {webhook.status === 'active' ? (
        <Confirm button={w.disable} text={w.disableText} onConfirm={() => set('disabled')} />
      ) : (
        <Button text={w.enable} disabled={enable.isRunning} onClick={() => void enable.run()} />
      )}
      <Confirm
        button={w.delete}
        text={w.removeText}
        kind="danger"
        onConfirm={async () => {
          await call('DELETE /api/practices/{id}/webhooks/{webhookID}', at);
          toast(w.removed);
          route(`/app/${id}/webhooks`);
        }}
      />
      <ErrorNote error={test.error ?? enable.error} />
      <Secret title={w.secret} secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
};
