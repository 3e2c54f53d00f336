// How messages ended at addresses that lately had a soft bounce. A tenant without soft bounces has no rows, which is remembered:
// its deliveries cost no statement.
import { remembered } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export const softBounceStore = perConnection((db: TenantDb) => {
  const any = db.prepare<[], number>('SELECT EXISTS (SELECT 1 FROM soft_bounces)').pluck();
  const addBounce = db.prepare<[Buffer, number, number]>(
    `INSERT INTO soft_bounces (address_hash, message_seq, is_bounce, at) VALUES (?, ?, 1, ?)
     ON CONFLICT DO UPDATE SET is_bounce = 1, at = excluded.at WHERE is_bounce = 0`,
  );
  const addArrival = db.prepare<{ hash: Buffer; messageSeq: number; now: number }>(
    `INSERT INTO soft_bounces (address_hash, message_seq, is_bounce, at)
     SELECT :hash, :messageSeq, 0, :now WHERE EXISTS (SELECT 1 FROM soft_bounces WHERE address_hash = :hash)
     ON CONFLICT DO NOTHING`,
  );
  const count = db
    .prepare<{ hash: Buffer; since: number }, number>(
      `SELECT count(*) FROM soft_bounces
       WHERE address_hash = :hash AND is_bounce = 1 AND at >= :since AND at > coalesce(
         (SELECT max(at) FROM soft_bounces WHERE address_hash = :hash AND is_bounce = 0), 0)`,
    )
    .pluck();
  const forget = db.prepare<[Buffer]>('DELETE FROM soft_bounces WHERE address_hash = ?');
  const removeOld = db.prepare<[number, number]>(
    `DELETE FROM soft_bounces WHERE (address_hash, message_seq) IN
       (SELECT address_hash, message_seq FROM soft_bounces WHERE at < ? LIMIT ?)`,
  );
  const isEmpty = remembered(db, () => any.get() === 0);
  return {
    isEmpty: (): boolean => isEmpty(),
    /** Also where the message was taken for one that had arrived. */
    addBounce: (hash: Buffer, messageSeq: number, now: number): void => {
      addBounce.run(hash, messageSeq, now);
      isEmpty.forget();
    },
    /** Keeps nothing of an address without a bounce. */
    addArrival: (hash: Buffer, messageSeq: number, now: number): void => {
      addArrival.run({ hash, messageSeq, now });
    },
    /** Messages that came back at `since` or later, and after the last one that arrived. */
    count: (hash: Buffer, since: number): number => count.get({ hash, since }) ?? 0,
    forget: (hash: Buffer): void => {
      forget.run(hash);
      isEmpty.forget();
    },
    /** Removes at most `limit` of those before; returns how many. */
    removeOld: (before: number, limit: number): number => {
      const { changes } = removeOld.run(before, limit);
      if (changes > 0) isEmpty.forget();
      return changes;
    },
  };
});
