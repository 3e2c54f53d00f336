// Confirmation mails that wait for the cap of the plan: each is due when the month ends. Where the plan has room before, because
// another one was chosen or a domain is in use now, they are due at once.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import type { Task } from '#src/audience/work.ts';
import { planOf } from '#src/intake/facts.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { laneOf } from '#src/kernel/stream.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { confirmationMailStore } from './mail-store.ts';

const AT_ONCE = 200;

export const heldMailsTask = ({
  files,
  clock,
  limits,
  intake,
}: Pick<AudienceContext, 'files' | 'clock' | 'limits' | 'intake'>): Task => {
  const isDue = (db: TenantDb, now: number): boolean => {
    if (!confirmationMailStore(db).isAnyHeld()) return false;
    // The mails that wait are among those that are used.
    const { refuses, used, cap } = planOf(db, tenantStore(db).practice(), limits(), now);
    return refuses === 'marketing' || used <= cap;
  };
  const release = (db: TenantDb, now: number): void => {
    if (!isDue(db, now)) return;
    for (const { message_seq, recipient_id } of confirmationMailStore(db).held(AT_ONCE)) {
      const row = queueStore(db).row(recipient_id);
      if (row?.claimed === 0 && row.attempts === 0) queueStore(db).release(recipient_id, 0, now);
      confirmationMailStore(db).letGo(message_seq);
    }
  };
  return {
    name: 'held confirmation mails',
    isNeeded: (db) => confirmationMailStore(db).isAnyHeld(),
    due: (db, _, now) => ({ items: isDue(db, now) ? [0] : [], next: null }),
    run: async (tenantId) => {
      const now = clock.now();
      const { holdDue, wake } = intake.context;
      const letGo = await holdDue(tenantId, now);
      try {
        await files.write(tenantId, (db) => release(db, now));
        wake(tenantId, laneOf.transactional, now);
      } finally {
        letGo();
      }
    },
  };
};
