// The nightly part of retention for when subscribers read: no longer than what it was read from is kept, the log and what messages
// say of people.
import type { AudienceContext } from '#src/audience/context.ts';
import type { NightlyTask } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import { keptFor } from '#src/messages/retention/remove-old.ts';
import { MAX_DAYS_READ } from '../campaigns/schema.ts';
import { readingsStore } from './readings-store.ts';

/** Some 5 ms of a transaction. */
const PER_TRANSACTION = 200;

export const forgetOldReadings = ({
  files,
  clock,
  config,
}: Pick<AudienceContext, 'files' | 'clock' | 'config'>): NightlyTask => {
  const before = (db: TenantDb): number => {
    const { events, messages } = keptFor(db, config().retention);
    return clock.now() - Math.min(events, messages, MAX_DAYS_READ * DAY);
  };
  const forgetSome = (db: TenantDb): boolean => {
    const seqs = readingsStore(db).old(before(db), PER_TRANSACTION);
    for (const seq of seqs) readingsStore(db).forget(seq, before(db));
    return seqs.length === PER_TRANSACTION;
  };
  return {
    what: 'when subscribers read',
    run: async (tenantId, signal, pace) => {
      // On most days there is none, and then nothing is written.
      let more = await files.read(tenantId, (db) => readingsStore(db).old(before(db), 1).length > 0);
      while (more && !signal.aborted) more = await pace(() => files.write(tenantId, forgetSome));
    },
  };
};
