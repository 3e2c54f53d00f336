// The answer to a mail: a message like any other, that names the mail which it answers (RFC 5322 §3.6.4).
import { useRef, useState } from 'preact/hooks';
import type { InboundMessage } from '#api';
import { call, newKey } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Button, Card } from '#dashboard/parts/basics.tsx';
import { toast } from '#dashboard/parts/feedback.tsx';
import {
  CheckField,
  Form,
  named,
  SelectField,
  TextArea,
  TextField,
  useFields,
} from '#dashboard/parts/form.tsx';
import { PLACEHOLDER } from '#dashboard/parts/placeholders.ts';
import { account, practice } from '#dashboard/session.ts';
import { day, moment, translated } from '#dashboard/words.ts';
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

/** The text with what is known here; a placeholder that is not known stays, so that one sees it. */
const filledIn = (text: string, { from, reply_to = [], subject, received_at }: InboundMessage): string => {
  const known: Readonly<Record<string, string | undefined>> = {
    name: reply_to[0]?.name || from?.name || '',
    subject,
    date: day(received_at),
    practice: practice.value?.name,
    me: account.value?.email,
  };
  const placeholders = new RegExp(PLACEHOLDER, 'g');
  // A person without a name leaves no blank before the comma.
  return text
    .replace(/ ?\{\{\s*name\s*\}\}/g, (all) => (known.name === '' ? '' : all))
    .replace(placeholders, (all, name: string) => known[name] ?? all);
};

const SavedReplies = ({
  practiceId: id,
  mail,
  onChosen,
}: Pick<ReplyProps, 'practiceId' | 'mail'> & { readonly onChosen: (text: string) => void }) => {
  const w = translated(words);
  const all = useAnswer('GET /api/practices/{id}/saved-replies', { id, limit: 200 });
  const replies = all.value?.data ?? [];
  if (replies.length === 0) return null;
  return (
    <SelectField
      label={w.insert}
      value=""
      options={{ '': w.chooseReply, ...named(replies) }}
      onValue={(chosen) => {
        const reply = replies.find((one) => one.id === chosen);
        if (reply) onChosen(filledIn(reply.text, mail));
      }}
    />
  );
};

interface ReplyProps {
  readonly practiceId: string;
  readonly mail: InboundMessage;
  readonly onClose: () => void;
  readonly onSent: () => void;
}

export const Reply = ({ practiceId, mail, onClose, onSent }: ReplyProps) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields({
    to: answerTo(mail),
    subject: subjectOf(mail.subject),
    text: '',
  });
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
        <SavedReplies
          practiceId={practiceId}
          mail={mail}
          onChosen={(text) =>
            setFields((before) => ({
              ...before,
              text: before.text.trim() === '' ? text : `${before.text.trimEnd()}\n\n${text}`,
            }))
          }
        />
        <TextArea label={w.text} required rows={8} {...field('text')} />
        <CheckField label={w.quote} value={isQuoted} onValue={setQuoted} />
      </Form>
    </Card>
  );
};
