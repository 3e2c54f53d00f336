// What members do with conversations: who has one, whether it is done, and the notes in it. A conversation has a row once someone
// has taken or done it.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface ThreadRow {
  thread_id: string;
  /** Id of a member, who may have left meanwhile. */
  assignee_id: string | null;
  done_at: number | null;
}

export interface NoteRow {
  seq: number;
  id: string;
  thread_id: string;
  author: string;
  author_id: string | null;
  text: string;
  created_at: number;
}

export const threadStore = perConnection((db: TenantDb) => {
  const get = db.prepare<[string], ThreadRow>('SELECT * FROM inbound_threads WHERE thread_id = ?');
  const put = db.prepare<ThreadRow>(
    `INSERT INTO inbound_threads (thread_id, assignee_id, done_at) VALUES (:thread_id, :assignee_id, :done_at)
     ON CONFLICT (thread_id) DO UPDATE SET assignee_id = excluded.assignee_id, done_at = excluded.done_at`,
  );
  const reopen = db.prepare<[string]>(
    'UPDATE inbound_threads SET done_at = NULL WHERE thread_id = ? AND done_at IS NOT NULL',
  );
  const remove = db.prepare<[string]>('DELETE FROM inbound_threads WHERE thread_id = ?');
  const notes = db.prepare<[string], NoteRow>('SELECT * FROM inbound_notes WHERE thread_id = ? ORDER BY seq');
  const noteCount = db
    .prepare<[string], number>('SELECT count(*) FROM inbound_notes WHERE thread_id = ?')
    .pluck();
  const insertNote = db.prepare<Omit<NoteRow, 'seq'>>(
    `INSERT INTO inbound_notes (id, thread_id, author, author_id, text, created_at)
     VALUES (:id, :thread_id, :author, :author_id, :text, :created_at)`,
  );
  const removeNote = db.prepare<[string]>('DELETE FROM inbound_notes WHERE id = ?');
  const removeNotes = db.prepare<[string]>('DELETE FROM inbound_notes WHERE thread_id = ?');
  return {
    get: (threadId: string): ThreadRow =>
      get.get(threadId) ?? { thread_id: threadId, assignee_id: null, done_at: null },
    put: (row: ThreadRow): void => {
      put.run(row);
    },
    /** A new mail has come. */
    reopen: (threadId: string): void => {
      reopen.run(threadId);
    },
    /** No mail is left of it. */
    end: (threadId: string): void => {
      remove.run(threadId);
      removeNotes.run(threadId);
    },
    notes: (threadId: string): NoteRow[] => notes.all(threadId),
    noteCount: (threadId: string): number => noteCount.get(threadId) ?? 0,
    insertNote: (row: Omit<NoteRow, 'seq'>): void => {
      insertNote.run(row);
    },
    removeNote: (id: string): void => {
      removeNote.run(id);
    },
  };
});
