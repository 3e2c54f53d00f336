// Mail received as the API shows it.
import type { z } from 'zod';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { presentMailbox } from '#src/messages/present.ts';
import { messageStore } from '#src/messages/store.ts';
import { plusPart } from '../recipient-rules.ts';
import type { InboundRow } from '../store.ts';
import type { inboundSummarySchema } from './schema.ts';

const mailboxes = (json: string) => (JSON.parse(json) as Mailbox[]).map(presentMailbox);

export const presentMail = (db: TenantDb, row: InboundRow): z.infer<typeof inboundSummarySchema> => {
  const from: Mailbox | null = JSON.parse(row.from_json);
  const recipients: string[] = JSON.parse(row.recipients_json);
  const answered = row.reply_to_seq === null ? undefined : messageStore(db).bySeq(row.reply_to_seq);
  return {
    id: row.id,
    thread_id: row.thread_id,
    state: row.state,
    state_reason: row.state_reason,
    read: row.read_at !== null,
    from: from && presentMailbox(from),
    to: mailboxes(row.to_json),
    cc: mailboxes(row.cc_json),
    subject: row.subject,
    date: toIsoOrNull(row.sent_at),
    internet_message_id: row.internet_message_id,
    in_reply_to: row.in_reply_to,
    references: JSON.parse(row.references_json),
    reply_to_message_id: answered?.id ?? null,
    mail_from: row.mail_from,
    recipients,
    original_recipient: recipients[0] ?? '',
    plus:
      recipients.map((address) => plusPart(address.slice(0, address.lastIndexOf('@')))).find(Boolean) ?? null,
    auth: JSON.parse(row.auth_json),
    spam: JSON.parse(row.spam_json),
    size_bytes: row.size_bytes,
    received_at: toIso(row.received_at),
  };
};

/** What the audit has of a mail. It is kept longer than mail, so it has nothing of a person. */
export const auditedMail = ({ state, size_bytes, received_at }: InboundRow) => ({
  state,
  size_bytes,
  received_at: toIso(received_at),
});
