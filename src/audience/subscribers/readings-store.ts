// When subscribers were sent measured mail and read it, in their rows. A change of a row that ends the subscription or the consent to it
// takes the times away (store.ts).
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { toIso } from '#src/kernel/time.ts';

/** What was measured of a mail of a campaign to lists. */
export interface Reading {
  readonly kind: 'sent' | 'opened' | 'clicked';
  readonly at: number;
}

export const readingsStore = perConnection((db: TenantDb) => {
  // A reading that comes late says nothing of a consent that is younger than it.
  const read = db.prepare<{
    person: Buffer;
    lists: string;
    at: number;
    day: string;
    tracked: number | null;
    opened: number | null;
    clicked: number | null;
  }>(
    `UPDATE subscribers SET ${['tracked', 'opened', 'clicked'].map((name) => `${name}_at = coalesce(max(${name}_at, :${name}), ${name}_at, :${name})`).join(', ')}
     WHERE address_hash = :person AND status = 'active' AND tracking_seq IS NOT NULL AND confirmed_at <= :at
       AND list_seq IN (SELECT seq FROM lists WHERE id IN (SELECT value FROM json_each(:lists)))
       AND (SELECT facts_json ->> '$.at' FROM consent_entries WHERE consent_entries.seq = tracking_seq) <= :day`,
  );
  const isOld = 'min(ifnull(tracked_at, 9e15), ifnull(opened_at, 9e15), ifnull(clicked_at, 9e15)) < :before';
  const isRead = '(tracked_at IS NOT NULL OR opened_at IS NOT NULL OR clicked_at IS NOT NULL)';
  const old = db
    .prepare<{ before: number; limit: number }, number>(
      `SELECT seq FROM subscribers WHERE ${isRead} AND ${isOld} LIMIT :limit`,
    )
    .pluck();
  const forget = db.prepare<{ seq: number; before: number }>(
    `UPDATE subscribers SET ${['tracked_at', 'opened_at', 'clicked_at'].map((name) => `${name} = iif(${name} < :before, NULL, ${name})`).join(', ')}
     WHERE seq = :seq`,
  );
  return {
    /** Writes it at the person's subscriptions to these lists for which they agree to it. */
    note: (person: Buffer, lists: readonly string[], { kind, at }: Reading): void => {
      read.run({
        ...{ person, lists: JSON.stringify(lists), at, day: toIso(at) },
        tracked: kind === 'sent' ? at : null,
        // A click implies an open.
        opened: kind === 'sent' ? null : at,
        clicked: kind === 'clicked' ? at : null,
      });
    },
    /** Numbers of those of whom something older is known. */
    old: (before: number, limit: number): number[] => old.all({ before, limit }),
    /** What is older is known no longer. */
    forget: (seq: number, before: number): void => {
      forget.run({ seq, before });
    },
  };
});
