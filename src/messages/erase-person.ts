// What becomes of messages that name a person who is erased, in the caller's transaction.
//
// A message to that person alone is made pseudonymous as retention does it, without its content; of one with other recipients
// the person's copy and address go; what else of it names them waits until it has left, so that no letter to others is
// changed or lost.
import { eventStore } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Erasing, FoundRow } from '#src/kernel/personal-data.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { messageEraseStore } from './erase-store.ts';
import { queueStore } from './queue/store.ts';
import { pseudonymStore } from './retention/pseudonym-store.ts';
import { attachments, bodies, retentionStore } from './retention/store.ts';
import { searchIndexStore } from './search-index-store.ts';
import { messageStore } from './store.ts';

const numberOf = ({ key }: FoundRow): number => Number(key[0]);

export const eraseCopies = (
  db: TenantDb,
  row: FoundRow,
  { person, pseudonyms, withdraw }: Erasing,
): 'waits' | undefined => {
  const messages = messageStore(db);
  const queue = queueStore(db);
  const recipient = messages.recipient(numberOf(row));
  if (recipient === undefined || !person.is(recipient.address)) return undefined;
  const seq = recipient.message_seq;
  const all = messages.recipients(seq);
  const own = all.filter(({ address }) => person.is(address));
  const queued = own.filter(({ id }) => queue.row(id));
  if (queued.some(({ id }) => queue.row(id)?.claimed === 1)) return 'waits';
  for (const { id } of queued) withdraw({ recipient_id: id, message_seq: seq });
  for (const { id } of own) {
    eventStore(db).reduce(seq, id);
    messageEraseStore(db).hideRecipient(id, person.pseudonym);
  }
  if (own.length < all.length) return undefined;
  retentionStore(db).remove(bodies, [seq]);
  if (messages.attachmentRecords(seq).length > 0) retentionStore(db).remove(attachments, [seq]);
  pseudonymStore(db).replace([seq], pseudonyms);
  return undefined;
};

const hasCopies = (db: TenantDb, seq: number): boolean => queueStore(db).ofMessage(seq).length > 0;

/**
 * The person's name goes too. A copy for others that still waits names the person no longer among its recipients: a pseudonym is
 * no address that its header could have.
 */
export const eraseMailboxes = (
  db: TenantDb,
  row: FoundRow,
  { person, contentErased }: Erasing,
): 'waits' | undefined => {
  const seq = numberOf(row);
  const values = row.values();
  const isWaiting = hasCopies(db, seq);
  const hidden = { address: person.pseudonym };
  const listed = (column: string) => {
    const mailboxes: Mailbox[] = JSON.parse(String(values?.[column] ?? '[]'));
    const rest = mailboxes.flatMap((one) => (person.is(one.address) ? (isWaiting ? [] : [hidden]) : [one]));
    return [column, JSON.stringify(rest)];
  };
  const lists = ['to_json', 'cc_json', 'bcc_json', ...(isWaiting ? [] : ['reply_to_json'])].map(listed);
  row.update(Object.fromEntries(lists));
  const waits = isWaiting && row.isQuoted();
  if (!waits) {
    row.replace();
    contentErased({ message: seq });
  }
  searchIndexStore(db).rewrite(seq);
  searchIndexStore(db).tidy();
  return waits ? 'waits' : undefined;
};

export const eraseContent = (
  db: TenantDb,
  row: FoundRow,
  { contentErased }: Erasing,
): 'waits' | undefined => {
  if (hasCopies(db, numberOf(row))) return 'waits';
  contentErased({ message: numberOf(row) });
  return undefined;
};

export const eraseShared = (db: TenantDb, row: FoundRow, { contentErased }: Erasing): 'waits' | undefined => {
  if (messageEraseStore(db).isSharedInQueue(numberOf(row))) return 'waits';
  contentErased({ shared: numberOf(row) });
  return undefined;
};
