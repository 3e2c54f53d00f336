// Hooks: addresses at which programs hand over messages with a secret.
import { useState } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { useAction, useList } from '#dashboard/data.ts';
import { Button, Card, Copy, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField } from '#dashboard/parts/form.tsx';
import { Secret } from '#dashboard/parts/secret.tsx';
import { PagedTable } from '#dashboard/parts/table.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const Hooks = ({ id }: { readonly id: string }) => {
  const w = translated(words);
  const [name, setName] = useState('');
  const [secret, setSecret] = useState<string>();
  const pages = useList('GET /api/practices/{id}/inbound-hooks', { id });
  const create = useAction(async () => {
    const made = await call('POST /api/practices/{id}/inbound-hooks', { id, body: { name } });
    setName('');
    setSecret(made.secret);
    pages.reload();
  });
  const test = useAction(async (hookID: string) => {
    await call('POST /api/practices/{id}/inbound-hooks/{hookID}/test', { id, hookID });
    toast(w.tested);
  });
  return (
    <Card title={w.hooks}>
      <p class="quiet">{w.hooksText}</p>
      <ErrorNote error={test.error} />
      <PagedTable
        caption={w.hooks}
        pages={pages}
        empty={<p class="quiet">{w.noHooks}</p>}
        columns={[
          {
            head: w.name,
            isMain: true,
            cell: (hook) => (
              <span>
                {hook.name} <Copy text={hook.url} label={w.copyUrl} name={hook.name} />
              </span>
            ),
          },
          { head: w.hookLastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} relative /> },
          {
            head: w.change,
            cell: (hook) => (
              <span class="actions">
                <Button text={w.test} kind="small" onClick={() => void test.run(hook.id)} />
                <Confirm
                  small
                  button={w.rotate}
                  title={w.rotateTitle}
                  text={w.rotateText}
                  onConfirm={async () => {
                    const at = { id, hookID: hook.id, body: {} };
                    const made = await call('POST /api/practices/{id}/inbound-hooks/{hookID}/rotate', at);
                    setSecret(made.secret);
                  }}
                />
                <Confirm
                  small
                  kind="danger"
                  button={w.remove}
                  title={w.removeTitle(hook.name)}
                  text={w.removeText}
                  onConfirm={async () => {
                    await call('DELETE /api/practices/{id}/inbound-hooks/{hookID}', { id, hookID: hook.id });
                    toast(w.removed);
                    pages.reload();
                  }}
                />
              </span>
            ),
          },
        ]}
      />
      <Form action={create} submit={w.addHook}>
        <TextField label={w.name} path="name" required value={name} onValue={setName} />
      </Form>
      <Secret title={w.secret} secret={secret} onClose={() => setSecret(undefined)} />
    </Card>
  );
};
