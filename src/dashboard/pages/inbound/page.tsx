// One mail received: who wrote it and whether that is proven, the conversation that it is part of, and the answer to it.

import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { InboundMessage } from '#api';
import { addressOf, call } from '#dashboard/api/call.ts';
import { type Data, useAction, useAnswer, useData } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Badge, Button, Card, Facts, Head, Time } from '#dashboard/parts/basics.tsx';
import { Confirm, Menu } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { MailFrame } from '#dashboard/parts/mail-frame.tsx';
import { ReplyText } from '#dashboard/parts/replies.tsx';
import { may, practice } from '#dashboard/session.ts';
import { letterTo, statusNames, toneOf } from '#dashboard/statuses.ts';
import { refreshUnread } from '#dashboard/unread.ts';
import { translated } from '#dashboard/words.ts';
import { Content } from './content.tsx';
import { loadConversation, type Part } from './conversation.ts';
import { Desk, Done, type Thread } from './desk.tsx';
import { Proofs } from './proof.tsx';
import { Reply } from './reply.tsx';
import { words } from './words/de.ts';

const ONE = '/api/practices/{id}/inbound/messages/{messageID}';

/** A part of the conversation that is not the mail which the page is about: its content is loaded once it is opened. */
const OtherPart = ({ practiceId: id, part }: { readonly practiceId: string; readonly part: Part }) => {
  const w = translated(words);
  const [isOpen, setOpen] = useState(false);
  const isOurs = 'ours' in part;
  const who = isOurs ? w.ours : part.theirs.from?.name || part.theirs.from?.address || w.noSender;
  const { subject, id: messageID } = isOurs ? part.ours : part.theirs;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{who}</strong> {subject || w.noSubject}{' '}
        {isOurs && <Badge tone={toneOf(part.ours.status)}>{statusNames()[part.ours.status]}</Badge>}{' '}
        <span class="quiet">
          <Time at={part.at} />
        </span>
      </summary>
      {isOpen && may('messages.view_content') && (
        <MailFrame
          title={subject || w.noSubject}
          src={
            isOurs
              ? addressOf('GET /api/practices/{id}/messages/{messageID}/preview', { id, messageID })
              : addressOf(`GET ${ONE}/preview`, { id, messageID })
          }
        />
      )}
      <p class="more">
        <a class="button small" href={`/app/${id}/${isOurs ? 'post' : 'inbox'}/${messageID}`}>
          {isOurs ? w.openMessage : w.openMail}
        </a>
      </p>
    </details>
  );
};

const Changes = ({ id, data, mail }: { id: string; data: Data<InboundMessage>; mail: InboundMessage }) => {
  const w = translated(words);
  const { route } = useLocation();
  const at = { id, messageID: mail.id };
  const leave = (said: string): void => {
    toast(said);
    route(`/app/${id}/inbox`);
  };
  const unread = useAction(async () => {
    await call(`PATCH ${ONE}`, { ...at, body: { read: false } });
    void refreshUnread();
    leave(w.markedUnread);
  });
  return (
    <>
      {mail.state !== 'inbox' && may('inbound.manage') && (
        <Confirm
          button={w.release}
          title={w.releaseTitle}
          text={w.releaseText}
          onConfirm={async () => {
            data.replace({ ...mail, ...(await call(`POST ${ONE}/release`, at)) });
            toast(w.released);
          }}
        />
      )}
      <Menu label={w.more}>
        {may('messages.view_content') && (
          <>
            <Button text={w.markUnread} onClick={() => void unread.run()} />
            <a download href={addressOf(`GET ${ONE}/raw`, at)}>
              {w.source}
            </a>
          </>
        )}
        {mail.from && may('messages.send') && (
          <a href={letterTo(id, mail.from)}>{w.newMessageTo(mail.from.name || mail.from.address)}</a>
        )}
        {mail.from && may('lists.manage') && (
          <a href={`/app/${id}/people/${encodeURIComponent(mail.from.address)}`}>{w.allAboutPerson}</a>
        )}
      </Menu>
      {may('inbound.manage') && (
        <Confirm
          button={w.delete}
          title={w.deleteTitle}
          text={w.deleteText}
          kind="danger"
          onConfirm={async () => {
            await call(`DELETE ${ONE}`, at);
            void refreshUnread();
            leave(w.deleted);
          }}
        />
      )}
      <ErrorNote error={unread.error} />
    </>
  );
};

