// What is checked before mail goes to all addresses, what to do about what fails, and the switch.
import type { GoLive as Checklist } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAnswer } from '#dashboard/data.ts';
import { Button, Lamp } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { may } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import type { StepProps } from './step-props.ts';
import { words } from './words/de.ts';

type Check = Checklist['checks'][number];

/** Where it is dealt with, below the practice; absent: by the operator. */
const places: Readonly<Partial<Record<Check['id'], string>>> = {
  legal: 'start?step=legal',
  test_message: 'start?step=test',
  sending_domain: 'domain',
  dns_records: 'domain',
  dmarc_policy: 'domain',
  bimi: 'domain',
  inbound: 'domain',
  second_owner: 'members',
};

const Checks = ({
  id,
  title,
  checks,
  isRequired,
}: {
  readonly id: string;
  readonly title: string;
  readonly checks: readonly Check[];
  readonly isRequired: boolean;
}) => {
  const w = translated(words);
  const shown = checks.filter(({ required }) => required === isRequired);
  if (shown.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="checks">
        {shown.map(({ id: check, ok, title: name, hint }) => {
          const place = places[check];
          const missing = isRequired ? 'bad' : 'warn';
          return (
            <li key={check}>
              <strong>{name}</strong>
              <Lamp tone={ok ? 'good' : missing} text={ok ? w.isOk : w.isMissing} />
              {!ok && (
                <p class="hint">
                  {hint} {place && <a href={`/app/${id}/${place}`}>{w.fix}</a>}
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
};

export const GoLive = ({ of: { id }, onChanged }: StepProps) => {
  const w = translated(words);
  const data = useAnswer('GET /api/practices/{id}/cutover', { id });
  const go = async (): Promise<void> => {
    await call('POST /api/practices/{id}/cutover', { id });
    toast(w.wentLive);
    data.reload();
    onChanged();
  };
  return (
    <Loaded data={data}>
      {({ checks, ready, safe_mode }) => (
        <>
          {safe_mode ? (
            <p>{w.liveText}</p>
          ) : (
            <Note kind={ready ? 'good' : 'warn'}>{ready ? w.isLive : w.isLiveUnready}</Note>
          )}
          <Checks id={id} title={w.required} checks={checks} isRequired />
          <Checks id={id} title={w.advised} checks={checks} isRequired={false} />
          {safe_mode && (
            <p class="actions">
              {ready && may('practice.manage') && (
                <Confirm button={w.goLive} text={w.goLiveText} onConfirm={go} />
              )}
              {!ready && <Button text={w.checkAgain} onClick={data.reload} />}
            </p>
          )}
        </>
      )}
    </Loaded>
  );
};
