// Replaces what the rows of old messages say of people by pseudonyms (pseudonym.ts), row by row. The rows stay, so counts,
// outcomes and links do.
import { type Each, eachRow, overwriting, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import { searchIndexStore } from '#src/messages/search-index-store.ts';
import { type MessageRow, messageStore } from '#src/messages/store.ts';
import type { OldMessage } from './rules.ts';
import { dueAt, waits } from './store.ts';

export interface Pseudonyms {
  readonly ofAddress: (address: Address) => string;
  readonly ofText: (text: string) => string;
}

type Replaced = Pick<
  MessageRow,
  | 'seq'
  | 'from_json'
  | 'to_json'
  | 'cc_json'
  | 'bcc_json'
  | 'reply_to_json'
  | 'subject'
  | 'tag'
  | 'tags_json'
  | 'metadata_json'
>;

const replacedRow = (row: MessageRow, { ofAddress, ofText }: Pseudonyms): Replaced => {
  const mailbox = ({ address }: Mailbox) => ({ address: ofAddress(address) });
  const mailboxes = (json: string) => JSON.stringify((JSON.parse(json) as Mailbox[]).map(mailbox));
  const tags: readonly string[] = JSON.parse(row.tags_json);
  const metadata = Object.entries<string>(JSON.parse(row.metadata_json));
  return {
    seq: row.seq,
    from_json: JSON.stringify(mailbox(JSON.parse(row.from_json))),
    to_json: mailboxes(row.to_json),
    cc_json: mailboxes(row.cc_json),
    bcc_json: mailboxes(row.bcc_json),
    reply_to_json: mailboxes(row.reply_to_json),
    subject: ofText(row.subject),
    tag: row.tag === null ? null : ofText(row.tag),
    tags_json: JSON.stringify(tags.map(ofText)),
    metadata_json: JSON.stringify(
      Object.fromEntries(metadata.map(([name, value]) => [ofText(name), ofText(value)])),
    ),
  };
};

export const pseudonymStore = perConnection((db: TenantDb) => {
  const doneTo = db.prepare<[], number>('SELECT seq FROM pseudonymous_to').pluck();
  const setDoneTo = db.prepare<[number]>(
    `INSERT INTO pseudonymous_to (only, seq) VALUES (1, ?)
     ON CONFLICT (only) DO UPDATE SET seq = max(seq, excluded.seq)`,
  );
  const after = db.prepare<[number], OldMessage>(
    `SELECT seq AS key, created_at AS at, ${dueAt} AS since, is_pseudonymous AS done,
       is_pseudonymous = 0 AND ${waits('messages.seq')} AS held
     FROM messages WHERE seq > ? ORDER BY seq`,
  );
  // The verdicts of the gates quote addresses, and so do replies of servers.
  const replaceMessage = db.prepare<Replaced>(
    `UPDATE messages SET from_json = :from_json, to_json = :to_json, cc_json = :cc_json, bcc_json = :bcc_json,
       reply_to_json = :reply_to_json, subject = :subject, tag = :tag, tags_json = :tags_json,
       metadata_json = :metadata_json, decisions_json = '[]', is_pseudonymous = 1
     WHERE seq = :seq AND is_pseudonymous = 0 AND NOT ${waits('messages.seq')}`,
  );
  const replaceRecipient = db.prepare<[address: string, id: number]>(
    'UPDATE recipients SET address = ?, diagnostic = NULL WHERE id = ?',
  );
  return {
    /** All messages up to this number are done; 0: none. */
    doneTo: (): number => doneTo.get() ?? 0,
    /** Never lowers it. */
    setDoneTo: (seq: number): void => {
      setDoneTo.run(seq);
    },
    /** Messages after that number. */
    after: (seq: number): Each<OldMessage> => eachRow(after, seq),
    /** A message that waits by now, or is done, is left as it is. What is replaced is overwritten in the file. */
    replace: (seqs: readonly number[], pseudonyms: Pseudonyms): void => {
      const messages = messageStore(db);
      overwriting(db, () => {
        for (const seq of seqs) {
          const row = messages.bySeq(seq);
          if (row === undefined || replaceMessage.run(replacedRow(row, pseudonyms)).changes === 0) continue;
          for (const { id, address } of messages.recipients(seq))
            replaceRecipient.run(pseudonyms.ofAddress(address as Address), id);
          searchIndexStore(db).rewrite(seq);
        }
        // Else the segments of many batches would be merged at once.
        searchIndexStore(db).tidy();
      });
    },
  };
});
