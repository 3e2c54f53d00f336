// The domain that mail is sent from: which one it is, its records in the DNS and whether they are found there, its keys, its logo.
import { useEffect, useState } from 'preact/hooks';
import type { DnsCheck, DnsRecords, Practice } from '#api';
import { addressOf, call } from '#dashboard/api/call.ts';
import { useData } from '#dashboard/data.ts';
import { Badge, Card, Facts, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Found, RecordList } from '#dashboard/parts/records.tsx';
import { may, practice } from '#dashboard/session.ts';
import { number, translated } from '#dashboard/words.ts';
import { AttachForm } from './attach.tsx';
import { Bimi } from './bimi.tsx';
import { DkimKeys } from './keys.tsx';
import { OneClick } from './one-click.tsx';
import { words } from './words/de.ts';

/** The service takes twelve checks a minute. */
const POLL_MS = 15_000;

const Sender = ({ of, onChanged }: { readonly of: Practice; readonly onChanged: () => void }) => {
  const w = translated(words);
  const restore = async (): Promise<void> => {
    await call('POST /api/practices/{id}/restore-managed-domain', { id: of.id });
    toast(w.restored);
    onChanged();
  };
  const isCustom = of.domain_kind === 'custom' || of.pending_domain !== null;
  return (
    <Card
      title={w.sender}
      actions={
        <>
          <FormDialog
            button={isCustom ? w.replace : w.attachOwnDomain}
            kind={isCustom ? undefined : 'primary'}
          >
            {(close) => <AttachForm id={of.id} onDone={both(close, onChanged)} />}
          </FormDialog>
          {isCustom && (
            <Confirm
              button={w.restore}
              title={w.restoreTitle}
              text={w.restoreText(of.managed_host)}
              confirm={w.restoreConfirm}
              onConfirm={restore}
              kind="danger"
            />
          )}
        </>
      }
    >
      <Facts
        facts={[
          [
            w.inUse,
            <>
              <strong>{of.domain}</strong>{' '}
              <Badge tone="plain">{of.domain_kind === 'custom' ? w.custom : w.managed}</Badge>
            </>,
          ],
          [
            w.pending,
            of.pending_domain && (
              <>
                <strong>{of.pending_domain}</strong> <Badge tone="warn">{w.waits}</Badge>
              </>
            ),
          ],
          [w.defaultFrom, of.default_from],
          [
            w.warmup,
            of.warmup &&
              (of.warmup.cap === null
                ? w.warmupOver(of.warmup.day)
                : w.warmupDay(of.warmup.day, number(of.warmup.cap))),
          ],
        ]}
      />
      {!isCustom && <p class="quiet">{w.managedText}</p>}
    </Card>
  );
};

const Conflicts = ({ conflicts }: Pick<DnsCheck, 'conflicts'>) => {
  const w = translated(words);
  return (
    <>
      {conflicts.map(({ name, type, found, hint }) => (
        <Note key={`${type} ${name}`} kind="bad">
          <p>
            <strong>{w.conflict(type, name)}</strong>
          </p>
          <p>{found.join(', ')}</p>
          <p>{hint}</p>
        </Note>
      ))}
    </>
  );
};

const Summary = ({ check }: { readonly check: DnsCheck }) => {
  const w = translated(words);
  const required = check.records.filter(({ required: isNeeded }) => isNeeded);
  const right = required.filter(({ status }) => status === 'ok').length;
  if (check.ok && !check.pending) return <Note kind="good">{w.allRight}</Note>;
  return (
    <Note kind="warn">
      <strong>{w.someRight(right, required.length)}</strong> {check.pending && w.pendingText}
    </Note>
  );
};

const Records = ({
  wanted,
  id,
  onUsed,
}: {
  readonly wanted: DnsRecords;
  readonly id: string;
  /** The pending domain has come into use. */
  readonly onUsed: () => void;
}) => {
  const w = translated(words);
  const check = useData(
    (abort) => call('POST /api/practices/{id}/check-dns', { id }, { abort }),
    [id, wanted.host],
  );
  const found = check.value?.host === wanted.host ? check.value : undefined;
  const isPending = found?.pending ?? wanted.pending;
  useEffect(() => {
    if (wanted.pending && found?.pending === false) {
      toast(w.nowInUse(found.host));
      onUsed();
    }
  }, [found?.pending]);
  useEffect(() => {
    if (!isPending) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') check.reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isPending]);
  const records: readonly Found[] = found?.records ?? wanted.records;
  const inbound: readonly Found[] = found?.inbound ?? wanted.inbound;
  return (
    <>
      <Card
        title={w.records(wanted.host)}
        actions={
          <>
            <LinkButton
              text={w.zoneFile}
              href={addressOf('GET /api/practices/{id}/dns-records/cloudflare-zone', { id })}
              download={`${wanted.host}.zone`}
            />
            <button type="button" class="primary" disabled={check.isLoading} onClick={check.reload}>
              {check.isLoading ? w.checking : w.check}
            </button>
          </>
        }
      >
        <ErrorNote error={check.error} />
        <div role="status">{found && <Summary check={found} />}</div>
        {found && <Conflicts conflicts={found.conflicts} />}
        {wanted.kind === 'custom' && <OneClick id={id} checkedAt={found?.checked_at} />}
        {wanted.kind === 'managed' && <p class="quiet">{w.managedRecords}</p>}
        <RecordList records={records} isOwn={wanted.kind === 'custom'} />
        {found && (
          <p class="hint">
            {w.checkedAt} <Time at={found.checked_at} />
            {isPending && `. ${w.again}`}
          </p>
        )}
      </Card>
      <Card
        title={w.inbound}
        actions={
          may('inbound.manage') && (
            <LinkButton text={w.receivingSettings} href={`/app/${id}/inbox?view=settings`} />
          )
        }
      >
        <p class="quiet">{w.inboundText}</p>
        <RecordList records={inbound} isOwn={wanted.kind === 'custom'} />
      </Card>
    </>
  );
};

const Domain = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const [turn, setTurn] = useState(0);
  const data = useData(
    async (abort) => {
      const [of, wanted] = await Promise.all([
        call('GET /api/practices/{id}', { id }, { abort }),
        call('GET /api/practices/{id}/dns-records', { id }, { abort }),
      ]);
      return { of, wanted, loaded: turn };
    },
    [id, turn],
  );
  const reload = (): void => setTurn((before) => before + 1);
  return (
    <>
      <Head title={w.pages.domain} intro={w.intro} />
      <Loaded data={data} lines={10}>
        {({ of, wanted, loaded }) => (
          <>
            <Sender of={of} onChanged={reload} />
            <Records key={`${wanted.host} ${loaded}`} wanted={wanted} id={id} onUsed={reload} />
            <DkimKeys key={`keys ${loaded}`} id={id} isCustom={wanted.kind === 'custom'} />
            {wanted.kind === 'custom' && <Bimi id={id} onDone={reload} />}
          </>
        )}
      </Loaded>
    </>
  );
};

export default Domain;
