// The answer to a mail: a message like any other, that names the mail which it answers (RFC 5322 §3.6.4).
import { useRef, useState } from 'preact/hooks';
import type { InboundMessage } from '#api';
import { call, newKey } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Button, Card } from '#dashboard/parts/basics.tsx';
import { toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, TextArea, TextField, useFields } from '#dashboard/parts/form.tsx';
import { moment, translated } from '#dashboard/words.ts';
import { answerTo, THREAD } from './conversation.ts';
import { words } from './words/de.ts';

/** Strangers write identifiers: what a header field of ours could not have is left out. */
const MESSAGE_ID = /^<[!-;=?-~]{1,996}>$/;
/** Below what the API takes for a field. */
const MAX_REFERENCES = 3_800;
const MAX_SUBJECT = 998;

const threadFields = ({ internet_message_id, references }: InboundMessage): Record<string, string> => {
  if (internet_message_id === null || !MESSAGE_ID.test(internet_message_id)) return {};
  let all = internet_message_id;
  for (const one of references.toReversed())
    if (MESSAGE_ID.test(one) && all.length + one.length < MAX_REFERENCES) all = `${one} ${all}`;
  return { 'In-Reply-To': internet_message_id, References: all };
};

const subjectOf = (subject: string): string =>
  (/^(?:re|aw|antw)\s*:/i.test(subject) ? subject : `Re: ${subject}`).slice(0, MAX_SUBJECT);

const quoteOf = ({ text, reply_text, from, mail_from, received_at }: InboundMessage): string => {
  const said = (reply_text ?? text ?? '').trimEnd().replace(/^/gm, '> ');
  return `${translated(words).quoted(moment(received_at), from?.name || from?.address || mail_from)}\n${said}`;
};

interface ReplyProps {
  readonly practiceId: string;
  readonly mail: InboundMessage;
  readonly onClose: () => void;
  readonly onSent: () => void;
}

export const Reply = ({ practiceId, mail, onClose, onSent }: ReplyProps) => {
  const w = translated(words);
  const { fields, field } = useFields({ to: answerTo(mail), subject: subjectOf(mail.subject), text: '' });
  const [isQuoted, setQuoted] = useState(false);
  /** The key of this answer: sent twice, it is one. */
  const key = useRef(newKey());
  const action = useAction(async () => {
    const body = {
      ...fields,
      text: isQuoted ? `${fields.text.trimEnd()}\n\n${quoteOf(mail)}\n` : fields.text,
      reply_to: mail.original_recipient,
      headers: threadFields(mail),
      metadata: { [THREAD]: mail.thread_id },
    };
    await call(
      'POST /api/practices/{id}/send',
      { id: practiceId, body },
      { headers: { 'Idempotency-Key': key.current } },
    );
    toast(w.sent);
    onSent();
  });
  return (
    <Card title={w.replyTitle}>
      <Form action={action} submit={w.send} others={<Button text={w.discard} onClick={onClose} />}>
        <TextField label={w.to} required {...field('to')} />
        <TextField label={w.subject} required {...field('subject')} />
        <TextArea label={w.text} required rows={8} {...field('text')} />
        <CheckField label={w.quote} value={isQuoted} onValue={setQuoted} />
      </Form>
    </Card>
  );
};
