// What people do with mail received: mark it as read, release it to the inbox, delete it.
import { auditStore } from '#src/events/audit-store.ts';
import { eventStore } from '#src/events/store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { messageStore } from '#src/messages/store.ts';
import { threadStore } from '../desk/thread-store.ts';
import { type InboundRow, inboundStore } from '../store.ts';
import { answering } from '../threads.ts';
import { auditedMail } from './present.ts';
import { removePieces } from './remove-old.ts';

export interface ChangeContext {
  readonly change: Change;
  /** ms since the epoch. */
  readonly now: number;
}

export const mailOf = (db: TenantDb, id: string): InboundRow => {
  const row = inboundStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such mail.`);
  return row;
};

const record = (db: TenantDb, before: InboundRow, after: InboundRow | null, { change, now }: ChangeContext) =>
  auditStore(db).record(
    change,
    {
      target: { type: 'inbound_message', id: before.id },
      before: auditedMail(before),
      after: after && auditedMail(after),
    },
    now,
  );

export const markRead = (db: TenantDb, id: string, read: boolean, now: number): InboundRow => {
  const row = mailOf(db, id);
  if (read !== (row.read_at !== null)) inboundStore(db).setReadAt(row, read ? now : null);
  return mailOf(db, id);
};

/** The recipient of the message that the mail answers. */
const recipientOf = (db: TenantDb, { reply_to_seq, from_json }: InboundRow): number | null => {
  if (reply_to_seq === null) return null;
  const from: Mailbox | null = JSON.parse(from_json);
  return answering(messageStore(db).recipients(reply_to_seq), from?.address ?? null)?.id ?? null;
};

/** Now it is received: the event that was held with it follows. */
export const release = (db: TenantDb, row: InboundRow, now: number): void => {
  inboundStore(db).release(row);
  threadStore(db).reopen(row.thread_id);
  eventStore(db).append({
    type: 'inbound.received',
    messageSeq: row.reply_to_seq ?? 0,
    inboundSeq: row.seq,
    recipientId: recipientOf(db, row),
    at: now,
  });
};

/** Throws `conflict` for a mail in the inbox. */
export const releaseMail = (db: TenantDb, id: string, context: ChangeContext): InboundRow => {
  const row = mailOf(db, id);
  if (row.state === 'inbox') throw new AppError('conflict', say`The mail is in the inbox already.`);
  release(db, row, context.now);
  const released = mailOf(db, id);
  record(db, row, released, context);
  return released;
};

/** Its pieces follow in transactions of their own; what a crash leaves of them is removed in the night. */
export const deleteMail = async (
  files: Pick<TenantFiles, 'read' | 'write'>,
  tenantId: string,
  id: string,
  context: ChangeContext,
): Promise<void> => {
  const seq = await files.write(tenantId, (db) => {
    const row = mailOf(db, id);
    inboundStore(db).remove([row.seq]);
    record(db, row, null, context);
    return row.seq;
  });
  await removePieces(tenantId, { files, pace: (work) => work() }, seq);
};
