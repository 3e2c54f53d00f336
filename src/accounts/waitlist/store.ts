// The waiting list in platform.db: one entry an address.

import type { Plan } from '#src/accounts/tenants/rules.ts';
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

/** The plans one waits for; the others are given by the operator. */
export const waitedFor = ['termin', 'praxis', 'gruppe'] as const satisfies readonly Plan[];
export type WaitedFor = (typeof waitedFor)[number];

export interface WaitlistRow {
  seq: number;
  id: string;
  email_key: string;
  email: string;
  name: string | null;
  plan: WaitedFor;
  note: string | null;
  created_at: number;
  asked_at: number;
}

export const waitlistStore = perConnection((db: PlatformDb) => {
  // A known address is written too, so that the time of the answer does not reveal that it is known.
  const note = db.prepare<Omit<WaitlistRow, 'seq'>>(
    `INSERT INTO waitlist (id, email_key, email, name, plan, note, created_at, asked_at)
     VALUES (:id, :email_key, :email, :name, :plan, :note, :created_at, :asked_at)
     ON CONFLICT (email_key) DO UPDATE SET asked_at = excluded.asked_at`,
  );
  const count = db.prepare<[], number>('SELECT count(*) FROM waitlist').pluck();
  const get = db.prepare<[string], WaitlistRow>('SELECT * FROM waitlist WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM waitlist WHERE id = ?');
  const removeOld = db.prepare<[number, number]>(
    'DELETE FROM waitlist WHERE seq IN (SELECT seq FROM waitlist WHERE asked_at < ? LIMIT ?)',
  );
  const list = db.prepare<[number, number], WaitlistRow>(
    'SELECT * FROM waitlist WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const listPlan = db.prepare<[WaitedFor, number, number], WaitlistRow>(
    'SELECT * FROM waitlist WHERE plan = ? AND seq > ? ORDER BY seq LIMIT ?',
  );
  return {
    /** Adds the address; where it is known, only `asked_at` changes. */
    note: (row: Omit<WaitlistRow, 'seq'>): void => {
      note.run(row);
    },
    count: (): number => count.get() ?? 0,
    get: (id: string): WaitlistRow | undefined => get.get(id),
    remove: (id: string): void => {
      remove.run(id);
    },
    /** Removes some of the entries that were last asked for before that time, and returns how many. */
    removeOld: (before: number, limit: number): number => removeOld.run(before, limit).changes,
    /** The entries after that position, in the order in which they came. */
    list: (plan: WaitedFor | null, after: number, limit: number): WaitlistRow[] =>
      plan === null ? list.all(after, limit) : listPlan.all(plan, after, limit),
  };
});
