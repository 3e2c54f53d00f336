// Chat alerts in the tenant's file, and what they have gathered.

import type { AlertEvent } from '#src/events/catalogue.ts';
import type { FollowerState } from '#src/followers/disabling.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { AlertKind, Count } from './rules.ts';

export interface AlertRow extends FollowerState {
  number: number;
  id: string;
  name: string;
  kind: AlertKind;
  sealed_url: Buffer;
  events_json: string;
  language: MemberLanguage;
  /** The first failure since the last success. */
  failing_since: number | null;
  /** Events up to here were before its time. */
  after_seq: number;
  /** When what has been gathered is sent; null: nothing has been. */
  due_at: number | null;
  /** At what is gathered now. */
  attempts: number;
  last_sent_at: number | null;
  last_error: string | null;
  created_at: number;
}

/** What waits to be sent, or is part of the message that is being sent. */
export type Stage = 'gathered' | 'sending';
const sendingOf: Readonly<Record<Stage, 0 | 1>> = { gathered: 0, sending: 1 };

interface CountRow {
  event: AlertEvent;
  count: number;
  first_at: number;
  last_at: number;
  samples_json: string;
}

export type Counts = ReadonlyMap<AlertEvent, Count>;

export const alertStore = perConnection((db: TenantDb) => {
  const all = db.prepare<[], AlertRow>('SELECT * FROM alerts ORDER BY number');
  const byId = db.prepare<[string], AlertRow>('SELECT * FROM alerts WHERE id = ?');
  const byNumber = db.prepare<[number], AlertRow>('SELECT * FROM alerts WHERE number = ?');
  const insert = db.prepare<Omit<AlertRow, 'number'>>(
    `INSERT INTO alerts (id, name, kind, sealed_url, events_json, language, status, disabled_reason, disabled_at,
       disabled_told, failing_since, after_seq, due_at, attempts, last_sent_at, last_error, created_at)
     VALUES (:id, :name, :kind, :sealed_url, :events_json, :language, :status, :disabled_reason, :disabled_at,
       :disabled_told, :failing_since, :after_seq, :due_at, :attempts, :last_sent_at, :last_error, :created_at)`,
  );
  const update = db.prepare<AlertRow>(
    `UPDATE alerts SET name = :name, sealed_url = :sealed_url, events_json = :events_json, language = :language,
       status = :status, disabled_reason = :disabled_reason, disabled_at = :disabled_at,
       disabled_told = :disabled_told, failing_since = :failing_since, after_seq = :after_seq, due_at = :due_at,
       attempts = :attempts, last_sent_at = :last_sent_at, last_error = :last_error
     WHERE number = :number`,
  );
  const markNotified = db.prepare<[string, number]>(
    'UPDATE alerts SET disabled_told = 1 WHERE id = ? AND disabled_at = ?',
  );
  const remove = db.prepare<[number]>('DELETE FROM alerts WHERE number = ?');
  const counts = db.prepare<[number, 0 | 1], CountRow>(
    'SELECT event, count, first_at, last_at, samples_json FROM alert_counts WHERE alert = ? AND sending = ?',
  );
  const putCount = db.prepare<CountRow & { alert: number; sending: 0 | 1 }>(
    `INSERT INTO alert_counts (alert, sending, event, count, first_at, last_at, samples_json)
     VALUES (:alert, :sending, :event, :count, :first_at, :last_at, :samples_json)
     ON CONFLICT (alert, sending, event) DO UPDATE SET count = excluded.count, first_at = excluded.first_at,
       last_at = excluded.last_at, samples_json = excluded.samples_json`,
  );
  const removeCounts = db.prepare<[number, 0 | 1]>(
    'DELETE FROM alert_counts WHERE alert = ? AND sending = ?',
  );
  return {
    /** The alerts in the order in which they were made. */
    all: (): AlertRow[] => all.all(),
    byId: (id: string): AlertRow | undefined => byId.get(id),
    byNumber: (number: number): AlertRow | undefined => byNumber.get(number),
    insert: (row: Omit<AlertRow, 'number'>): void => {
      insert.run(row);
    },
    /** `id`, `kind` and `created_at` stay. */
    update: (row: AlertRow): void => {
      update.run(row);
    },
    /** The owners are notified that it was disabled at `disabledAt`, unless the row has changed since. */
    markNotified: (id: string, disabledAt: number): void => {
      markNotified.run(id, disabledAt);
    },
    /** With what it has gathered. */
    remove: (number: number): void => {
      remove.run(number);
    },
    counts: (number: number, stage: Stage): Counts =>
      new Map(
        counts
          .all(number, sendingOf[stage])
          .map(({ event, count, first_at, last_at, samples_json }) => [
            event,
            { count, firstAt: first_at, lastAt: last_at, samples: JSON.parse(samples_json) },
          ]),
      ),
    putCount: (
      number: number,
      stage: Stage,
      event: AlertEvent,
      { count, firstAt, lastAt, samples }: Count,
    ): void => {
      putCount.run({
        alert: number,
        sending: sendingOf[stage],
        event,
        count,
        first_at: firstAt,
        last_at: lastAt,
        samples_json: JSON.stringify(samples),
      });
    },
    removeCounts: (number: number, stage: Stage): void => {
      removeCounts.run(number, sendingOf[stage]);
    },
  };
});
