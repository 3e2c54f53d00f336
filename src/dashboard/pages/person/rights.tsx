// What a person may demand: to know and to take along what is held, to have it corrected, and to have it erased.
import { useEffect, useState } from 'preact/hooks';
import type { Erasure, Person } from '#api';
import { addressOf, call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Button, Card, Facts, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { ErrorNote, Note, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const ASK_AGAIN_MS = 1_000;

const Rectify = ({ address, onDone }: { readonly address: string; readonly onDone: () => void }) => {
  const w = translated(words);
  const { fields, field } = useFields({ name: '', new_address: '' });
  const action = useAction(async () => {
    const { subscriptions } = await call('PATCH /api/practices/{id}/people', {
      id: practice.value?.id ?? '',
      body: { address, name: fields.name || undefined, new_address: fields.new_address || undefined },
    });
    toast(w.rectified(subscriptions.length));
    onDone();
  });
  return (
    <Form action={action} submit={w.save}>
      <p>{w.rectifyText}</p>
      <TextField label={w.newName} optional {...field('name')} />
      <TextField label={w.newAddress} type="email" optional {...field('new_address')} />
    </Form>
  );
};

const Erase = ({
  address,
  onErased,
}: {
  readonly address: string;
  readonly onErased: (erasure: Erasure) => void;
}) => {
  const w = translated(words);
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const isSure = typed.trim().toLowerCase() === address.toLowerCase();
  const [isAsked, setAsked] = useState(false);
  const action = useAction(async () => {
    setAsked(true);
    if (!isSure) return;
    const erasure = await call('POST /api/practices/{id}/people/erase', {
      id: practice.value?.id ?? '',
      body: { address, reason: reason || undefined },
    });
    onErased(erasure);
  });
  return (
    <Form action={action} submit={w.eraseNow} kind="danger">
      <p>{w.eraseText}</p>
      <TextField label={w.eraseReason} path="reason" optional value={reason} onValue={setReason} />
      <TextField
        label={w.eraseCheck(address)}
        required
        autoComplete="off"
        value={typed}
        onValue={setTyped}
        hint={isAsked && !isSure && <span class="problem">{w.eraseMismatch}</span>}
      />
    </Form>
  );
};

/** Shown in the place of the person, once they are erased. */
export const Erased = ({ erasure: first }: { readonly erasure: Erasure }) => {
  const w = translated(words);
  const [erasure, setErasure] = useState(first);
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    if (erasure.status === 'done') return;
    const input = { id: practice.value?.id ?? '', erasureID: erasure.id };
    const timer = setTimeout(() => {
      call('GET /api/practices/{id}/people/erasures/{erasureID}', input).then(setErasure, setFailure);
    }, ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [erasure]);
  const { certificate } = erasure;
  return (
    <div role="status">
      <ErrorNote error={failure} onRetry={() => setErasure({ ...erasure })} />
      {certificate === null ? (
        <Note>{w.erasing}</Note>
      ) : (
        <Card title={w.certificate} actions={<Button text={w.print} onClick={() => print()} />}>
          <div class="stack">
            <Facts
              facts={[
                [w.certificateId, erasure.id],
                [w.finished, erasure.finished_at && <Time at={erasure.finished_at} />],
                [w.eraseReason, erasure.reason],
              ]}
            />
            <h3>{w.erasedTable}</h3>
            <Table
              caption={w.erasedTable}
              rows={certificate.erased}
              rowKey={({ kind }) => kind}
              columns={[
                { head: w.what, cell: ({ what }) => what, isMain: true },
                { head: w.number, cell: (row) => number(row.number), align: 'end' },
              ]}
            />
            <h3>{w.keptTable}</h3>
            <Table
              caption={w.keptTable}
              rows={certificate.kept}
              rowKey={({ kind }) => kind}
              columns={[
                { head: w.what, cell: ({ what }) => what, isMain: true },
                { head: w.why, cell: ({ why }) => why },
              ]}
            />
            <h3>{w.beyond}</h3>
            <ul>
              {certificate.beyond.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          </div>
        </Card>
      )}
    </div>
  );
};

export const Rights = ({
  person: { address },
  reload,
  onErased,
}: {
  readonly person: Person;
  readonly reload: () => void;
  readonly onErased: (erasure: Erasure) => void;
}) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const exported = (format: 'json' | 'html'): string =>
    addressOf('GET /api/practices/{id}/people/export', { id, address, format });
  return (
    <Card title={w.rights}>
      <p class="quiet">{w.rightsIntro}</p>
      <div class="actions">
        <LinkButton text={w.export} href={exported('html')} target="_blank" rel="noreferrer" />
        <LinkButton text={w.portable} href={exported('json')} download={`${address}.json`} />
        {may('practice.manage') && (
          <>
            <FormDialog button={w.rectify}>
              {(close) => <Rectify address={address} onDone={both(close, reload)} />}
            </FormDialog>
            <FormDialog button={w.erase} title={w.eraseTitle} kind="danger">
              {() => <Erase address={address} onErased={onErased} />}
            </FormDialog>
          </>
        )}
      </div>
    </Card>
  );
};
