// The local mailbox of a capture upstream, in each tenant's own file.
import { numbersOf } from '#src/kernel/db/numbers.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { KeptFor, OldRows } from '#src/kernel/old-rows.ts';
import type { ErasedContent } from '#src/kernel/personal-data.ts';
import { joinWords } from '#src/kernel/typed-words.ts';

export interface CaptureRow {
  seq: number;
  id: string;
  message_id: string;
  recipient: string;
  /** The subject of its message. */
  subject: string | null;
  return_path: string;
  captured_at: number;
  /** The size of the source before it was sealed. */
  size_bytes: number;
}

type NewCapture = Omit<CaptureRow, 'seq' | 'subject'> & {
  /** Sealed, bound to the capture's id. */
  readonly source: Buffer;
};

export interface CaptureFilter {
  readonly messageId: string | null;
  /** The text as it was typed: words of the recipient's address and of the subject; null: any. */
  readonly text: string | null;
  /** Ids of the projects whose messages may be seen; null: all. */
  readonly projects: ReadonlySet<string> | null;
}

interface ListParameters {
  readonly messageId: string | null;
  /** `joinWords` made them. */
  readonly words: string;
  /** JSON array. */
  readonly projectIds: string | null;
  readonly from: number;
  readonly before: number;
  readonly limit: number;
}

const jsonOf = (ids: ReadonlySet<string> | null): string | null => ids && JSON.stringify([...ids]);

/** Comparing the words of so many takes about 10 ms, in which the event loop is blocked. */
const COMPARED_PER_CALL = 2_000;

/** A capture belongs to its message's project. */
const OF_PROJECTS = `(:projectIds IS NULL OR EXISTS (
  SELECT 1 FROM messages WHERE messages.id = message_id
  AND project_id IN (SELECT value FROM json_each(:projectIds))))`;

const SUBJECT = '(SELECT subject FROM messages WHERE messages.id = message_id)';
const COLUMNS = `seq, id, message_id, recipient, return_path, captured_at, size_bytes, ${SUBJECT} AS subject`;

const captured = (keptFor: (kept: KeptFor) => number, held: string): OldRows => ({
  keptFor,
  scan: `SELECT seq AS key, captured_at AS at, captured_at AS since, size_bytes AS bytes, ${held} AS held FROM captures
         WHERE seq > ? ORDER BY seq`,
  remove: ['DELETE FROM captures WHERE seq = ?'],
});
const OF_MESSAGE = 'EXISTS (SELECT 1 FROM messages WHERE messages.id = message_id)';

/** A captured copy of a message is kept as long as the message's content; other captures are mails to the operator. */
export const oldCaptures: readonly OldRows[] = [
  captured(({ bodies }) => bodies, `NOT ${OF_MESSAGE}`),
  captured(({ inbound }) => inbound, OF_MESSAGE),
];

export const captureStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewCapture>(
    `INSERT INTO captures (id, message_id, recipient, return_path, captured_at, size_bytes, source)
     VALUES (:id, :message_id, :recipient, :return_path, :captured_at, :size_bytes, :source)`,
  );
  const removeOfMessage = db.prepare<[number]>(
    'DELETE FROM captures WHERE message_id = (SELECT id FROM messages WHERE seq = ?)',
  );
  const removeOfShared = db.prepare<[number]>(
    `DELETE FROM captures WHERE message_id IN
       (SELECT id FROM messages JOIN message_bodies ON message_seq = seq WHERE shared_id = ?)`,
  );
  const trim = db.prepare<[number]>(
    'DELETE FROM captures WHERE seq <= (SELECT seq FROM captures ORDER BY seq DESC LIMIT 1 OFFSET ?)',
  );
  const list = db.prepare<ListParameters, CaptureRow>(
    `SELECT ${COLUMNS} FROM captures
     WHERE seq >= :from AND seq < :before AND (:messageId IS NULL OR message_id = :messageId) AND ${OF_PROJECTS}
       AND (:words = '' OR have_words(:words, recipient, ${SUBJECT}))
     ORDER BY seq DESC LIMIT :limit`,
  );
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM captures').pluck();
  const numbers = numbersOf(db, 'captures');
  const source = db
    .prepare<{ id: string; projectIds: string | null }, Buffer>(
      `SELECT source FROM captures WHERE id = :id AND ${OF_PROJECTS}`,
    )
    .pluck();
  return {
    /** Keeps the newest `keep`. */
    insert: (capture: NewCapture, keep: number): void => {
      insert.run(capture);
      trim.run(keep);
    },
    /** Newest first, those before position `before`; with words it may be fewer, even none, although more are left. */
    list: (
      { messageId, text, projects }: CaptureFilter,
      before: number | null,
      limit: number,
      compared = COMPARED_PER_CALL,
    ): { readonly rows: CaptureRow[]; readonly next: number | null } => {
      const start = before ?? (newest.get() ?? 0) + 1;
      const words = joinWords(text);
      const from = words === '' ? 0 : Math.max(0, start - compared);
      const found = list.all({
        messageId,
        words,
        projectIds: jsonOf(projects),
        from,
        before: start,
        limit: limit + 1,
      });
      const rows = found.slice(0, limit);
      if (found.length > limit) return { rows, next: rows.at(-1)?.seq ?? null };
      const next = numbers.endBefore(from);
      return { rows, next: next > 1 ? next : null };
    },
    /** Still sealed. */
    source: (id: string, projects: CaptureFilter['projects']): Buffer | undefined =>
      source.get({ id, projectIds: jsonOf(projects) }),
    removeOf: (of: ErasedContent): void => {
      if ('message' in of) removeOfMessage.run(of.message);
      else removeOfShared.run(of.shared);
    },
  };
});
