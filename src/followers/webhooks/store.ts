// The webhooks of a tenant, in its file. A removed one is shown no more, and is kept until its deliveries are gone. They are asked
// for at each look and each outcome, so they are remembered; the rows that are returned are shared and frozen.

import type { FollowerState } from '#src/followers/disabling.ts';
import { remembered } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface WebhookRow extends FollowerState {
  number: number;
  id: string;
  name: string;
  sealed_url: Buffer;
  events_json: string;
  inbound_mail: 'small' | 'whole';
  sealed_secret: Buffer;
  sealed_former: Buffer | null;
  former_until: number | null;
  failing_since: number | null;
  last_error: string | null;
  /** Events up to here were before its time. */
  after_seq: number;
  removed_at: number | null;
  created_at: number;
}

export type NewWebhook = Pick<
  WebhookRow,
  'id' | 'name' | 'sealed_url' | 'events_json' | 'inbound_mail' | 'sealed_secret' | 'after_seq' | 'created_at'
>;
export type WebhookChange = Pick<
  WebhookRow,
  | 'number'
  | 'name'
  | 'sealed_url'
  | 'events_json'
  | 'inbound_mail'
  | 'status'
  | 'disabled_reason'
  | 'disabled_at'
  | 'disabled_told'
  | 'failing_since'
  | 'last_error'
>;
export type SecretChange = Pick<WebhookRow, 'number' | 'sealed_secret' | 'sealed_former' | 'former_until'>;

export const webhookStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewWebhook>(
    `INSERT INTO webhooks (id, name, sealed_url, events_json, inbound_mail, sealed_secret, status, after_seq, created_at)
     VALUES (:id, :name, :sealed_url, :events_json, :inbound_mail, :sealed_secret, 'active', :after_seq, :created_at)`,
  );
  const all = db.prepare<[], WebhookRow>('SELECT * FROM webhooks ORDER BY number');
  const update = db.prepare<WebhookChange>(
    `UPDATE webhooks SET name = :name, sealed_url = :sealed_url, events_json = :events_json,
       inbound_mail = :inbound_mail, status = :status,
       disabled_reason = :disabled_reason, disabled_at = :disabled_at, disabled_told = :disabled_told,
       failing_since = :failing_since, last_error = :last_error
     WHERE number = :number`,
  );
  const setSecret = db.prepare<SecretChange>(
    `UPDATE webhooks SET sealed_secret = :sealed_secret, sealed_former = :sealed_former, former_until = :former_until
     WHERE number = :number`,
  );
  const setFailing = db.prepare<[number | null, string | null, number]>(
    'UPDATE webhooks SET failing_since = ?, last_error = ? WHERE number = ?',
  );
  const markRemoved = db.prepare<[number, number]>('UPDATE webhooks SET removed_at = ? WHERE number = ?');
  const markNotified = db.prepare<[string, number]>(
    'UPDATE webhooks SET disabled_told = 1 WHERE id = ? AND disabled_at = ?',
  );
  const remove = db.prepare<[number]>('DELETE FROM webhooks WHERE number = ?');
  const rows = remembered(db, (): readonly Readonly<WebhookRow>[] =>
    all.all().map((row) => Object.freeze(row)),
  );
  const list = () => rows().filter(({ removed_at }) => removed_at === null);
  return {
    /** Active, from the event after `after_seq` on. */
    insert: (row: NewWebhook): void => {
      insert.run(row);
      rows.forget();
    },
    /** Unless it has been removed. */
    byId: (id: string): WebhookRow | undefined => list().find((row) => row.id === id),
    /** Also one that is removed and still kept. */
    byNumber: (number: number): WebhookRow | undefined => rows().find((row) => row.number === number),
    /** The webhooks in the order in which they were made; a few dozen. */
    list,
    /** With those that are removed and still kept. */
    all: rows,
    count: (): number => list().length,
    update: (change: WebhookChange): void => {
      update.run(change);
      rows.forget();
    },
    setSecret: (change: SecretChange): void => {
      setSecret.run(change);
      rows.forget();
    },
    /** Since when it fails, and the error of the last attempt; nulls: it does not. */
    setFailing: (number: number, since: number | null, error: string | null): void => {
      setFailing.run(since, error, number);
      rows.forget();
    },
    /** The owners are notified that it was disabled at `disabledAt`, unless the row has changed since. */
    markNotified: (id: string, disabledAt: number): void => {
      markNotified.run(id, disabledAt);
      rows.forget();
    },
    markRemoved: (number: number, now: number): void => {
      markRemoved.run(now, number);
      rows.forget();
    },
    /** Its deliveries must be gone. */
    remove: (number: number): void => {
      remove.run(number);
      rows.forget();
    },
  };
});
