// Which message a mail answers, and to which conversation it belongs, by the identifiers that it quotes (RFC 5322 §3.6.4). They
// are written by strangers: one counts only if it is that of a message or mail in this tenant's file.
import { messagesNamed } from '#src/feedback/locate.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { type MessageRow, messageStore, type RecipientRow } from '#src/messages/store.ts';
import type { MailHead } from './mail.ts';
import { inboundStore } from './store.ts';

export interface Thread {
  /** The message of ours that is answered; null if it is none. */
  readonly message: MessageRow | null;
  /** Its recipient who answers; null if that is not certain. */
  readonly recipient: RecipientRow | null;
  /** Id of the first message of the conversation, ours or received; null: this mail begins one. */
  readonly threadId: string | null;
}

/** The one with the sender's address, or the only one there is: people answer from their other addresses. */
export const answering = (recipients: readonly RecipientRow[], from: string | null): RecipientRow | null => {
  const same = recipients.find(({ address }) => address.toLowerCase() === from?.toLowerCase());
  return same ?? (recipients.length === 1 ? (recipients[0] ?? null) : null);
};

/**
 * The conversation of a message of ours: that of the mail which it answers itself, else that of earlier answers to it, else it
 * begins one.
 */
const threadOfMessage = (db: TenantDb, { seq, id }: MessageRow): string => {
  const body = messageStore(db).body(seq);
  const headers: [name: string, value: string][] = JSON.parse(body?.headers_json ?? '[]');
  const quoted = headers.find(([name]) => name.toLowerCase() === 'in-reply-to')?.[1];
  return (
    (quoted === undefined ? undefined : inboundStore(db).threadOf(quoted.trim())) ??
    inboundStore(db).threadOfAnswers(seq) ??
    id
  );
};

/** `proven`: the recipient to whose return path the mail came. */
export const threadOf = (db: TenantDb, head: MailHead, proven: RecipientRow | null): Thread => {
  const names = [
    ...new Set([...(head.inReplyTo === null ? [] : [head.inReplyTo]), ...head.references.toReversed()]),
  ];
  const found = proven
    ? messageStore(db).bySeq(proven.message_seq)
    : names.flatMap((name) => messagesNamed(db, name)).at(0);
  if (found) {
    const recipient = proven ?? answering(messageStore(db).recipients(found.seq), head.from?.address ?? null);
    return { message: found, recipient, threadId: threadOfMessage(db, found) };
  }
  const earlier = names.flatMap((name) => inboundStore(db).threadOf(name) ?? []).at(0);
  return { message: null, recipient: null, threadId: earlier ?? null };
};
