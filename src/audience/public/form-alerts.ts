// Notifies the owners of a form that is slowed or closed because its confirmation mails come back: once for each. The row is written
// with the count that it is about, and marked once the mails are in the outbox; after a crash in between they are enqueued
// again, and their ids let them go out once.
import { createOwnerNotifier } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { listStore } from '#src/audience/lists/store.ts';
import type { NightlyTask } from '#src/kernel/base.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { type FormAlertRow, formHealthStore } from './form-health-store.ts';

const noticeOf = (db: TenantDb, row: FormAlertRow, origin: string, now: number) => {
  const practice = tenantStore(db).practice();
  const list = listStore(db).bySeq(row.list_seq);
  const { mails, hard_bounced, complaints } = formHealthStore(db).counts(row.list_seq, now);
  const content = {
    kind: 'form_alert',
    practice: practice.name,
    list: list?.name ?? '',
    health: row.health,
    at: row.since,
    counts: { mails, hardBounced: hard_bounced, complaints },
    link: dashboardLink(origin, { practice: practice.id, page: `lists/${list?.id ?? ''}` }),
  } as const;
  return { row, content, occasion: [row.list_seq, row.health, row.since] };
};

export interface FormAlerts {
  /** Notifies the owners of what they are not notified of yet. May be called at any time. */
  readonly notify: (tenantId: string) => void;
  readonly nightly: NightlyTask;
  readonly stop: () => Promise<void>;
}

export const createFormAlerts = ({ accounts, files, clock }: AudienceContext): FormAlerts => {
  const { ownerNotices } = accounts;
  const { run, stop } = createOwnerNotifier(ownerNotices, {
    find: (tenantId) =>
      files.read(tenantId, (db) =>
        formHealthStore(db)
          .untold()
          .map((row) => noticeOf(db, row, ownerNotices.origin, clock.now())),
      ),
    mark: (db, { row }) => formHealthStore(db).setTold(row),
    failure: 'the owners could not be notified of a form whose mails come back',
  });
  const nightly: NightlyTask = {
    what: 'forms whose owners are not notified',
    run: async (tenantId) => run(tenantId),
  };
  return { notify: run, nightly, stop };
};
