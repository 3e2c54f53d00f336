// Queries over messages and recipients for the reports. Each reads a bounded number of the newest rows by their key, which
// works because messages are numbered in the order of their acceptance.
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

interface NewestRange {
  readonly from: number;
  readonly limit: number;
  /** JSON list of ids; null: all projects. */
  readonly projectIds: string | null;
}

/** For a caller that is limited to projects, the search for their messages ends after this many of the newest rows. */
const ROWS_LOOKED_AT = 20_000;
/** Enough recipients to find out which upstreams accept mail. */
const RECENT_RECIPIENTS = 1_000;

/** The statuses of mail that the upstream has accepted, with any later outcome. */
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
  const lastAcceptedAt = db
    .prepare<[], number>('SELECT created_at FROM messages WHERE seq = (SELECT max(seq) FROM messages)')
    .pluck();
  const newestRecipient = db.prepare<[], number | null>('SELECT max(id) FROM recipients').pluck();
  const order = messageOrderStore(db);
  const subjects = db.prepare<NewestRange, SubjectRow>(
    `SELECT subject FROM messages
     WHERE seq >= :from AND (:projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds)))
     ORDER BY seq DESC LIMIT :limit`,
  );
  const recipients = db.prepare<NewestRange & { firstId: number }, RecipientOutcomeRow>(
    `SELECT address, status, smtp_code, enhanced_code, updated_at FROM recipients
     WHERE id >= :firstId AND message_seq >= :from
       AND (:projectIds IS NULL OR (SELECT project_id FROM messages WHERE seq = message_seq) IN
             (SELECT value FROM json_each(:projectIds)))
     ORDER BY id DESC LIMIT :limit`,
  );

  const newestSince = (since: number, limit: number, projects: readonly string[] | null): NewestRange => ({
    from: Math.max(order.firstSince(since), order.newest() - ROWS_LOOKED_AT + 1),
    limit,
    projectIds: projects && JSON.stringify(projects),
  });

  return {
    /** Names of the upstreams that accepted any of the newest mails. */
    relayedBy: (): string[] => relayedBy.all(RECENT_RECIPIENTS, JSON.stringify(RELAYED)),
    /** Null where none was, or none is kept. */
    lastAcceptedAt: (): number | null => lastAcceptedAt.get() ?? null,
    /** Subjects of messages since then, newest first. `projects`: ids; null: all. */
    subjects: (since: number, limit: number, projects: readonly string[] | null): SubjectRow[] =>
      subjects.all(newestSince(since, limit, projects)),
    /** Recipients of messages since then, newest first. */
    recipients: (since: number, limit: number, projects: readonly string[] | null): RecipientOutcomeRow[] =>
      recipients.all({
        ...newestSince(since, limit, projects),
        firstId: (newestRecipient.get() ?? 0) - ROWS_LOOKED_AT + 1,
      }),
  };
});
