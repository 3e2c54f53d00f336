// What became of the confirmation mails of public forms, and which forms are slowed or closed because of it.
import { utcDay } from '#src/accounts/counters/rules.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import { FORM_DAYS, type FormCounts, type FormHealth, formHealthOf, isWorse } from './form-health.ts';

export interface FormAlertRow {
  list_seq: number;
  health: Exclude<FormHealth, 'good'>;
  /** ms since the epoch */
  since: number;
  told: 0 | 1;
}

export const formHealthStore = perConnection((db: TenantDb) => {
  const add = db.prepare<FormCounts & { listSeq: number; day: number }>(
    `INSERT INTO form_counters (list_seq, day, mails, hard_bounced, complaints)
     VALUES (:listSeq, :day, :mails, :hard_bounced, :complaints)
     ON CONFLICT (list_seq, day) DO UPDATE SET mails = mails + excluded.mails,
       hard_bounced = hard_bounced + excluded.hard_bounced, complaints = complaints + excluded.complaints`,
  );
  const addRequest = db.prepare<{ listSeq: number; day: number }>(
    `INSERT INTO form_counters (list_seq, day, requests) VALUES (:listSeq, :day, 1)
     ON CONFLICT (list_seq, day) DO UPDATE SET requests = requests + 1`,
  );
  const removeBefore = db.prepare<[number, number]>(
    'DELETE FROM form_counters WHERE list_seq = ? AND day < ?',
  );
  const counts = db.prepare<[number, number], FormCounts>(
    `SELECT coalesce(sum(mails), 0) AS mails, coalesce(sum(hard_bounced), 0) AS hard_bounced,
       coalesce(sum(complaints), 0) AS complaints
     FROM form_counters WHERE list_seq = ? AND day >= ?`,
  );
  const alert = db.prepare<[number], FormAlertRow>('SELECT * FROM form_alerts WHERE list_seq = ?');
  const untold = db.prepare<[], FormAlertRow>('SELECT * FROM form_alerts WHERE told = 0');
  const putAlert = db.prepare<FormAlertRow>(
    `INSERT INTO form_alerts (list_seq, health, since, told) VALUES (:list_seq, :health, :since, :told)
     ON CONFLICT (list_seq) DO UPDATE SET health = excluded.health, since = excluded.since, told = excluded.told`,
  );
  const removeAlert = db.prepare<[number]>('DELETE FROM form_alerts WHERE list_seq = ?');

  const countsOf = (listSeq: number, now: number): FormCounts =>
    counts.get(listSeq, utcDay(now) - FORM_DAYS + 1) ?? { mails: 0, hard_bounced: 0, complaints: 0 };

  return {
    counts: countsOf,
    healthOf: (listSeq: number, now: number): FormHealth => formHealthOf(countsOf(listSeq, now)),
    /** Adds to the counts, and notes for the owners where the form is worse off than they know. */
    count: (listSeq: number, added: FormCounts, now: number): void => {
      const today = utcDay(now);
      removeBefore.run(listSeq, today - FORM_DAYS + 1);
      add.run({ ...added, listSeq, day: today });
      const health = formHealthOf(countsOf(listSeq, now));
      const known = alert.get(listSeq);
      if (health !== 'good') {
        if (isWorse(health, known?.health ?? 'good'))
          putAlert.run({ list_seq: listSeq, health, since: now, told: 0 });
        return;
      }
      // A share at the limit passes it again and again: that is no news before the days that counted then have passed.
      if (known && known.since <= now - FORM_DAYS * DAY) removeAlert.run(listSeq);
    },
    /** Someone sent the form, whether that changed anything or not. */
    countRequest: (listSeq: number, now: number): void => {
      const today = utcDay(now);
      removeBefore.run(listSeq, today - FORM_DAYS + 1);
      addRequest.run({ listSeq, day: today });
    },
    untold: (): FormAlertRow[] => untold.all(),
    /** Does nothing where the form is worse off since. */
    setTold: ({ list_seq, since }: FormAlertRow): void => {
      const row = alert.get(list_seq);
      if (row?.since === since) putAlert.run({ ...row, told: 1 });
    },
  };
});
