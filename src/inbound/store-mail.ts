// Stores a mail received with its event, in the transaction of its caller: what came by SMTP, and what was sent by a form.
import { eventStore } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { threadStore } from './desk/thread-store.ts';
import type { MailAuth, MailHead, MailSpam } from './mail.ts';
import { searchTextOf } from './reading/head.ts';
import { type InboundState, inboundStore } from './store.ts';
import type { Thread } from './threads.ts';

export interface MailToStore {
  readonly id: string;
  readonly state: InboundState;
  /** Why it waits; null in the inbox. */
  readonly reason: string | null;
  /** MAIL FROM. */
  readonly mailFrom: string;
  readonly recipients: readonly string[];
  readonly head: MailHead;
  readonly thread: Thread;
  readonly auth: MailAuth;
  readonly spam: MailSpam;
  /** All that is kept of it, one behind the other. */
  readonly source: readonly Buffer[];
  readonly now: number;
}

/** The number of the new row. */
export const storeMail = (db: TenantDb, mail: MailToStore): number => {
  const { id, state, mailFrom, recipients, head, source, now } = mail;
  const { message, recipient, threadId } = mail.thread;
  const inboundSeq = inboundStore(db).insert(
    {
      id,
      state,
      state_reason: mail.reason,
      mail_from: mailFrom,
      recipients_json: JSON.stringify(recipients),
      from_json: JSON.stringify(head.from),
      to_json: JSON.stringify(head.to),
      cc_json: JSON.stringify(head.cc),
      subject: head.subject,
      sent_at: head.sentAt,
      internet_message_id: head.internetMessageId,
      in_reply_to: head.inReplyTo,
      references_json: JSON.stringify(head.references),
      reply_to_seq: message?.seq ?? null,
      thread_id: threadId ?? id,
      auth_json: JSON.stringify(mail.auth),
      spam_json: JSON.stringify(mail.spam),
      size_bytes: source.reduce((sum, { length }) => sum + length, 0),
      search_text: searchTextOf(head, [mailFrom, ...recipients]),
      received_at: now,
    },
    source,
  );
  if (state !== 'inbox') return inboundSeq;
  if (threadId !== null) threadStore(db).reopen(threadId);
  eventStore(db).append({
    type: 'inbound.received',
    messageSeq: message?.seq ?? 0,
    recipientId: recipient?.id ?? null,
    inboundSeq,
    at: now,
  });
  return inboundSeq;
};
