// The keys that sign mail, and what happens to each next by itself.
import { useState } from 'preact/hooks';
import type { DkimKey } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Badge, Card, Copy, Time, type Tone } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, TextArea, TextField, useFields } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const tones: Readonly<Record<DkimKey['role'], Tone>> = {
  active: 'good',
  next: 'busy',
  retiring: 'plain',
  revoked: 'bad',
};

const columns = (): readonly Column<DkimKey>[] => {
  const w = translated(words);
  return [
    {
      head: w.selector,
      isMain: true,
      cell: ({ selector, host, imported }) => (
        <>
          <code>{selector}</code> {imported && <Badge tone="plain">{w.imported}</Badge>}
          <div class="quiet">{host}</div>
        </>
      ),
    },
    { head: w.state, cell: ({ role }) => <Badge tone={tones[role]}>{w.roles[role]}</Badge> },
    { head: w.algorithm, cell: ({ algorithm }) => (algorithm === 'rsa-sha256' ? 'RSA' : 'Ed25519') },
    {
      head: w.next,
      cell: ({ next_step, next_step_at, hint }) => (
        <div>
          {next_step ? (
            <>
              {w.steps[next_step]} {next_step_at && <Time at={next_step_at} />}
            </>
          ) : (
            <span class="quiet">–</span>
          )}
          {hint && <div class="hint">{hint}</div>}
        </div>
      ),
    },
    { head: w.txt, cell: ({ record, selector }) => <Copy text={record} name={`${w.txt}: ${selector}`} /> },
  ];
};

const ImportForm = ({ id, onDone }: { readonly id: string; readonly onDone: () => void }) => {
  const w = translated(words);
  const { fields, field } = useFields({ selector: '', private_key: '' });
  const action = useAction(async () => {
    const body = { ...fields, selector: fields.selector.trim() };
    await call('POST /api/practices/{id}/dkim-keys/import', { id, body });
    toast(w.importDone);
    onDone();
  });
  return (
    <Form action={action} submit={w.importIt}>
      <p class="quiet">{w.importText}</p>
      <TextField label={w.selector} autoComplete="off" required {...field('selector')} />
      <TextArea label={w.privateKey} hint={w.privateKeyHint} required isSecret {...field('private_key')} />
    </Form>
  );
};

export const DkimKeys = ({ id, isCustom }: { readonly id: string; readonly isCustom: boolean }) => {
  const w = translated(words);
  const [isCompromised, setCompromised] = useState(false);
  const keys = useAnswer('GET /api/practices/{id}/dkim-keys', { id });
  const rotate = async (): Promise<void> => {
    const body = { compromised: isCompromised || undefined };
    keys.replace(await call('POST /api/practices/{id}/dkim-keys/rotate', { id, body }));
    setCompromised(false);
    toast(w.rotated);
  };
  return (
    <Card
      title={w.keys}
      actions={
        <>
          {isCustom && (
            <FormDialog button={w.import}>
              {(close) => <ImportForm id={id} onDone={both(close, keys.reload)} />}
            </FormDialog>
          )}
          <Confirm
            button={w.rotate}
            confirm={w.rotateConfirm}
            onConfirm={rotate}
            kind={isCompromised ? 'danger' : undefined}
            text={
              <>
                <p>{w.rotateText}</p>
                <CheckField
                  label={w.compromised}
                  hint={w.compromisedHint}
                  value={isCompromised}
                  onValue={setCompromised}
                />
              </>
            }
          />
        </>
      }
    >
      <p class="quiet">{w.keysText}</p>
      <Loaded data={keys}>
        {({ data }) => (
          <Table
            caption={w.keys}
            columns={columns()}
            rows={data}
            rowKey={({ host, selector }) => `${selector} ${host}`}
          />
        )}
      </Loaded>
    </Card>
  );
};
