// Addresses that receive mail, what becomes of it, and where it is forwarded once that address has confirmed it.
import { useState } from 'preact/hooks';
import { type Answer, call } from '#dashboard/api/call.ts';
import { type Data, useAction } from '#dashboard/data.ts';
import { Badge, Button, Card, Time } from '#dashboard/parts/basics.tsx';
import { ErrorNote, toast } from '#dashboard/parts/feedback.tsx';
import { Form, SelectField, TextField } from '#dashboard/parts/form.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

interface AddressesProps {
  readonly id: string;
  readonly data: Data<Inbound>;
  readonly inbound: Inbound;
}

export type Inbound = Answer<'GET /api/practices/{id}/inbound'>;
type Mode = Inbound['options']['catch_all']['mode'];

interface RuleProps {
  readonly mode: Mode;
  readonly forwardTo: string | null;
  /** The place in the body, with its dot. */
  readonly path: string;
  readonly onMode: (mode: Mode) => void;
  readonly onForwardTo: (address: string | null) => void;
}

const Rule = ({ mode, forwardTo, path, onMode, onForwardTo }: RuleProps) => {
  const w = translated(words);
  return (
    <>
      <SelectField label={w.mode} value={mode} onValue={onMode} options={w.modes} />
      <TextField
        label={w.forwardTo}
        path={`${path}forward_to`}
        optional
        type="email"
        value={forwardTo ?? ''}
        onValue={(value) => onForwardTo(value || null)}
      />
    </>
  );
};

export const Addresses = ({ id, data, inbound }: AddressesProps) => {
  const w = translated(words);
  const [addresses, setAddresses] = useState(inbound.options.addresses);
  const [others, setOthers] = useState(inbound.options.catch_all);
  const action = useAction(async () => {
    const body = { addresses: addresses.map((one) => ({ ...one })), catch_all: others };
    const over = {
      record: inbound,
      fields: ({ options }: Inbound) => options,
      names: { addresses: w.addresses, catch_all: w.others },
      take: (current: Inbound) => {
        setAddresses(current.options.addresses);
        setOthers(current.options.catch_all);
        data.replace(current);
      },
    };
    data.replace(await call('PATCH /api/practices/{id}/inbound', { id, body }, { over }));
    toast(w.saved);
  });
  const change = (at: number, changes: Partial<(typeof addresses)[number]>): void =>
    setAddresses(addresses.map((one, index) => (index === at ? { ...one, ...changes } : one)));
  const add = (): void =>
    setAddresses([
      ...addresses,
      { local_part: '', mode: 'accept', forward_to: null, dmarc_action: null, spam_action: null },
    ]);
  return (
    <Card title={w.addresses}>
      <Form action={action} submit={w.save} others={<Button text={w.addAddress} onClick={add} />}>
        <p class="quiet">{w.addressesText}</p>
        {addresses.map(({ local_part, mode, forward_to }, at) => (
          <fieldset key={at} class="rule">
            <legend>{w.anything(inbound.host).replace('…', local_part || '…')}</legend>
            <TextField
              label={w.localPart}
              path={`addresses[${at}].local_part`}
              required
              value={local_part}
              onValue={(value) => change(at, { local_part: value })}
            />
            <Rule
              path={`addresses[${at}].`}
              mode={mode}
              forwardTo={forward_to}
              onMode={(value) => change(at, { mode: value })}
              onForwardTo={(value) => change(at, { forward_to: value })}
            />
            <Button
              text={w.remove}
              kind="small"
              onClick={() => setAddresses(addresses.filter((_, index) => index !== at))}
            />
          </fieldset>
        ))}
        <fieldset class="rule">
          <legend>{w.others}</legend>
          <Rule
            path="catch_all."
            mode={others.mode}
            forwardTo={others.forward_to}
            onMode={(mode) => setOthers({ ...others, mode })}
            onForwardTo={(forward_to) => setOthers({ ...others, forward_to })}
          />
        </fieldset>
      </Form>
      {inbound.forward_targets.length > 0 && <Targets id={id} data={data} inbound={inbound} />}
    </Card>
  );
};

/** The service asks an address once an hour. */
const ASK_AGAIN_MS = 3_600_000;

/** Whether the service would ask it again: not who has agreed or declined, or was asked as often as it may be. */
const mayAskAgain = ({ status, reason, asked_at }: Inbound['forward_targets'][number]): boolean =>
  status !== 'confirmed' &&
  reason !== 'declined' &&
  reason !== 'asked_enough' &&
  (asked_at === null || Date.now() - Date.parse(asked_at) > ASK_AGAIN_MS);

const targetTones = { confirmed: 'good', unconfirmed: 'warn', failed: 'bad' } as const;

const Targets = ({ id, data, inbound }: AddressesProps) => {
  const w = translated(words);
  const ask = useAction(async (address: string) => {
    await call('POST /api/practices/{id}/inbound/ask-again', { id, body: { address } });
    toast(w.askedAgain);
    data.reload();
  });
  return (
    <div class="stack">
      <h3>{w.targets}</h3>
      <p class="quiet">{w.targetsText}</p>
      <ErrorNote error={ask.error} />
      <Table
        caption={w.targets}
        rows={inbound.forward_targets}
        rowKey={({ address }) => address}
        columns={[
          { head: w.address, cell: ({ address }) => address, isMain: true },
          {
            head: w.standing,
            cell: ({ status, reason }) => (
              <span>
                <Badge tone={targetTones[status]}>{w.targetStates[status]}</Badge>{' '}
                {reason && w.targetReasons[reason]}
              </span>
            ),
          },
          { head: w.asked, cell: ({ asked_at }) => <Time at={asked_at} /> },
          {
            head: w.askAgain,
            cell: (target) =>
              mayAskAgain(target) && (
                <Button
                  text={w.askAgain}
                  kind="small"
                  disabled={ask.isRunning}
                  onClick={() => void ask.run(target.address)}
                />
              ),
          },
        ]}
      />
    </div>
  );
};
