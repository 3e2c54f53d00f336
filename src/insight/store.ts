// Questions over messages and recipients that overviews ask. Each looks at a bounded number of the newest rows by their
// key, however many there are: messages are numbered in the order of their acceptance.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { messageOrderStore } from '#src/messages/order-store.ts';
import type { Status } from '#src/messages/rules.ts';

export interface SubjectRow {
  subject: string;
}

export interface RecipientOutcomeRow {
  address: string;
  status: Status;
  smtp_code: number | null;
  enhanced_code: string | null;
  updated_at: number;
}

interface Part {
  readonly from: number;
  readonly limit: number;
  /** JSON list of ids; null: of all projects. */
  readonly projectIds: string | null;
}

/** Who is limited to projects sees theirs among so many; others need to look at no more than they are shown. */
const ROWS_LOOKED_AT = 20_000;
/** To find by which upstreams mail goes out. */
const RECENT_RECIPIENTS = 1_000;

/** The upstream took it, whatever came of it later. */
const RELAYED: readonly Status[] = [
  'processed',
  'delivered',
  'auto_replied',
  'opened',
  'clicked',
  'unsubscribed',
  'spam_complaint',
];

export const insightStore = perConnection((db: TenantDb) => {
  const relayedBy = db
    .prepare<[limit: number, statuses: string], string>(
      `SELECT DISTINCT upstream FROM recipients
       WHERE id > (SELECT max(id) FROM recipients) - ? AND upstream IS NOT NULL
         AND status IN (SELECT value FROM json_each(?)) ORDER BY upstream`,
    )
    .pluck();
  const newestRecipient = db.prepare<[], number | null>('SELECT max(id) FROM recipients').pluck();
  const order = messageOrderStore(db);
  const subjects = db.prepare<Part, SubjectRow>(
    `SELECT subject FROM messages
     WHERE seq >= :from AND (:projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds)))
     ORDER BY seq DESC LIMIT :limit`,
  );
  const recipients = db.prepare<Part & { firstId: number }, RecipientOutcomeRow>(
    `SELECT address, status, smtp_code, enhanced_code, updated_at FROM recipients
     WHERE id >= :firstId AND message_seq >= :from
       AND (:projectIds IS NULL OR (SELECT project_id FROM messages WHERE seq = message_seq) IN
             (SELECT value FROM json_each(:projectIds)))
     ORDER BY id DESC LIMIT :limit`,
  );

  const partOf = (since: number, limit: number, projects: readonly string[] | null): Part => ({
    from: Math.max(order.firstSince(since), order.newest() - ROWS_LOOKED_AT + 1),
    limit,
    projectIds: projects && JSON.stringify(projects),
  });

  return {
    /** Names of the upstreams that took any of the newest mails. */
    relayedBy: (): string[] => relayedBy.all(RECENT_RECIPIENTS, JSON.stringify(RELAYED)),
    /** Of the newest messages since then, newest first; `projects`: ids, null for all. */
    subjects: (since: number, limit: number, projects: readonly string[] | null): SubjectRow[] =>
      subjects.all(partOf(since, limit, projects)),
    /** The newest recipients of messages since then, newest first. */
    recipients: (since: number, limit: number, projects: readonly string[] | null): RecipientOutcomeRow[] =>
      recipients.all({
        ...partOf(since, limit, projects),
        firstId: (newestRecipient.get() ?? 0) - ROWS_LOOKED_AT + 1,
      }),
  };
});
