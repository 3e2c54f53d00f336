// The outbox over its real table: a list that a test fills itself would keep what an undone transaction put into it.

import { createOutbox } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { noticeStore } from '#src/accounts/mails/store.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { testSealingKey } from '#test/support/keys.ts';

const MANY = 1_000;

export const testOutbox = createOutbox(testSealingKey(7));

export interface Enqueued {
  readonly id: string;
  readonly notice: Notice;
}

/** In their order. */
export const enqueuedIn = ({ platform }: Pick<Storage, 'platform'>): readonly Enqueued[] =>
  platform.peek((db) =>
    noticeStore(db)
      .waiting(MANY)
      .map((row) => ({ id: row.id, notice: testOutbox.open(row) })),
  );
