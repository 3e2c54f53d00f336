// How mail is received: on or off, the records, addresses and where they forward to, protection, the automatic reply, hooks.
import { useState } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { type Data, useAction } from '#dashboard/data.ts';
import { Badge, Button, Card, Facts, Head, Meter, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, SelectField, TextArea, TextField, useFields } from '#dashboard/parts/form.tsx';
import { may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import type { Inbound } from './addresses.tsx';
import { Addresses } from './addresses.tsx';
import { Hooks } from './hooks.tsx';
import { Records } from './records.tsx';
import { words } from './words/de.ts';

interface PartProps {
  readonly id: string;
  readonly data: Data<Inbound>;
  readonly inbound: Inbound;
}

const BYTES_PER_MB = 1e6;

const State = ({ id, data, inbound }: PartProps) => {
  const w = translated(words);
  const { state, host, enabled_at, kept_days, counts, reply_address } = inbound;
  const isOn = state !== 'disabled';
  const enable = useAction(async () => {
    data.replace(await call('POST /api/practices/{id}/inbound/enable', { id, body: {} }));
    toast(w.enabled);
  });
  const inMegabytes = (bytes: number): number => Math.round(bytes / BYTES_PER_MB);
  return (
    <Card
      title={w.receiving}
      actions={
        isOn ? (
          <Confirm
            button={w.disableReceiving}
            title={w.disableTitle}
            text={w.disableText}
            kind="danger"
            onConfirm={async () => {
              data.replace(await call('POST /api/practices/{id}/inbound/disable', { id, body: {} }));
              toast(w.disabled);
            }}
          />
        ) : (
          <Button
            text={w.enableReceiving}
            kind="primary"
            disabled={enable.isRunning}
            onClick={() => void enable.run()}
          />
        )
      }
    >
      <div class="stack">
        <ErrorNote error={enable.error} />
        <p>
          <Badge tone={state === 'active' ? 'good' : isOn ? 'warn' : 'plain'}>{w.states[state]}</Badge>
        </p>
        <p>{w.onlyThere(host)}</p>
        <Facts
          facts={[
            [w.host, <code key="host">{w.anything(host)}</code>],
            [w.since, enabled_at && <Time key="since" at={enabled_at} />],
            [w.answers, isOn && (reply_address ?? w.noAnswers)],
            [w.kept, w.days(kept_days)],
          ]}
        />
        {isOn ? (
          may('practice.manage') && <a href={`/app/${id}/settings`}>{w.changeAnswers}</a>
        ) : (
          <p>{w.offer}</p>
        )}
        {isOn && (
          <Meter label={w.used} value={inMegabytes(counts.bytes)} max={inMegabytes(counts.quota_bytes)} />
        )}
      </div>
    </Card>
  );
};

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

const protectionOf = ({ options }: Inbound) => ({
  dmarc_action: options.dmarc_action,
  spam_action: options.spam_action,
  allow: options.senders.allow.join('\n'),
  block: options.senders.block.join('\n'),
  retention_days: options.retention_days === null ? '' : String(options.retention_days),
});

const optionsOf = ({ options }: Inbound) => options;

const Protection = ({ id, data, inbound }: PartProps) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields(protectionOf(inbound));
  const action = useAction(async () => {
    const { allow, block, retention_days: days, ...actions } = fields;
    const body = {
      ...actions,
      senders: { allow: linesOf(allow), block: linesOf(block) },
      retention_days: days === '' ? null : Number(days),
    };
    const over = {
      record: inbound,
      fields: optionsOf,
      names: {
        ...{ dmarc_action: w.dmarc, spam_action: w.spam, retention_days: w.retention },
        senders: `${w.allow} / ${w.block}`,
      },
      values: { dmarc_action: w.filterActions, spam_action: w.filterActions },
      take: (current: Inbound) => {
        setFields(protectionOf(current));
        data.replace(current);
      },
    };
    data.replace(await call('PATCH /api/practices/{id}/inbound', { id, body }, { over }));
    toast(w.saved);
  });
  return (
    <Card title={w.protection}>
      <Form action={action} submit={w.save}>
        <div class="columns">
          <SelectField label={w.dmarc} options={w.filterActions} {...field('dmarc_action')} />
          <SelectField label={w.spam} options={w.filterActions} {...field('spam_action')} />
          <TextArea
            label={w.allow}
            hint={w.oneLine}
            optional
            rows={3}
            {...field('allow')}
            path="senders.allow"
          />
          <TextArea
            label={w.block}
            hint={w.oneLine}
            optional
            rows={3}
            {...field('block')}
            path="senders.block"
          />
          <TextField
            label={w.retention}
            hint={w.retentionHint}
            optional
            type="number"
            min={1}
            {...field('retention_days')}
          />
        </div>
      </Form>
    </Card>
  );
};

const replyOf = ({ options: { automatic_reply: reply } }: Inbound) => ({
  subject: reply?.subject ?? '',
  text: reply?.text ?? '',
});

const AutomaticReply = ({ id, data, inbound }: PartProps) => {
  const w = translated(words);
  const present = inbound.options.automatic_reply;
  const [isOn, setOn] = useState(present !== null);
  const { fields, field, setFields } = useFields(replyOf(inbound));
  const action = useAction(async () => {
    const body = { automatic_reply: isOn ? fields : null };
    const over = {
      record: inbound,
      fields: optionsOf,
      names: { automatic_reply: w.automatic },
      take: (current: Inbound) => {
        setOn(current.options.automatic_reply !== null);
        setFields(replyOf(current));
        data.replace(current);
      },
    };
    data.replace(await call('PATCH /api/practices/{id}/inbound', { id, body }, { over }));
    toast(w.saved);
  });
  return (
    <Card title={w.automatic}>
      <Form action={action} submit={w.save}>
        <CheckField label={w.automaticOn} hint={w.automaticHint} value={isOn} onValue={setOn} />
        {isOn && (
          <>
            <TextField label={w.subject} required {...field('subject')} path="automatic_reply.subject" />
            <TextArea label={w.text} required {...field('text')} path="automatic_reply.text" />
          </>
        )}
      </Form>
    </Card>
  );
};

export const Settings = ({ inbound: data }: { readonly inbound: Data<Inbound> }) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  return (
    <>
      <Head
        title={w.receivingSettings}
        intro={w.receivingIntro}
        back={{ href: `/app/${id}/inbox`, text: w.pages.inbox }}
      />
      <Loaded data={data}>
        {(inbound) => {
          const props = { id, data, inbound };
          return (
            <>
              <State {...props} />
              {inbound.state !== 'disabled' && (
                <>
                  <Records {...props} />
                  <Addresses {...props} />
                  <Protection {...props} />
                  <AutomaticReply {...props} />
                </>
              )}
              {may('messages.send') && <Hooks id={id} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
};
