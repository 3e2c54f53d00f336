// Removes tickets some time after they were closed: they hold addresses and mails of people who only reported something.
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Clock } from '#src/kernel/time.ts';
import { ticketStore } from './store.ts';

export interface TicketRetentionDeps {
  readonly platform: DurableFile<PlatformDb>;
  /** How long a closed ticket is kept after its last change, ms. */
  readonly keep: () => number;
  readonly clock: Clock;
}

/** Each may hold a mail of 256 KiB. */
const TICKETS_PER_TRANSACTION = 100;

export const ticketRetentionJob = ({ platform, keep, clock }: TicketRetentionDeps): Job => ({
  name: 'remove old abuse tickets',
  schedule: '27 3 * * *',
  run: async (signal) => {
    const before = clock.now() - keep();
    for (let removed = TICKETS_PER_TRANSACTION; removed === TICKETS_PER_TRANSACTION && !signal.aborted; )
      removed = await platform.write((db) => ticketStore(db).removeClosed(before, TICKETS_PER_TRANSACTION));
  },
});
