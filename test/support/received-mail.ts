// Mail in a practice's mailbox with its event, written as the reception writes it.
import path from 'node:path';
import { eventStore, type NewEvent } from '#src/events/store.ts';
import type { MailAuth, MailSpam } from '#src/inbound/mail.ts';
import { inboundStore, type NewInboundRow } from '#src/inbound/store.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { TestApp } from './app.ts';

const auth: MailAuth = {
  spf: { result: 'softfail', domain: 'example.org' },
  dkim: [
    { result: 'fail', domain: 'list.example', selector: 'a' },
    { result: 'pass', domain: 'example.org', selector: 'b' },
  ],
  dmarc: { result: 'pass', domain: 'example.org', policy: 'reject' },
  arc: { result: 'none' },
  iprev: { result: 'pass', name: 'mail.example.org' },
};
const spam: MailSpam = { verdict: 'clean', score: 3, reasons: ['A_RULE'] };

const receivedMail = (fields: Partial<NewInboundRow>): NewInboundRow => ({
  id: newId(),
  state: 'inbox',
  state_reason: null,
  mail_from: 'erika@example.org',
  recipients_json: '["info@in.praxis.example"]',
  from_json: '{"address":"erika@example.org","name":"Erika Muster"}',
  to_json: '[]',
  cc_json: '[]',
  subject: 'Meine Befunde',
  sent_at: null,
  internet_message_id: null,
  in_reply_to: null,
  references_json: '[]',
  reply_to_seq: null,
  thread_id: newId(),
  auth_json: JSON.stringify(auth),
  spam_json: JSON.stringify(spam),
  size_bytes: 1_234,
  search_text: '',
  received_at: 1_764_000_000_000,
  ...fields,
});

/** `about`: the message that it answers, and which of its recipients does. */
export const receiveMail = (
  db: TenantDb,
  fields: Partial<NewInboundRow> = {},
  about: Partial<Pick<NewEvent, 'messageSeq' | 'recipientId' | 'at'>> = {},
  source = Buffer.alloc(fields.size_bytes ?? 1_234),
): NewInboundRow & { readonly seq: number } => {
  const row = receivedMail({
    reply_to_seq: about.messageSeq ?? null,
    size_bytes: source.length,
    ...fields,
  });
  const inboundSeq = inboundStore(db).insert(row, [source]);
  const event = { messageSeq: 0, recipientId: null, at: row.received_at, ...about };
  if (row.state === 'inbox') eventStore(db).append({ type: 'inbound.received', inboundSeq, ...event });
  return { ...row, seq: inboundSeq };
};

/** In the file of a running daemon's practice; the mail's id. */
export const putMail = (
  { home }: Pick<TestApp, 'home'>,
  practiceId: string,
  fields?: Partial<NewInboundRow>,
  ...rest: [about?: Parameters<typeof receiveMail>[2], source?: Buffer<ArrayBuffer>]
): string => {
  const file = path.join(home, 'data/tenants', practiceId, 'tenant.db');
  const db = openSqlite(file, { create: false, busyTimeoutMs: 5_000 }) as TenantDb;
  try {
    // Today, or the daemon would remove it as older than mail received is kept.
    return db.transaction(() => receiveMail(db, { received_at: Date.now(), ...fields }, ...rest).id)();
  } finally {
    db.close();
  }
};
