// Lists of people who have confirmed, written into the file of a practice as the service writes them.

import path from 'node:path';
import type { ListRow } from '#src/audience/lists/store.ts';
import { activate } from '#src/audience/subscribers/change.ts';
import { writeMemory } from '#src/kernel/db/memory.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { KeyFor } from '#src/kernel/keys.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { insertList } from './audience.ts';
import { keysIn } from './keys.ts';

const BUSY_TIMEOUT_MS = 10_000;

export interface Seed {
  readonly address: string;
  readonly name?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** Runs in the practice's file beside the daemon whose home it is; with the keys of that installation. */
export const inPractice = <T>(
  home: string,
  practiceId: string,
  work: (db: TenantDb, keyOf: KeyFor) => T,
): T => {
  const file = path.join(home, 'data', 'tenants', practiceId, 'tenant.db');
  const db = openSqlite(file, { create: false, busyTimeoutMs: BUSY_TIMEOUT_MS }) as TenantDb;
  try {
    return db.transaction(() => {
      const result = work(db, keysIn(home));
      writeMemory(db);
      return result;
    })();
  } finally {
    db.close();
  }
};

/** A list with these people; each has confirmed now. */
export const seedList = (
  home: string,
  practiceId: string,
  people: Iterable<Seed>,
  fields: Partial<Omit<ListRow, 'seq'>> = {},
): ListRow =>
  inPractice(home, practiceId, (db, keyOf) => {
    const list = insertList(db, fields);
    const keys = {
      suppressionKey: keyOf('suppressions'),
      ledger: {
        key: keyOf('consent ledger'),
        kept: () => ({ consent_ip: 90 * DAY, consent_user_agent: 90 * DAY }),
      },
    };
    const now = Date.now() - 1;
    for (const { address, ...of } of people)
      activate(
        db,
        keys,
        { list, address: address as Address, ...of, entry: { action: 'confirm', way: 'link' } },
        now,
      );
    return list;
  });
