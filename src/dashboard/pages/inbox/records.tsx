// The records that receiving needs, for each host: what was found, and where the service can publish them itself.
import { useState } from 'preact/hooks';
import type { AppliedRecords } from '#api';
import { call } from '#dashboard/api/call.ts';
import { type Data, useAction } from '#dashboard/data.ts';
import { Badge, Button, Card } from '#dashboard/parts/basics.tsx';
import { Confirm, Dialog } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, toast } from '#dashboard/parts/feedback.tsx';
import { RecordList } from '#dashboard/parts/records.tsx';
import { partWords } from '#dashboard/parts/words.ts';
import { translated } from '#dashboard/words.ts';
import type { Inbound } from './addresses.tsx';
import { words } from './words/de.ts';

interface RecordsProps {
  readonly id: string;
  readonly data: Data<Inbound>;
  readonly inbound: Inbound;
}

const Apply = ({ id, provider, onDone }: { id: string; provider: string; onDone: () => void }) => {
  const w = translated(words);
  const names = partWords().record.purposes;
  const [applied, setApplied] = useState<AppliedRecords>();
  return (
    <>
      <Confirm
        button={w.apply(provider)}
        title={w.applyTitle}
        text={w.applyText(provider)}
        confirm={w.applyConfirm}
        onConfirm={async () => {
          setApplied(await call('POST /api/practices/{id}/inbound/apply-dns', { id, body: {} }));
          onDone();
        }}
      />
      <Dialog title={w.applied} isOpen={applied !== undefined} onClose={() => setApplied(undefined)}>
        <ul>
          {applied?.records.map(({ purpose, action }) => (
            <li key={purpose}>
              {names[purpose]}{' '}
              <Badge tone={action === 'conflict' ? 'bad' : 'good'}>{w.applyActions[action]}</Badge>
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
};

export const Records = ({ id, data, inbound: { hosts, records, dns_provider } }: RecordsProps) => {
  const w = translated(words);
  const check = useAction(async () => {
    data.replace(await call('POST /api/practices/{id}/inbound/check', { id, body: {} }));
    toast(w.checked);
  });
  const hasOwn = hosts.some(({ kind, pending }) => kind === 'custom' && !pending);
  return (
    <Card
      title={w.records}
      actions={
        <>
          {hasOwn && dns_provider && <Apply id={id} provider={dns_provider} onDone={data.reload} />}
          <Button text={w.checkNow} disabled={check.isRunning} onClick={() => void check.run()} />
        </>
      }
    >
      <ErrorNote error={check.error} />
      <div class="stack">
        {hosts.map(({ host, kind, pending }) => (
          <section key={host}>
            <h3>
              {host} {pending && <Badge tone="warn">{w.waits}</Badge>}
            </h3>
            {kind === 'managed' && <p class="quiet">{w.served}</p>}
            <RecordList
              records={records.filter(({ name }) => name === host || name.endsWith(`.${host}`))}
              isOwn={kind === 'custom'}
            />
          </section>
        ))}
      </div>
    </Card>
  );
};
