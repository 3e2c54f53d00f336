// The addresses that mail received is forwarded to, in the tenant's file: whether each has confirmed that it wants it.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export type TargetStatus = 'unconfirmed' | 'confirmed' | 'failed' | 'removed';

export interface TargetRow {
  seq: number;
  address_key: string;
  address: string;
  status: TargetStatus;
  failure: string | null;
  /** 0: the owners must still be notified that it failed. */
  owners_told: 0 | 1;
  asks: number;
  asked_at: number | null;
  changed_at: number;
}

/** Reads the system tenant's file, which has the mails that ask. */
export const askStore = perConnection((db: TenantDb) => {
  const bounced = db.prepare<[string, number], { diagnostic: string | null }>(
    `SELECT recipients.diagnostic FROM messages JOIN recipients ON message_seq = messages.seq
     WHERE messages.status = 'hard_bounced' AND tag = 'forward_confirmation' AND address = ? AND created_at >= ?
     LIMIT 1`,
  );
  return {
    /** The mail that asked the address since then and came back; `diagnostic`: its server's reply. */
    bounced: (address: string, since: number): { readonly diagnostic: string | null } | undefined =>
      bounced.get(address, since),
  };
});

export const targetStore = perConnection((db: TenantDb) => {
  const all = db.prepare<[], TargetRow>('SELECT * FROM forward_targets ORDER BY seq');
  const bySeq = db.prepare<[number], TargetRow>('SELECT * FROM forward_targets WHERE seq = ?');
  const byKey = db.prepare<[string], TargetRow>('SELECT * FROM forward_targets WHERE address_key = ?');
  const insert = db.prepare<[string, string, number]>(
    "INSERT INTO forward_targets (address_key, address, status, changed_at) VALUES (?, ?, 'unconfirmed', ?)",
  );
  const update = db.prepare<TargetRow>(
    `UPDATE forward_targets SET status = :status, failure = :failure, owners_told = :owners_told, asks = :asks, asked_at = :asked_at,
       changed_at = :changed_at WHERE seq = :seq`,
  );
  const remove = db.prepare<[number]>('DELETE FROM forward_targets WHERE seq = ?');
  return {
    all: (): TargetRow[] => all.all(),
    bySeq: (seq: number): TargetRow | undefined => bySeq.get(seq),
    byKey: (addressKey: string): TargetRow | undefined => byKey.get(addressKey),
    insert: (addressKey: string, address: string, now: number): void => {
      insert.run(addressKey, address, now);
    },
    /** Address and number stay. */
    update: (row: TargetRow): void => {
      update.run(row);
    },
    remove: (seq: number): void => {
      remove.run(seq);
    },
  };
});
