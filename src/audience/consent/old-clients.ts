// The nightly part of retention for what the ledger says of clients, their address and program. It is evidence as long as the consent
// lasts, and as long after its end as claims can be made (§§ 195, 199 BGB: three years). A practice may choose a period that is counted
// from the entry instead. The end is noted when it happens, at a list that is archived by and by; so a night looks at what is due alone.
import type { AudienceContext } from '#src/audience/context.ts';
import { listStore } from '#src/audience/lists/store.ts';
import { readingsStore } from '#src/audience/subscribers/readings-store.ts';
import { subscriberStore } from '#src/audience/subscribers/store.ts';
import type { NightlyTask } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { DAY } from '#src/kernel/time.ts';
import { removeRows } from '#src/messages/retention/remove-old.ts';
import { type ClientPeriod, clientPeriods } from './ledger.ts';
import { type ClientTerm, type ClientValue, consentStore } from './store.ts';

/** The time for a request that was never confirmed: long enough to answer someone who complains of its mail. */
const ASKED_MS = 90 * DAY;
/** Some 5 ms of a transaction. */
const PER_TRANSACTION = 200;

/** The consent of a slice of those who were on an archived list ended with it; whether there are more. */
const endOfArchived = (db: TenantDb): boolean => {
  const list = listStore(db).endsConsents();
  if (!list) return false;
  const rows = subscriberStore(db).activeAfter(list.seq, list.ended_seq, PER_TRANSACTION);
  for (const { seq, address_hash } of rows) {
    consentStore(db).consentEnds(address_hash, list.id, 'ended', list.archived_at);
    readingsStore(db).forget(seq, Number.MAX_SAFE_INTEGER);
  }
  const last = rows.at(-1);
  listStore(db).setEnded(list.seq, rows.length < PER_TRANSACTION || !last ? null : last.seq);
  return true;
};

/** Writes as long as `work` says that there is more; it is asked without writing first. */
const repeat = async (
  isDue: () => Promise<boolean>,
  work: () => Promise<boolean>,
  { signal, pace }: { readonly signal: AbortSignal; readonly pace: Pace },
): Promise<void> => {
  let more = await isDue();
  while (more && !signal.aborted) more = await pace(work);
};

export const removeOldClients = ({
  files,
  clock,
  ledger,
}: Pick<AudienceContext, 'files' | 'clock' | 'ledger'>): NightlyTask => ({
  what: 'clients in the consent ledger',
  run: async (tenantId, signal, pace) => {
    const now = clock.now();
    const paced = { signal, pace };
    await repeat(
      () => files.read(tenantId, (db) => listStore(db).endsConsents() !== undefined),
      () => files.write(tenantId, endOfArchived),
      paced,
    );
    const removeDue = (name: ClientValue, term: ClientTerm, before: number): Promise<void> => {
      const due = (db: TenantDb) => consentStore(db).due(name, term, before, PER_TRANSACTION);
      return repeat(
        () => files.read(tenantId, (db) => due(db).length > 0),
        () =>
          files.write(tenantId, (db) => {
            const seqs = due(db);
            consentStore(db).close(name, seqs);
            return seqs.length === PER_TRANSACTION;
          }),
        paced,
      );
    };
    const removeByAge = (name: ClientValue, before: number): Promise<void> =>
      removeRows(
        tenantId,
        {
          after: (db, seq) => consentStore(db).openedAfter(name, seq),
          remove: (db, seqs) => consentStore(db).close(name, seqs),
        },
        before,
        { files, now, pace },
        signal,
      );
    const removeOf = async (name: ClientValue, { fromEntry, afterEnd }: ClientPeriod): Promise<void> => {
      if (fromEntry !== null) return removeByAge(name, now - fromEntry);
      await removeDue(name, 'asked', now - Math.min(ASKED_MS, afterEnd));
      await removeDue(name, 'ended', now - afterEnd);
    };
    const periods = await files.read(tenantId, (db) => clientPeriods(db, ledger.kept()));
    await removeOf('ip', periods.ip);
    await removeOf('user_agent', periods.user_agent);
  },
});
