// The outbox of the service's own mails in platform.db: whoever changes something that people must be told writes the
// notice in the same transaction; service-mail/ hands it to the pipeline afterwards, also after a crash. Sealed, for it
// may hold a code or a link that lets someone in.
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import type { Notice } from './schema.ts';
import { type NoticeRow, noticeStore } from './store.ts';

export interface Outbox {
  /**
   * In the transaction of the change; then `tell` is called. An `id` made of what is told (at most 256 characters) lets
   * the same be told once, however often it is handed in within a day.
   */
  enqueue(db: PlatformDb, notice: Notice, now: number, id?: string): void;
  /** Throws where the row was sealed under another key. */
  open(row: NoticeRow): Notice;
}

/** What those who change something get of the outbox. */
export interface Notices {
  enqueue: Outbox['enqueue'];
  /** After the commit: something waits in the outbox. */
  tell(): void;
}

/** `key` is 32 bytes, derived for notices alone. */
export const createOutbox = (key: Buffer): Outbox => ({
  enqueue: (db, notice, now, id = newId()) => {
    noticeStore(db).insert({
      id,
      sealed: seal(key, Buffer.from(JSON.stringify(notice)), id),
      expires_at: notice.expiresAfter,
      created_at: now,
    });
  },
  open: ({ id, sealed }) => JSON.parse(unseal(key, sealed, id).toString()),
});
