// Send and check: a message by hand, with what the service says of it as one types.
import { useMemo, useState } from 'preact/hooks';
import type { AcceptedMessage, NewMessage } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call, newKey } from '#dashboard/api/call.ts';
import { useAction, useData } from '#dashboard/data.ts';
import { type Attachment, Attachments, useAttachments } from '#dashboard/parts/attachments.tsx';
import { Button, Card, Head } from '#dashboard/parts/basics.tsx';
import { Note } from '#dashboard/parts/feedback.tsx';
import { Form, SelectField, TextArea, TextField } from '#dashboard/parts/form.tsx';
import { usePaused } from '#dashboard/parts/score.ts';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { Check } from './check.tsx';
import { words } from './words/de.ts';

const SIMULATED = ['success', 'bounce', 'complaint', 'ooto'];
const nothing = {
  from: '',
  reply_to: '',
  to: '',
  subject: '',
  text: '',
  html: '',
  message_kind: '',
  tag: '',
};

const isGiven = ([, value]: readonly [string, string | readonly unknown[]]): boolean => value.length > 0;

const Send = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { values } = useFilters();
  const [fields, setFields] = useState({ ...nothing, to: values.to ?? '' });
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [accepted, setAccepted] = useState<AcceptedMessage>();
  const facts = useData(
    (abort) =>
      Promise.all([call('GET /api/meta', {}, { abort }), call('GET /api/practices/{id}', { id }, { abort })]),
    [id],
  );
  const [meta, own] = facts.value ?? [];
  const body = useMemo(
    () =>
      Object.fromEntries(Object.entries({ ...fields, attachments }).filter(isGiven)) as unknown as NewMessage,
    [fields, attachments],
  );
  const isWhole = fields.to !== '' && fields.subject !== '' && (fields.text !== '' || fields.html !== '');
  // The same message under the same key is sent once, however often the button is clicked.
  const key = useMemo(() => newKey(), [body]);
  const rated = usePaused(isWhole ? body : undefined);
  const attaching = useAttachments(meta?.attachment_policy, attachments, (chosen) => {
    setAttachments(chosen);
    setAccepted(undefined);
  });
  const send = useAction(async () => {
    setAccepted(
      await call('POST /api/practices/{id}/send', { id, body }, { headers: { 'Idempotency-Key': key } }),
    );
  });
  const change = (name: keyof typeof nothing) => ({
    path: name,
    value: fields[name],
    onValue: (value: string) => {
      setFields((before) => ({ ...before, [name]: value }));
      setAccepted(undefined);
    },
  });
  const start = (): void => {
    setFields(nothing);
    setAttachments([]);
    setAccepted(undefined);
    send.clear();
  };
  return (
    <>
      <Head title={w.pages.send} intro={w.intro} />
      <div class="columns follows">
        <Card title={w.message}>
          <Form action={send} submit={w.send} others={accepted && <Button text={w.fresh} onClick={start} />}>
            <TextField
              label={w.from}
              optional
              hint={own && w.fromHint(own.default_from)}
              {...change('from')}
            />
            <TextField label={w.replyTo} optional hint={w.replyToHint} {...change('reply_to')} />
            <TextField label={w.to} required hint={w.toHint} list="simulator" {...change('to')} />
            <datalist id="simulator">
              {meta &&
                SIMULATED.map((name) => <option key={name} value={`${name}@${meta.simulator_host}`} />)}
            </datalist>
            <TextField label={w.subject} required {...change('subject')} />
            <TextArea label={w.text} optional={fields.html !== ''} {...change('text')} />
            <TextArea label={w.html} optional rows={4} {...change('html')} />
            <SelectField
              label={w.kind}
              {...change('message_kind')}
              options={{ '': w.kindByRoute, ...w.kinds }}
            />
            <TextField label={w.tag} optional {...change('tag')} />
            <Attachments attaching={attaching} />
            <div role="status">
              {accepted && (
                <Note kind={accepted.code ? 'warn' : 'good'}>
                  <p>
                    <strong>{accepted.hint ?? w.accepted}</strong>
                  </p>
                  {accepted.suppressed && <p>{w.suppressed(accepted.suppressed.join(', '))}</p>}
                  <p>
                    <a href={`/app/${id}/post/${accepted.id}`}>{w.look}</a>
                  </p>
                </Note>
              )}
            </div>
          </Form>
        </Card>
        <Check id={id} body={rated} />
      </div>
    </>
  );
};

export default Send;