const Mail = ({ id, data, mail }: { id: string; data: Data<InboundMessage>; mail: InboundMessage }) => {
  const w = translated(words);
  const [isReplying, setReplying] = useState(false);
  const { from, state, forwards } = mail;
  const conversation = useData((abort) => loadConversation(id, mail, abort), [id, mail.id]);
  useLive(({ data: about }) => {
    const { thread_id, message_id } = about as { readonly thread_id?: string; readonly message_id?: string };
    const isPart = conversation.value?.some((part) => 'ours' in part && part.ours.id === message_id);
    if (isPart || thread_id === mail.thread_id) conversation.reload();
  }, conversation.reload);
  const mayNote = may('messages.view_content');
  // Who has filled in a form need not have named an address.
  const hasAddress = mail.form ? Boolean(mail.reply_to?.length) : Boolean(from || mail.mail_from);
  const mayReply = may('messages.send') && mayNote && hasAddress;
  const desk = useData<Thread>(
    (abort) =>
      call('GET /api/practices/{id}/inbound/threads/{threadID}', { id, threadID: mail.thread_id }, { abort }),
    [id, mail.thread_id, mayNote],
  );
  const names = (all: InboundMessage['to']) =>
    all.map(({ name, address }) => (name ? `${name} <${address}>` : address)).join(', ');
  const present = (
    <>
      <Facts
        facts={[
          [w.from, from ? names([from]) : mail.mail_from || w.noSender],
          [w.to, names(mail.to) || mail.recipients.join(', ')],
          [w.cc, names(mail.cc)],
          [w.received, <Time key="at" at={mail.received_at} />],
          [
            w.forwards,
            forwards.length > 0 &&
              forwards.map(({ to, status, diagnostic }) => (
                <p key={to}>
                  {to}: {w.forwardStates[status]}
                  {status === 'failed' && diagnostic && (
                    <>
                      . <ReplyText status={status} diagnostic={diagnostic} />
                    </>
                  )}
                </p>
              )),
          ],
        ]}
      />
      <Proofs mail={mail} />
      {may('messages.view_content') ? <Content practiceId={id} mail={mail} /> : <Note>{w.noContent}</Note>}
    </>
  );
  return (
    <>
      <Head
        title={mail.subject || w.noSubject}
        back={{ href: `/app/${id}/inbox`, text: w.pages.inbox }}
        actions={
          <>
            {mayReply && !isReplying && (
              <Button text={w.reply} kind="primary" onClick={() => setReplying(true)} />
            )}
            {mayNote && <Done id={id} data={desk} />}
            <Changes id={id} data={data} mail={mail} />
          </>
        }
      />
      {state !== 'inbox' && (
        <Note kind={state === 'held' ? 'warn' : 'bad'}>
          <p>
            <strong>{state === 'held' ? w.isHeld : w.isQuarantined}</strong>{' '}
            {mail.state_reason && w.reason(mail.state_reason)}
          </p>
        </Note>
      )}
      {isReplying && (
        <Reply
          practiceId={id}
          mail={mail}
          onClose={() => setReplying(false)}
          onSent={() => {
            setReplying(false);
            conversation.reload();
          }}
        />
      )}
      <Card title={w.conversation}>
        <ErrorNote error={conversation.error} onRetry={conversation.reload} />
        <ol class="thread">
          {(conversation.value ?? [{ at: mail.received_at, theirs: mail }]).map((part) =>
            'theirs' in part && part.theirs.id === mail.id ? (
              <li key={mail.id} class="stack" aria-current="true">
                {present}
              </li>
            ) : (
              <li key={'ours' in part ? part.ours.id : part.theirs.id}>
                <OtherPart practiceId={id} part={part} />
              </li>
            ),
          )}
        </ol>
      </Card>
      {mayNote && <Desk id={id} data={desk} />}
    </>
  );
};

const InboundMail = ({ item = '' }: PageProps) => {
  const id = practice.value?.id ?? '';
  const data = useAnswer(`GET ${ONE}`, { id, messageID: item });
  const mail = data.value;
  const isUnread = mail?.read === false;
  useEffect(() => {
    // An operator who looks leaves it to the practice to read it.
    if (!isUnread || !may('messages.view_content') || practice.value?.role === null) return;
    // Where this fails it stays unread, which is what the list says.
    void call(
      `PATCH ${ONE}`,
      { id, messageID: mail.id, body: { read: true } },
      { withoutSession: true },
    ).then(refreshUnread, () => {});
  }, [mail?.id, isUnread]);
  return <Loaded data={data}>{(shown) => <Mail key={shown.id} id={id} data={data} mail={shown} />}</Loaded>;
};

export default InboundMail;
