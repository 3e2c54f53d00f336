// The practice itself: its name, its sender, and the switch that holds all of its mail.
import { useState } from 'preact/hooks';
import type { Practice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Card, Copied, Facts, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { PauseNote } from '#dashboard/parts/pause.tsx';
import { planNames } from '#dashboard/plans.ts';
import { loadAccount, may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

interface PartProps {
  readonly of: Practice;
  readonly onChanged: () => void;
}

const Name = ({ of, onChanged }: PartProps) => {
  const w = translated(words);
  const [name, setName] = useState(of.name);
  const action = useAction(async () => {
    const over = {
      record: of,
      names: { name: w.name },
      take: (current: Practice) => {
        setName(current.name);
        onChanged();
      },
    };
    await call('PATCH /api/practices/{id}', { id: of.id, body: { name: name.trim() } }, { over });
    toast(w.savedShort);
    onChanged();
    // The name is part of the frame around the page.
    await loadAccount();
  });
  return (
    <Card title={w.nameTitle}>
      <div class="narrow">
        <Form action={action} submit={w.save}>
          <TextField label={w.name} hint={w.nameHint} path="name" value={name} onValue={setName} required />
        </Form>
      </div>
    </Card>
  );
};

const answersOf = ({ reply_address, add_reply_to }: Practice) => ({
  reply_address: reply_address ?? '',
  add_reply_to,
});

const Answers = ({ of, onChanged }: PartProps) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields(answersOf(of));
  const action = useAction(async () => {
    const body = { ...fields, reply_address: fields.reply_address.trim() || null };
    const over = {
      record: of,
      names: { reply_address: w.replyTo, add_reply_to: w.addReplyTo },
      take: (current: Practice) => {
        setFields(answersOf(current));
        onChanged();
      },
    };
    await call('PATCH /api/practices/{id}', { id: of.id, body }, { over });
    toast(w.savedShort);
    onChanged();
  });
  return (
    <Card title={w.answers}>
      <div class="narrow">
        <p>{w.answersText}</p>
        <Form action={action} submit={w.save}>
          <TextField
            label={w.replyTo}
            hint={w.replyAddressHint}
            optional
            type="email"
            {...field('reply_address')}
          />
          <CheckField label={w.addReplyTo} hint={w.addReplyToHint} {...field('add_reply_to')} />
        </Form>
      </div>
    </Card>
  );
};

const Sender = ({ of }: Pick<PartProps, 'of'>) => {
  const w = translated(words);
  return (
    <Card
      title={w.sender}
      actions={may('domain.manage') && <LinkButton text={w.changeDomain} href={`/app/${of.id}/domain`} />}
    >
      <Facts
        facts={[
          [w.defaultFrom, of.default_from],
          [w.domain, of.domain],
          [w.managedHost, of.managed_host === of.domain ? null : of.managed_host],
          [w.legalNotice, <a href={`/app/${of.id}/legal`}>{of.legal.city ?? w.legalMissing}</a>],
          [w.plan, planNames[of.plan]],
          [w.created, <Time at={of.created_at} />],
          [w.id, <Copied key="id" text={of.id} name={w.id} />],
        ]}
      />
    </Card>
  );
};

const Pause = ({ of, onChanged }: PartProps) => {
  const w = translated(words);
  const [reason, setReason] = useState('');
  const action = useAction(async () => {
    await call('POST /api/practices/{id}/pause', { id: of.id, body: { reason: reason.trim() } });
    setReason('');
    toast(w.paused);
    onChanged();
  });
  return (
    <Card title={w.pauseSending}>
      <div class="narrow">
        <p>{w.pauseText}</p>
        <Form action={action} submit={w.pauseSending} kind="danger">
          <TextField
            label={w.reason}
            hint={w.reasonHint}
            path="reason"
            value={reason}
            onValue={setReason}
            required
          />
        </Form>
      </div>
    </Card>
  );
};

const Settings = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const data = useAnswer('GET /api/practices/{id}', { id });
  return (
    <>
      <Head title={w.pages.settings} intro={w.intro} />
      <Loaded data={data}>
        {(of) => (
          <>
            <PauseNote id={id} pause={of.pause} onResumed={data.reload} />
            <Name of={of} onChanged={data.reload} />
            <Sender of={of} />
            <Answers of={of} onChanged={data.reload} />
            {of.pause === null && <Pause of={of} onChanged={data.reload} />}
          </>
        )}
      </Loaded>
    </>
  );
};

export default Settings;
